import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content of a flow's file: the last commit, and the end of the history that belongs to it.
///
/// Format 1 has only the length of the history. Format 2 also has the name that binds the history to the flow, and the
/// offsets from which its records are found.
struct FlowFile: Sendable {
  private static let envelope = Envelope(magic: Array("AFFL".utf8), format: 2, oldest: 1, what: "the flow's file")

  var flow: StoredFlow
  var commit: CommitID
  var history: HistoryEnd

  /// Returns the bytes of the file, given the encoded snapshot.
  func encoded(_ snapshot: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: snapshot.count + 128)
    writer.string(flow.id.description)
    writer.int(flow.revision.number)
    writer.fixed(commit.bits.high)
    writer.fixed(commit.bits.low)
    writer.date(flow.changedAt)
    history.write(to: &writer)
    writer.raw(snapshot)
    return Self.envelope.seal(writer.bytes)
  }

  init(flow: StoredFlow, commit: CommitID, history: HistoryEnd) {
    self.flow = flow
    self.commit = commit
    self.history = history
  }

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    var reader = ByteReader(try Self.envelope.open(bytes[...]))
    let id = FlowID(try reader.string())
    let revision = Revision(try reader.int())
    commit = CommitID(RandomBits(high: try reader.fixed(UInt64.self), low: try reader.fixed(UInt64.self)))
    let changedAt = try reader.date()
    let isOld = try Self.envelope.header(bytes[...]).format == 1
    history = isOld ? HistoryEnd(unnamed: try reader.int()) : try HistoryEnd(from: &reader)
    let snapshot = try FlowSnapshot(decoding: try reader.slice(reader.remaining))
    guard revision > .none, history.bytes >= 0 else { throw reader.malformed("a number is too small") }
    flow = StoredFlow(id: id, revision: revision, snapshot: snapshot, changedAt: changedAt)
  }
}
