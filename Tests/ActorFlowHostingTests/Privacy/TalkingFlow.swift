import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

/// A flow in which a person leaves traces at every place that is stored: all begin with `SECRET-`.
enum TalkingFlow {
  struct Papers: Codable, Sendable, Equatable { var text: String }

  struct PassportForm: ReassignablePrompt, Codable {
    typealias Answer = Papers
    static let promptName = "PassportForm"
    var hint: String
    var assignees: [String]
  }

  struct Verdict: Prompt, Codable {
    typealias Answer = Papers
    static let promptName = "Verdict"
    static let isAudited = true
    var about: String
  }

  static let webhook = Signal<String>("webhook")

  /// - Parameter fails: Whether the last step throws.
  static func flow(fails: @escaping @Sendable () -> Bool = { false }) -> Flow<String, String> {
    Flow<String, String>("talk") {
      Step("passport") { (input: String, context: StepContext) -> String in
        try await context.label("mood", "SECRET-label")
        let papers = try await context.ask(PassportForm(hint: "SECRET-hint", assignees: ["SECRET-assignee"]))
        let record = try await context.once("scan") { _ in String(repeating: "SECRET-record ", count: 50) }
        return input + papers.text + record.prefix(1)
      }
      Step("bank") { (input: String, context: StepContext) -> String in
        input + (try await context.wait(for: webhook))
      }
      Step("verdict") { (input: String, context: StepContext) -> String in
        let verdict = try await context.ask(Verdict(about: "SECRET-about"))
        if fails() { throw Told(reason: "SECRET-error") }
        return "SECRET-output" + verdict.text
      }
    }
  }

  struct Told: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
  }

  /// What the person says, by place. The labels and assignees are in plain, so that they can be looked for.
  static let said = [
    "SECRET-input", "SECRET-hint", "SECRET-papers", "SECRET-record", "SECRET-webhook", "SECRET-about", "SECRET-verdict",
    "SECRET-output", "SECRET-reason", "SECRET-note", "SECRET-trace", "SECRET-error",
  ]
  static let indexed = ["SECRET-label", "SECRET-assignee", "SECRET-person", "SECRET-principal"]

  /// Brings a flow to the question of its last step.
  static func talk(_ flows: RegisteredFlow<String, String>, on host: FlowHost, _ id: FlowID) async throws {
    let person = Principal(id: "SECRET-principal")
    try await flows.start(
      id: id, with: "SECRET-input", labels: ["customer": "SECRET-person", "region": "north"],
      trace: ["traceparent": "SECRET-trace"], by: person)
    let handle = host.flow(id)
    let first = try await handle.settled().questions[0].id
    try await handle.reassign(
      first, to: ["SECRET-assignee"], reason: "SECRET-reason", by: Principal(id: "operator"), key: "r")
    try await handle.answer(first, with: Papers(text: "SECRET-papers"), by: person, key: "a")
    _ = try await handle.settled()
    try await handle.send("SECRET-webhook", to: webhook, key: "w", by: person)
    _ = try await handle.settled()
    try await handle.note("SECRET-note", by: Principal(id: "operator"))
  }
}
