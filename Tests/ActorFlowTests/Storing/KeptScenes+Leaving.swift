import ActorFlow

// Ways back, and ends.
extension KeptScene {
  static let leaving: [KeptScene] = [
    KeptScene(
      "a plain back",
      at("c") { run, question in
        if question.visit.number < 4 { return try await run.coordinator.backUp() }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        keptAsker("a", trace)
        keptCharger("b", trace)
        keptAsker("c", trace)
      }
    },
    KeptScene(
      "a back to a name, over branches",
      at("d") { run, question in
        if question.visit.number < 8 { return try await run.coordinator.backUp(to: "a") }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        keptAsker("a", trace)
        Parallel {
          keptAsker("x", trace)
          keptCharger("y", trace)
        } join: {
          $0 + "|" + $1
        }
        keptCharger("c", trace)
        keptAsker("d", trace)
      }
    },
    KeptScene(
      "a back from a question of a branch",
      at("x2") { run, question in
        if question.visit.number < 8 { return try await run.coordinator.backUp(from: question.id) }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        keptAsker("a", trace)
        Parallel {
          Flow<String, String>("x") {
            keptAsker("x1", trace)
            keptCharger("xc", trace)
            keptAsker("x2", trace)
          }
          keptAsker("y", trace)
        } join: {
          $0 + "|" + $1
        }
      }
    },
    KeptScene("an update that a step sends, and one that it goes back with") { trace in
      Flow("f") {
        Step("basket") { KeptBasket(trace) }
        keptCharger("b", trace)
        keptStep("c", trace) { input, context in
          let answer = try await context.ask(Form(text: input))
          if !input.contains("8") { try await context.backUp(to: KeptBasket.self, delivering: 8) }
          return input + answer
        }
      }
    },
    KeptScene(
      "an update that is sent while the flow stands still"
    ) { trace in
      Flow("f") {
        Step("basket") { KeptBasket(trace) }
        keptStep("c", trace) { input, context in
          try await context.send(5, to: KeptBasket.self)
          return input + (try await context.ask(Form(text: input)))
        }
      }
    },
    KeptScene("abandoned", at("c") { run, _ in try? await run.coordinator.abandon(reason: "why") }) { trace in
      Flow("f") {
        keptAsker("a", trace)
        keptCharger("b", trace)
        Parallel {
          keptCharger("x", trace)
          keptCharger("y", trace)
        } join: {
          $0 + $1
        }
        keptStep("u", trace, failingToUndo: Failure("cannot undo")) { input, _ in input }
        keptAsker("c", trace)
      }
    },
    KeptScene("abandoned in branches", at("x2") { run, _ in try? await run.coordinator.abandon(reason: "why") }) {
      trace in
      Flow("f") {
        keptAsker("a", trace)
        Parallel {
          Flow<String, String>("x") {
            keptCharger("x1", trace)
            keptAsker("x2", trace)
          }
          Flow<String, String>("y") {
            keptCharger("y1", trace)
            keptAsker("y2", trace)
          }
        } join: {
          $0 + $1
        }
      }
    },
    KeptScene(
      "abandoned without a rollback",
      at("c") { run, _ in
        try? await run.coordinator.abandon(reason: "why", rollingBack: false)
      }
    ) { trace in
      Flow("f") {
        keptCharger("b", trace)
        keptAsker("c", trace)
      }
    },
    KeptScene("a failure that rolls back") { trace in
      Flow("f") {
        keptAsker("a", trace)
        keptCharger("b", trace)
        keptStep("c", trace) { input, context in
          _ = try await context.once("try") { key in trace.add("once \(key)") }
          throw Failure(try await context.ask(Form(text: input)))
        }
      }
      .onFailure(.rollBack)
    },
    KeptScene("a branch that fails and rolls back") { trace in
      Flow("f") {
        keptAsker("a", trace)
        Parallel {
          keptCharger("x", trace)
          Flow<String, String>("y") {
            keptAsker("y1", trace)
            keptStep("y2", trace) { _, _ in throw Failure("y2") }
          }
        } join: {
          $0 + $1
        }
      }
      .onFailure(.rollBack)
    },
    KeptScene("a step that abandons") { trace in
      Flow("f") {
        keptCharger("a", trace)
        keptStep("b", trace) { input, context in
          let answer = try await context.ask(Form(text: input))
          try await context.abandon(answer)
        }
      }
    },
    KeptScene("several questions in one visit, with keys and without") { trace in
      Flow("f") {
        keptStep("b", trace) { input, context in
          var text = input
          for number in 1...3 { text += try await context.ask(Form(text: "\(number)")) }
          text += try await context.ask(Form(text: "key"), key: "k1")
          _ = try await context.once("charge") { key in trace.add("once \(key)") }
          text += try await context.ask(Form(text: text), key: "k2")
          return text
        }
        keptAsker("c", trace)
      }
    },
  ]

  static let policies: [KeptScene] = [
    (BackUpPolicy.automatic, "automatic"), (.returnable, "returnable"), (.passThrough, "passThrough"),
    (.returnableIfSkipped, "returnableIfSkipped"), (.oneWay, "oneWay"), (.settling, "settling"),
  ].flatMap { policy, name in
    [false, true].map { isSkipped in
      KeptScene("\(isSkipped ? "skipped" : "entered"), \(name)", policyWorld) { trace in
        Flow("f") {
          keptAsker("a", trace)
          keptCharger("b", trace)
          Step("s") { Skipper(with: isSkipped ? "skipped" : nil, trace) }.onBackUp(policy)
          keptAsker("d", trace)
          keptAsker("z", trace)
        }
      }
    }
  }

  /// Goes back from `d` while it can, up to a number of visits; then abandons.
  private static let policyWorld: World = { run, position in
    guard let question = position.questions.first else { return try await answer(run, position) }
    switch question.step.name {
    case "d" where position.canBackUp && question.visit.number < 7: try await run.coordinator.backUp()
    case "z": try? await run.coordinator.abandon(reason: "why")
    default: try await run.answerIt(question)
    }
  }
}
