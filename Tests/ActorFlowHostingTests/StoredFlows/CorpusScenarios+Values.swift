import ActorFlow
import ActorFlowHosting

extension CorpusScenario {
  /// Large values, since format 7 apart from the body: a record that is also an output, an input and part of a prompt,
  /// and an answer.
  static let values = CorpusScenario("values", since: 7) { _ in
    Flow("values") {
      Step("fill") { (input: String, context: StepContext) in
        try await context.once("text") { _ in input + String(repeating: "text ", count: 80) }
      }
      Step("ask") { (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: input))
        let more = try await context.ask(Form(text: "more"))
        return "\(input.count) \(answer.count) \(more)"
      }
    }
  } begin: {
    try await $0.answer("ask", "\"\(String(repeating: "answer ", count: 60))\"")
  }
}
