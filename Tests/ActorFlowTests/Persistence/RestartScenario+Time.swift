@testable import ActorFlow

// Scenarios of timers, failures and signals.
extension RestartScenario {
  static let timing: [RestartScenario] = [
    RestartScenario("a timeout with a recovery", at("t") { run, _ in try await run.fireNextTimer() }) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Flow<String, String> {
          tracedCharger("b", trace)
          tracedAsker("t", trace)
        }
        .timeout(.seconds(60))
        .recover { _ in "late" }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a timeout that is not reached") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Flow<String, String> {
          tracedCharger("b", trace)
          tracedAsker("c", trace)
        }
        .timeout(.seconds(60))
        tracedAsker("d", trace)
      }
    },
    RestartScenario("a timeout that nothing recovers", at("t") { run, _ in try await run.fireNextTimer() }) { trace in
      Flow("f") {
        tracedCharger("b", trace)
        tracedAsker("t", trace).timeout(.seconds(60))
      }
      .onFailure(.rollBack)
    },
    RestartScenario(
      "retries with a pause",
      at("b") { run, question in
        let isLate = await run.coordinator.timetable.now >= .seconds(15)
        try await run.coordinator.answer(question.id, with: isLate ? "ok" : "no")
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Flow<String, String> {
          tracedCharger("c", trace)
          tracedStep("b", trace) { input, context in
            let answer = try await context.ask(Form(text: input))
            if answer == "no" { throw Failure("no") }
            return input + answer
          }
        }
        .retry(4, backoff: .constant(.seconds(10)))
        tracedAsker("d", trace)
      }
    },
    RestartScenario(
      "retries of one step with a pause",
      at("b") { run, question in
        let isLate = await run.coordinator.timetable.now >= .seconds(15)
        try await run.coordinator.answer(question.id, with: isLate ? "ok" : "no")
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedStep("b", trace) { input, context in
          let receipt = try await context.once("charge") { key in
            trace.add("once \(key)")
            return "r"
          }
          let answer = try await context.ask(Form(text: input))
          if answer == "no" { throw Failure("no") }
          return input + receipt + answer
        }
        .retry(4, backoff: .constant(.seconds(10)))
        tracedAsker("d", trace)
      }
    },
    RestartScenario("retries that end in a recovery, with a backUp that throws") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Flow<String, String> {
          tracedCharger("c", trace)
          tracedStep("u", trace, backUpError: Failure("cannot undo")) { input, _ in input }
          tracedStep("b", trace) { input, context in
            throw Failure(try await context.ask(Form(text: input)))
          }
        }
        .retry(2)
        .recover { "recovered from \($0)" }
        tracedAsker("d", trace)
      }
    },
    RestartScenario("nobody answers, and the flow expires", at("b") { run, _ in try await run.fireNextTimer() }) {
      trace in
      Flow("f") {
        tracedCharger("a", trace)
        Flow<String, String> {
          tracedAsker("b", trace)
          tracedAsker("c", trace)
        }
        .expires(afterIdle: .seconds(100))
      }
    },
    RestartScenario("a question with a deadline", at("b") { run, _ in try await run.fireNextTimer() }) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedStep("b", trace) { input, context in
          let answer = try await context.ask(Form(text: input), within: .seconds(30)) ?? "late"
          return input + answer + (try await context.ask(Form(text: answer), within: .seconds(30)) ?? "later")
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("signals: early, late and too late", signalWorld) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedStep("b", trace) { input, context in
          let early = try await context.wait(for: Signal<String>("early"))
          let second = try await context.wait(for: Signal<String>("late"), within: .seconds(50)) ?? "-"
          let third = try await context.wait(for: Signal<String>("never"), within: .seconds(50)) ?? "none"
          return "\(input)\(early)\(second)\(third)"
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a question and a signal at the same time", bothWorld) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedStep("b", trace) { input, context in
          async let answer = context.ask(Form(text: input))
          async let signal = context.wait(for: Signal<String>("late"))
          let (first, second) = try await (answer, signal)
          return input + first + second + (try await context.ask(Form(text: second), key: "named"))
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a question that the step gives up", bothWorld) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedStep("b", trace) { input, context in
          let signal = try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await context.ask(Form(text: "never")) }
            group.addTask { try await context.wait(for: Signal<String>("late")) }
            defer { group.cancelAll() }
            return try await group.next() ?? "-"
          }
          return input + signal + (try await context.ask(Form(text: signal)))
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a wait that the step gives up, and the next one", givenUpWorld) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedStep("b", trace) { input, context in
          let first = try await race(context)
          let second = try await context.ask(Form(text: first))
          return "\(input)\(first)\(second)\(try await context.wait(for: Signal<String>("late")))"
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("waits that steps give up in branches", givenUpWorld) { trace in
      Flow("f") {
        Parallel {
          tracedStep("x", trace) { _, context in
            let first = try await race(context, within: .seconds(1_000))
            return first + (try await context.ask(Form(text: first)))
          }
          tracedStep("y", trace) { _, context in try await race(context) }
        } join: {
          $0 + $1
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("signals of three payments, of which the step waits for two", paymentWorld) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedStep("b", trace) { input, context in
          let paid = Signal<String>("paid")
          let second = try await context.wait(for: paid, matching: { $0.hasPrefix("2") })
          let answer = try await context.ask(Form(text: second))
          let third = try await context.wait(for: paid, matching: { $0.hasPrefix("3") }, within: .seconds(50))
          let never = try await context.wait(for: paid, matching: { $0.hasPrefix("4") }, within: .seconds(50))
          return "\(input)\(second)\(answer)\(third ?? "-")\(never ?? "never")\(try await context.wait(for: paid))"
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("nobody sends, and the flow expires", { run, _ in try await run.fireNextTimer() }) { trace in
      Flow("f") {
        tracedCharger("a", trace)
        tracedStep("b", trace) { _, context in
          _ = try await context.wait(for: Signal<String>("never"), within: .seconds(60))
          return try await context.wait(for: Signal<String>("never"))
        }
        .expires(afterIdle: .seconds(100))
      }
    },
  ]

  /// Answers the question of a step that also waits for a signal.
  private static func race(_ context: StepContext, within limit: Duration? = nil) async throws -> String {
    try await withThrowingTaskGroup(of: String.self) { group in
      group.addTask { try await context.ask(Form(text: "race")) }
      group.addTask {
        guard let limit else { return try await context.wait(for: Signal<String>("late")) }
        return try await context.wait(for: Signal<String>("late"), within: limit) ?? "nothing"
      }
      defer { group.cancelAll() }
      return try await group.next() ?? "-"
    }
  }

  /// Answers; sends a signal when the race is over and its wait given up.
  private static let givenUpWorld: World = { run, position in
    guard let asked = position.questions.min(by: { $0.step.path < $1.step.path }) else { return }
    if (asked.prompt as? Form)?.text == "race" {
      // Both are open before one of them is over.
      guard position.waits.contains(where: { $0.step == asked.step }) else { return }
    } else if asked.step.name == "b" {
      _ = try await run.coordinator.send("2", to: Signal<String>("late"), key: "2")
    }
    try await run.answerIt(asked)
  }

  /// Sends a signal for each payment. The first two come before the step waits, or while it waits for another one.
  private static let paymentWorld: World = { run, position in
    @discardableResult
    func send(_ payment: Int) async throws -> Delivery {
      try await run.coordinator.send("\(payment) paid", to: Signal<String>("paid"), key: "\(payment)")
    }
    if let question = position.questions.first {
      if question.step.name == "a" { try await send(1) }
      if question.step.name == "b" { try await send(3) }
      return try await run.answerIt(question)
    }
    if try await send(2) == .duplicate { try await run.fireNextTimer() }
  }

  private static let signalWorld: World = { run, position in
    if let question = position.questions.first {
      if question.step.name == "a" {
        _ = try await run.coordinator.send("1", to: Signal<String>("early"), key: "k")
      }
      return try await run.answerIt(question)
    }
    guard let wait = position.waits.first else { throw Failure("nobody waits") }
    if wait.signal == "late" {
      _ = try await run.coordinator.send("2", to: Signal<String>("late"))
    } else {
      try await run.fireNextTimer()
    }
  }

  /// Sends the awaited signal before it answers.
  private static let bothWorld: World = { run, position in
    if (position.questions.first?.prompt as? Form)?.text == "never", position.waits.isEmpty { return }
    if position.waits.isEmpty { return try await answer(run, position) }
    if let question = position.questions.first, (question.prompt as? Form)?.text != "never" {
      return try await run.answerIt(question)
    }
    _ = try await run.coordinator.send("2", to: Signal<String>("late"))
  }
}
