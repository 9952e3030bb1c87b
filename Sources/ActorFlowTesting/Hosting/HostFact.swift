import ActorFlow
import ActorFlowHosting

/// Something about a flow in the end that a test is to assert.
struct HostFact: Sendable {
  /// What tells it from other facts. What a flow says again after it went on is another fact.
  let key: String
  /// Follows the flow's id in a sentence.
  let text: String

  private init(_ key: String, _ text: String) {
    (self.key, self.text) = (key, text)
  }

  init(_ question: FlowView.OpenQuestion, of flow: FlowID) {
    let people = question.assignees.isEmpty ? "" : " for \(question.assignees.joined(separator: ", "))"
    self.init("question \(question.id)", "has an open question, \(question.prompt) at \(question.step)\(people)")
  }

  init(signal: String, of flow: FlowID) {
    self.init("signal \(signal) of \(flow)", "waits for the signal \"\(signal)\"")
  }

  init(refusal: any Error, of flow: FlowID) {
    self.init("refusal of \(flow): \(refusal)", "cannot be taken up: \(refusal)")
  }

  static func ending(of view: FlowView) -> HostFact {
    let reason = view.reason.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
    return HostFact("ending of \(view.id) \(view.revision)", "has ended, \(view.status.rawValue)\(reason)")
  }

  /// Nil if it does not stand still.
  static func standstill(of view: FlowView) -> HostFact? {
    guard view.status == .failed || view.status == .parked else { return nil }
    let steps = view.steps.map(\.path).joined(separator: ", ")
    return HostFact(
      "standstill of \(view.id) \(view.revision)",
      "stands still\(steps.isEmpty ? "" : " at \(steps)"): \(view.failure ?? view.status.rawValue)")
  }

  /// All of a flow that has come to rest.
  static func all(of view: FlowView, refused: (any Error)?) -> [HostFact] {
    if view.status.isTerminal { return [ending(of: view)] }
    if let refused { return [HostFact(refusal: refused, of: view.id)] }
    if let standstill = standstill(of: view) { return [standstill] }
    let facts =
      view.questions.map { HostFact($0, of: view.id) } + view.signals.map { HostFact(signal: $0, of: view.id) }
    guard facts.isEmpty else { return facts }
    let steps = view.steps.map(\.path).joined(separator: ", ")
    let time = view.wakeAt.map { ", until \($0)" } ?? ""
    return [HostFact("waiting of \(view.id) \(view.revision)", "waits at \(steps)\(time)")]
  }
}
