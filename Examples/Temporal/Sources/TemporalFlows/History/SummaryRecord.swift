internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import TemporalProtocol

/// A flow in a list, as the memo of its workflow has it.
struct SummaryRecord: Codable, Sendable, Equatable {
  /// The key in the memo.
  static let key = "actorflow"
  /// The key in the memo of the digest of the start.
  static let startKey = "actorflow.start"

  var definition: String
  var version: Int
  var status: String
  var rollbackFailed: Bool
  var steps: [String]
  var labels: [String: String]
  var wakeAt: Int64?
  var startedAt: Int64?
  var revision: Int
  var changedAt: Int64

  init(_ flow: StoredFlow) {
    let snapshot = flow.snapshot
    (definition, version, status) = (snapshot.definition, snapshot.version, snapshot.status.rawValue)
    (rollbackFailed, labels) = (snapshot.rollbackFailed, snapshot.labels)
    steps = snapshot.steps.map(\.path)
    wakeAt = snapshot.wakeAt?.wholeMicroseconds
    startedAt = snapshot.startedAt?.wholeMicroseconds
    (revision, changedAt) = (flow.revision.number, flow.changedAt.wholeMicroseconds)
  }

  /// The flow in a list; `nil` if a newer version of this package wrote a status that this one does not know.
  ///
  /// - Parameter end: The end of the workflow, if it has ended.
  func summary(of id: FlowID, ended end: ForeignEnd? = nil) -> FlowSummary? {
    guard let status = FlowSnapshot.Status(rawValue: status) else { return nil }
    let snapshot = FlowSnapshot(
      definition: definition, version: version, status: status, rollbackFailed: rollbackFailed,
      steps: steps.map { StepID($0) }, labels: labels, wakeAt: wakeAt.map(Date.init(microseconds:)),
      startedAt: startedAt.map(Date.init(microseconds:)))
    return FlowSummary(
      StoredFlow(
        id: id, revision: Revision(revision), snapshot: end?.ending(snapshot) ?? snapshot,
        changedAt: Date(microseconds: changedAt)))
  }

  /// Whether a list shows the flow at the same place, so that nothing has to be written but the time.
  func isListed(like other: SummaryRecord) -> Bool {
    var other = other
    (other.revision, other.changedAt) = (revision, changedAt)
    return self == other
  }

  /// The search attributes, for a namespace that has them.
  func searchAttributes() throws -> TemporalSearchAttributes {
    var attributes = TemporalSearchAttributes()
    func set(_ name: String, _ type: String, _ value: some Encodable) throws {
      var payload = try TemporalPayload.json(encoding: value)
      payload.metadata["type"] = Data(type.utf8)
      attributes.indexedFields[name] = payload
    }
    try set(SearchAttribute.status.rawValue, "Keyword", status)
    try set(SearchAttribute.steps.rawValue, "KeywordList", steps)
    try set(SearchAttribute.labels.rawValue, "KeywordList", labels.map { "\($0)=\($1)" }.sorted())
    return attributes
  }
}

/// The search attributes of a flow, which an operator adds to the namespace.
enum SearchAttribute: String, CaseIterable, Sendable {
  case status = "ActorFlowStatus"
  case steps = "ActorFlowSteps"
  case labels = "ActorFlowLabels"
}
