import ActorFlow
import ActorFlowTesting

// Scenarios of what a step is told, and must be told again.
extension RestartScenario {
  /// Answers as the principal that is named after the step, seven seconds after the question.
  private static let answerLater: World = { run, position in
    guard let question = position.questions.first else { return try await run.fireNextTimer() }
    run.clock.advance(by: .seconds(7))
    try await run.coordinator.answer(question.id, with: "!", by: Principal(id: question.step.name, roles: ["r"]))
  }

  static let replaying: [RestartScenario] = [
    RestartScenario("replies, of which the second is asked for in an `ask`", answerLater) { trace in
      Flow("f") {
        tracedStep("a", trace) { input, context in
          let first = try await context.reply(to: Form(text: input))
          let second = try await context.ask(Form(text: "\(first.at.sinceStart)"))
          let third = try await context.reply(to: Form(text: second), key: "third")
          return "\(input) \(text(of: first)) \(text(of: third))"
        }
        tracedAsker("b", trace)
      }
    }
  ]

  private static func text(of reply: Reply<String>) -> String {
    "\(reply.answer) by \(reply.by?.id ?? "-") at \(reply.at.sinceStart) \(reply.revision) "
      + reply.question.debugDescription
  }
}
