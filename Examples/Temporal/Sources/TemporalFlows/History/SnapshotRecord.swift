internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import TemporalProtocol

/// The facts of a commit beside its snapshot: the content of a marker, and of the input of a workflow that continues
/// another.
struct SnapshotRecord: Codable, Sendable {
  /// The name of the marker.
  static let marker = "actorflow.snapshot"
  /// The name of a marker that only moves ``cursor``.
  static let cursorMarker = "actorflow.cursor"
  static let kind = "continued"
  private static let (about, snapshot, history, cursorKey) = ("about", "snapshot", "history", "cursor")

  var revision: Int
  var commit: CommitID
  /// The time of the commit in microseconds since 1970.
  var changedAt: Int64
  /// The last event of the run that was applied to the flow, of those that other systems bring about.
  var cursor: Int64

  /// The details of the marker.
  func details(_ snapshot: [UInt8], history: [HistoryEntry]) throws -> [String: TemporalPayloads] {
    var details = [
      Self.about: TemporalPayloads(try .json(encoding: self)), Self.snapshot: TemporalPayloads(.bytes(snapshot)),
    ]
    if !history.isEmpty { details[Self.history] = TemporalPayloads(try .json(encoding: history)) }
    return details
  }

  /// The input of the workflow that continues this one.
  func input(_ snapshot: [UInt8]) throws -> TemporalPayloads {
    TemporalPayloads(try .json(encoding: self, kind: Self.kind), .bytes(snapshot))
  }

  static func cursorDetails(_ cursor: Int64) throws -> [String: TemporalPayloads] {
    [cursorKey: TemporalPayloads(try .json(encoding: cursor))]
  }

  static func cursor(_ details: [String: TemporalPayloads]) throws -> Int64? {
    try details[cursorKey]?.payloads.first?.decoded(as: Int64.self)
  }

  /// Reads the details of the marker.
  static func read(_ details: [String: TemporalPayloads]) throws -> (SnapshotRecord, [UInt8]) {
    guard let record = details[about]?.payloads.first, let bytes = details[snapshot]?.payloads.first else {
      throw FlowStoreError(.corrupted, "a marker of the flow lacks its record or its snapshot")
    }
    return (try record.decoded(as: SnapshotRecord.self), Array(bytes.data))
  }

  static func entries(_ details: [String: TemporalPayloads]) throws -> [HistoryEntry] {
    try details[history]?.payloads.first?.decoded(as: [HistoryEntry].self) ?? []
  }

  /// Reads the input of a workflow that continues another; `nil` if it is the input of a start.
  static func read(_ payloads: [TemporalPayload]) throws -> (SnapshotRecord, [UInt8])? {
    guard let first = payloads.first, first.kind == kind else { return nil }
    guard payloads.count > 1 else { throw FlowStoreError(.corrupted, "the continued flow lacks its snapshot") }
    return (try first.decoded(as: SnapshotRecord.self), Array(payloads[1].data))
  }

  func stored(_ snapshot: FlowSnapshot, of id: FlowID) -> StoredFlow {
    StoredFlow(id: id, revision: Revision(revision), snapshot: snapshot, changedAt: Date(microseconds: changedAt))
  }
}

extension Date {
  init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  var wholeMicroseconds: Int64 { Int64((timeIntervalSince1970 * 1_000_000).rounded()) }
}
