import ActorFlow
import ActorFlowHosting

/// A fact about a flow at the end of a test, which the test must assert.
struct HostFact: Sendable {
  /// The identity of the fact. An ending, a standstill or a question that comes later has another key.
  let key: String
  /// The text that follows the flow's id in a sentence.
  let text: String

  private init(_ key: String, _ text: String) {
    (self.key, self.text) = (key, text)
  }

  init(_ question: StoredQuestion, of flow: FlowID) {
    let people = question.assignees.isEmpty ? "" : " for \(question.assignees.joined(separator: ", "))"
    self.init("question \(question.id)", "has an open question, \(question.prompt) at \(question.step)\(people)")
  }

  init(signal: String, of flow: FlowID) {
    self.init("signal \(signal) of \(flow)", "waits for the signal \"\(signal)\"")
  }

  init(_ refusal: Refusal, of flow: FlowID) {
    self.init("refusal of \(flow): \(refusal.error)", "cannot be activated: \(refusal.error)")
  }

  static func ending(of view: FlowView) -> HostFact {
    let reason = view.reason.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
    // Not the revision: a note and a redaction are written after the end, which stays the same.
    return HostFact(
      "ending of \(view.id) \(view.startedAt), \(view.status), \(view.undoFailures.count)",
      "has ended, \(view.status.rawValue)\(reason)")
  }

  /// Returns `nil` unless a failed step or a missing migration has stopped the flow.
  static func standstill(of view: FlowView) -> HostFact? {
    guard view.status == .suspended || view.status == .unmigrated else { return nil }
    let steps = view.steps.map(\.path).joined(separator: ", ")
    return HostFact(
      "standstill of \(view.id) \(view.revision)",
      "is stopped\(steps.isEmpty ? "" : " at \(steps)"): \(view.failure ?? view.status.rawValue)")
  }

  /// Returns all facts about a flow that can do nothing more by itself.
  static func all(of view: FlowView, refused: Refusal?) -> [HostFact] {
    if view.status.isTerminal { return [ending(of: view)] }
    if let refused { return [HostFact(refused, of: view.id)] }
    if let standstill = standstill(of: view) { return [standstill] }
    let facts =
      view.questions.map { HostFact($0, of: view.id) } + view.signals.map { HostFact(signal: $0, of: view.id) }
    guard facts.isEmpty else { return facts }
    let steps = view.steps.map(\.path).joined(separator: ", ")
    let time = view.wakeAt.map { ", until \($0)" } ?? ""
    return [HostFact("waiting of \(view.id) \(view.revision)", "waits at \(steps)\(time)")]
  }
}

/// The error with which a flow could not be activated.
struct Refusal: Sendable {
  let error: any Error
  /// The name of the host, if there are several.
  let host: String?
}
