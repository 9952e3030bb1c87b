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
    },
    RestartScenario("cards, of which the first ones fail, with the time of each", answerLater) { trace in
      Flow("f") {
        cards("cards", trace)
        tracedAsker("b", trace)
      }
    },
    RestartScenario(
      "failed attempts before a back, and an abandon",
      { run, position in
        guard let question = position.questions.first else { return }
        let visit = question.visit.number
        switch question.step.name {
        case "b" where visit < 5: try await run.coordinator.backUp()
        case "b": try? await run.coordinator.abandon()
        default: try await run.coordinator.answer(question.id, with: "(\(question.step.name))")
        }
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        cards("cards", trace)
        tracedAsker("b", trace)
      }
    },
    RestartScenario("failed attempts in branches") { trace in
      Flow("f") {
        Parallel {
          cards("x", trace)
          cards("y", trace)
        } join: {
          $0 + "|" + $1
        }
        tracedAsker("z", trace)
      }
    },
    RestartScenario("a retried step whose last attempt has failed") { trace in
      Flow("f") {
        tracedStep("a", trace) { input, context in
          let first = try await context.attempt("first") { key -> String in
            trace.add("once \(key)")
            throw Failure("no")
          }
          let time = try await context.now(key: "time").sinceStart
          let wasTried = await context.record("tried", as: Bool.self) == .done(true)
          if !wasTried { _ = try await context.once("tried") { _ in true } }
          let second = try await context.attempt("second") { _ -> String in
            if !wasTried { throw Failure("not yet") }
            return "2"
          }
          return "\(input) \(word(of: first)) \(time) \(try second.get())"
        }
        .retry(2)
        tracedAsker("b", trace)
      }
    },
  ]

  /// A step whose first two cards fail after they were charged; voids or refunds each in its `backUp`.
  private static func cards(_ name: String, _ trace: Trace) -> Step<String, String> {
    .scripted(
      name,
      backUp: { context in
        trace.add("\(name):backUp")
        for number in 1...3 {
          switch await context.record("card-\(number)", as: String.self) {
          case .none: break
          case .done, .interrupted: try await context.once("void-\(number)") { trace.add("once \($0)") }
          }
        }
      }
    ) { input, context in
      var output = input
      for number in 1...3 {
        let card = try await context.ask(Form(text: output))
        let charge = try await context.attempt("card-\(number)") { key -> String in
          trace.add("once \(key)")
          if number < 3 { throw Failure("\(card) has failed") }
          return "charged"
        }
        output += " \(word(of: charge)) at \(try await context.now(key: "at-\(number)").sinceStart)"
      }
      return output
    }
  }

  private static func word(of attempt: Attempt<String>) -> String {
    switch attempt {
    case .made(let value): value
    case .failed(let error): "\(error.typeName): \(error)"
    }
  }

  private static func text(of reply: Reply<String>) -> String {
    "\(reply.answer) by \(reply.by?.id ?? "-") at \(reply.at.sinceStart) \(reply.revision) "
      + reply.question.debugDescription
  }
}
