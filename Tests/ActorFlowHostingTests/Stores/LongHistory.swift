import ActorFlowTesting
import Foundation

@testable import ActorFlow
@testable import ActorFlowHosting

/// A flow with a long history, as files: without a commit for each record.
struct LongHistory {
  static let id: FlowID = "long"

  let flow: FlowID
  private(set) var entries: [HistoryEntry] = []
  private(set) var end = HistoryEnd()
  private var bytes: [UInt8] = []
  private var revision = Revision.none

  /// A history of this many records, the first ones in format 1.
  init(records: Int, perRecord: () -> Int, old: Int, _ flow: FlowID = Self.id) {
    self.flow = flow
    for number in 0..<records {
      let added = (0..<perRecord()).map { HistoryEntry.numbered(entries.count + 1 + $0) }
      revision = revision.next
      if number < old {
        bytes += OldFiles.record(added, of: revision)
        end = HistoryEnd(unnamed: bytes.count)
      } else {
        let record = OldFiles.record(added, of: revision, by: CommitID(), at: end)
        bytes += record.bytes
        end = record.end
      }
      entries += added
    }
    if revision == .none { revision = Revision(1) }
  }

  /// Writes the files of the flow, before the folder's store is opened.
  func write(in folder: Folder) throws {
    let flow = StoredFlow(id: flow, revision: revision, snapshot: .numbered(1), changedAt: folder.clock.now.stored)
    try folder.makeOldDirectories()
    try folder.write(OldFiles.flow(flow, CommitID(), end), to: CorpusEntry.path(flow.id, FileName.flow))
    if !bytes.isEmpty { try folder.write(bytes, to: CorpusEntry.path(flow.id, FileName.history)) }
  }

  func opened(in folder: Folder, _ disk: Disk = Disk()) async throws -> FileFlowStore {
    try write(in: folder)
    return try await folder.open(disk)
  }
}

extension Folder {
  /// Makes the directories of a store of an earlier version.
  func makeOldDirectories() throws {
    for name in FileName.directories {
      try FileManager.default.createDirectory(
        atPath: "\(path)/store/flows/\(name)", withIntermediateDirectories: true)
    }
  }
}

/// The files of flows in format 1, as written before histories had names.
enum OldFiles {
  static func write(_ id: FlowID, revisions: Int, in folder: Folder) throws {
    let history = history(1...revisions)
    try folder.makeOldDirectories()
    var writer = ByteWriter()
    writer.string(id.description)
    writer.int(revisions)
    writer.fixed(UInt64(1))
    writer.fixed(UInt64(2))
    _ = writer.coded(folder.clock.now)
    writer.int(history.count)
    writer.raw(FlowSnapshot.numbered(revisions).encoded())
    let flow = Envelope(magic: Array("AFFL".utf8), format: 1, what: "").seal(writer.bytes)
    try folder.write(flow, to: CorpusEntry.path(id, FileName.flow))
    try folder.write(history, to: CorpusEntry.path(id, FileName.history))
  }

  static func history(_ revisions: ClosedRange<Int>) -> [UInt8] {
    revisions.reduce(into: []) { $0 += record([.numbered($1)], of: Revision($1)) }
  }

  static func record(_ entries: [HistoryEntry], of revision: Revision) -> [UInt8] {
    var writer = ByteWriter()
    writer.int(revision.number)
    _ = writer.coded(entries)
    return Envelope(magic: Array("AFHI".utf8), format: 1, what: "").seal(writer.bytes)
  }
}
