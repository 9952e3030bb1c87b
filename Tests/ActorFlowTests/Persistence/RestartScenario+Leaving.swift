import ActorFlow

// Scenarios of backs and endings.
extension RestartScenario {
  static let leaving: [RestartScenario] = [
    RestartScenario(
      "a plain back",
      at("c") { run, question in
        if question.visit.number < 4 { return try await run.coordinator.backUp() }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedCharger("b", trace)
        tracedAsker("c", trace)
      }
    },
    RestartScenario(
      "a back to a name, over branches",
      at("d") { run, question in
        if question.visit.number < 8 { return try await run.coordinator.backUp(to: "a") }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Parallel {
          tracedAsker("x", trace)
          tracedCharger("y", trace)
        } join: {
          $0 + "|" + $1
        }
        tracedCharger("c", trace)
        tracedAsker("d", trace)
      }
    },
    RestartScenario(
      "a back from a question of a branch",
      at("x2") { run, question in
        if question.visit.number < 8 { return try await run.coordinator.backUp(from: question.id) }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Parallel {
          Flow<String, String>("x") {
            tracedAsker("x1", trace)
            tracedCharger("xc", trace)
            tracedAsker("x2", trace)
          }
          tracedAsker("y", trace)
        } join: {
          $0 + "|" + $1
        }
      }
    },
    RestartScenario("an update that a step sends, and one that it goes back with") { trace in
      Flow("f") {
        Step("basket") { PersistedBasket(trace) }
        tracedCharger("b", trace)
        tracedStep("c", trace) { input, context in
          let answer = try await context.ask(Form(text: input))
          if !input.contains("8") { try await context.backUp(to: PersistedBasket.self, delivering: 8) }
          return input + answer
        }
      }
    },
    RestartScenario(
      "an update that is sent while the flow stands still"
    ) { trace in
      Flow("f") {
        Step("basket") { PersistedBasket(trace) }
        tracedStep("c", trace) { input, context in
          try await context.send(5, to: PersistedBasket.self)
          return input + (try await context.ask(Form(text: input)))
        }
      }
    },
    RestartScenario("abandoned", at("c") { run, _ in try? await run.coordinator.abandon(reason: "why") }) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedCharger("b", trace)
        Parallel {
          tracedCharger("x", trace)
          tracedCharger("y", trace)
        } join: {
          $0 + $1
        }
        tracedStep("u", trace, backUpError: Failure("cannot undo")) { input, _ in input }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("abandoned in branches", at("x2") { run, _ in try? await run.coordinator.abandon(reason: "why") }) {
      trace in
      Flow("f") {
        tracedAsker("a", trace)
        Parallel {
          Flow<String, String>("x") {
            tracedCharger("x1", trace)
            tracedAsker("x2", trace)
          }
          Flow<String, String>("y") {
            tracedCharger("y1", trace)
            tracedAsker("y2", trace)
          }
        } join: {
          $0 + $1
        }
      }
    },
    RestartScenario(
      "abandoned without a rollback",
      at("c") { run, _ in
        try? await run.coordinator.abandon(reason: "why", rollingBack: false)
      }
    ) { trace in
      Flow("f") {
        tracedCharger("b", trace)
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a failure that rolls back") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedCharger("b", trace)
        tracedStep("c", trace) { input, context in
          _ = try await context.once("try") { key in trace.add("once \(key)") }
          throw Failure(try await context.ask(Form(text: input)))
        }
      }
      .onFailure(.rollBack)
    },
    RestartScenario("a branch that fails and rolls back") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Parallel {
          tracedCharger("x", trace)
          Flow<String, String>("y") {
            tracedAsker("y1", trace)
            tracedStep("y2", trace) { _, _ in throw Failure("y2") }
          }
        } join: {
          $0 + $1
        }
      }
      .onFailure(.rollBack)
    },
    RestartScenario("a step that abandons") { trace in
      Flow("f") {
        tracedCharger("a", trace)
        tracedStep("b", trace) { input, context in
          let answer = try await context.ask(Form(text: input))
          try await context.abandon(answer)
        }
      }
    },
    RestartScenario("several questions in one visit, with keys and without") { trace in
      Flow("f") {
        tracedStep("b", trace) { input, context in
          var text = input
          for number in 1...3 { text += try await context.ask(Form(text: "\(number)")) }
          text += try await context.ask(Form(text: "key"), key: "k1")
          _ = try await context.once("charge") { key in trace.add("once \(key)") }
          text += try await context.ask(Form(text: text), key: "k2")
          return text
        }
        tracedAsker("c", trace)
      }
    },
  ]

  static let policies: [RestartScenario] = [
    (BackUpPolicy.automatic, "automatic"), (.returnable, "returnable"), (.passThrough, "passThrough"),
    (.returnableIfSkipped, "returnableIfSkipped"), (.oneWay, "oneWay"), (.settling, "settling"),
  ].flatMap { policy, name in
    [false, true].map { isSkipped in
      RestartScenario("\(isSkipped ? "skipped" : "entered"), \(name)", policyWorld) { trace in
        Flow("f") {
          tracedAsker("a", trace)
          tracedCharger("b", trace)
          Step("s") { Skipper(with: isSkipped ? "skipped" : nil, trace) }.onBackUp(policy)
          tracedAsker("d", trace)
          tracedAsker("z", trace)
        }
      }
    }
  }

  /// Backs up from `d` while it can, up to a number of visits; then abandons.
  private static let policyWorld: World = { run, position in
    guard let question = position.questions.first else { return try await answer(run, position) }
    switch question.step.name {
    case "d" where position.canBackUp && question.visit.number < 7: try await run.coordinator.backUp()
    case "z": try? await run.coordinator.abandon(reason: "why")
    default: try await run.answerIt(question)
    }
  }
}
