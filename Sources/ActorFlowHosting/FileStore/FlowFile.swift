import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What stands in a flow's file: the last commit, and how much of the history belongs to it.
struct FlowFile: Sendable {
  private static let envelope = Envelope(magic: Array("AFFL".utf8), format: 1, what: "the flow's file")

  var flow: StoredFlow
  var commit: CommitID
  /// How many bytes of the file with the history are committed; what stands behind them was never acknowledged.
  var historyBytes: Int

  /// The file's bytes; the snapshot was encoded before.
  func encoded(_ snapshot: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: snapshot.count + 128)
    writer.string(flow.id.description)
    writer.int(flow.revision.number)
    writer.fixed(commit.bits.high)
    writer.fixed(commit.bits.low)
    writer.date(flow.changedAt)
    writer.int(historyBytes)
    writer.raw(snapshot)
    return Self.envelope.seal(writer.bytes)
  }

  init(flow: StoredFlow, commit: CommitID, historyBytes: Int) {
    self.flow = flow
    self.commit = commit
    self.historyBytes = historyBytes
  }

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    var reader = ByteReader(try Self.envelope.open(bytes[...]))
    let id = FlowID(try reader.string())
    let revision = Revision(try reader.int())
    commit = CommitID(RandomBits(high: try reader.fixed(UInt64.self), low: try reader.fixed(UInt64.self)))
    let changedAt = try reader.date()
    historyBytes = try reader.int()
    let snapshot = try FlowSnapshot(decoding: try reader.slice(reader.remaining))
    guard revision > .none, historyBytes >= 0 else { throw reader.malformed("a number is too small") }
    flow = StoredFlow(id: id, revision: revision, snapshot: snapshot, changedAt: changedAt)
  }
}

/// What stands in the file with a flow's history: a record for each commit that added to it.
enum HistoryFile {
  private static let envelope = Envelope(magic: Array("AFHI".utf8), format: 1, what: "the history")

  static func record(_ entries: [HistoryEntry], of revision: Revision) -> [UInt8] {
    var writer = ByteWriter(reserving: entries.count * 64)
    writer.int(revision.number)
    writer.list(entries) { writer, entry in
      writer.int(entry.sequence)
      writer.date(entry.at)
      writer.string(entry.what)
      writer.optional(entry.step) { $0.string($1.path) }
      writer.optional(entry.by) { $0.string($1) }
      writer.optional(entry.detail) { $0.string($1) }
    }
    return envelope.seal(writer.bytes)
  }

  /// Entries after `sequence`, oldest first, of what is committed.
  static func entries(
    _ bytes: ArraySlice<UInt8>, after sequence: Int, limit: Int, upTo revision: Revision
  ) throws(FlowStoreError) -> [HistoryEntry] {
    var rest = bytes
    var last = Revision.none
    var found: [HistoryEntry] = []
    while !rest.isEmpty && found.count < limit {
      let length = try envelope.contentLength(rest) + Envelope.overhead
      var reader = ByteReader(try envelope.open(rest.prefix(length)))
      rest = rest.dropFirst(length)
      let number = Revision(try reader.int())
      guard number > last, number <= revision else { throw reader.malformed("a record is not in its place") }
      last = number
      for entry in try reader.list(entry) where entry.sequence > sequence { found.append(entry) }
      try reader.end()
    }
    return Array(found.prefix(limit))
  }

  private static func entry(_ reader: inout ByteReader) throws(FlowStoreError) -> HistoryEntry {
    HistoryEntry(
      sequence: try reader.int(), at: try reader.date(), what: try reader.string(),
      step: try reader.optional { (reader) throws(FlowStoreError) in StepID(try reader.string()) },
      by: try reader.optional { (reader) throws(FlowStoreError) in try reader.string() },
      detail: try reader.optional { (reader) throws(FlowStoreError) in try reader.string() })
  }
}
