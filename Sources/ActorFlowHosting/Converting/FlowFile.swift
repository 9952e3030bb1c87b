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

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    var reader = ByteReader(try Self.envelope.open(bytes[...]))
    reader.format = UInt8(clamping: try Self.envelope.header(bytes[...]).format)
    flow = StoredFlow(id: "", revision: .none, snapshot: .placeholder, changedAt: .placeholder)
    (commit, history) = (.placeholder, .placeholder)
    try codeHead(with: &reader)
    flow.snapshot = try FlowSnapshot(decoding: try reader.slice(reader.remaining))
    guard flow.revision > .none, history.bytes >= 0 else { throw reader.malformed("a number is too small") }
  }

  /// Codes all but the snapshot.
  private mutating func codeHead<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    flow.id = FlowID(try coder.coded(flow.id.description))
    var revision = flow.revision.number
    try coder.int(&revision)
    flow.revision = Revision(revision)
    try coder.code(&commit)
    try coder.code(&flow.changedAt)
    try coder.code(&history)
  }
}
