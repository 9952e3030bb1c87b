import ActorFlow

// Scenarios of components.
extension RestartScenario {
  static let composing: [RestartScenario] = [
    RestartScenario("steps") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        tracedCharger("b", trace)
        tracedAsker("c", trace)
      }
    },
    RestartScenario("branches") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Parallel {
          tracedAsker("x", trace)
          Flow<String, String>("y") {
            tracedAsker("y1", trace)
            tracedCharger("y2", trace)
          }
        } join: {
          $0 + "|" + $1
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a race whose loser has done something", at("y1") { try await $0.answerIt($1) }) { trace in
      Flow("f") {
        tracedCharger("a", trace)
        Race {
          Flow<String, String>("y") {
            tracedAsker("y1", trace)
            tracedCharger("y2", trace)
            tracedAsker("y3", trace)
          }
          Flow<String, String>("x") { tracedAsker("x1", trace) }
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("for each") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        ForEach({ (_: String) in ["1", "2", "3"] }) {
          tracedAsker("b", trace)
          tracedCharger("c", trace)
        }
        .map { $0.joined(separator: "|") }
        tracedAsker("d", trace)
      }
    },
    RestartScenario("for each until two are done") { trace in
      Flow("f") {
        ForEach({ (_: String) in ["1", "2", "3"] }) {
          tracedAsker("b", trace)
        } until: { (results: [String], open: Int) in
          results.count == 2 ? .done(results.joined(separator: "|")) : .goOn
        }
        tracedAsker("d", trace)
      }
    },
    RestartScenario("for each of nothing") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        ForEach({ (_: String) in [String]() }) { tracedAsker("b", trace) }.map { "\($0)" }
        tracedAsker("d", trace)
      }
    },
    RestartScenario("forks in forks") { trace in
      Flow("f") {
        Parallel {
          Flow<String, String>("x") {
            Race {
              tracedAsker("x1", trace)
              tracedAsker("x2", trace)
            }
            tracedCharger("x3", trace)
          }
          Flow<String, String>("y") {
            ForEach({ (text: String) in [text + "1", text + "2"] }) { tracedAsker("y1", trace) }.map { $0.joined() }
          }
        } join: {
          $0 + "|" + $1
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a loop") { trace in
      Flow("f") {
        Loop {
          tracedAsker("a", trace)
          tracedCharger("b", trace)
          Step("more") { (text: String) -> Again<String, String> in text.count < 12 ? .again(text) : .done(text) }
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("a choice, a route and types") { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Switch {
          Case("long", where: { (text: String) in text.count > 1 }) { tracedAsker("long", trace) }
          Otherwise { tracedAsker("short", trace) }
        }
        Step("which") { (text: String) -> OneOf2<String, Int> in text.count > 5 ? .second(text.count) : .first(text) }
        Route {
          When(String.self) { tracedAsker("text", trace) }
          When(Int.self) {
            Step("number") { (number: Int, context: StepContext) in
              "\(number)" + (try await context.ask(Form(text: "\(number)")))
            }
          }
        }
        tracedAsker("z", trace)
      }
    },
    RestartScenario("a hub", hubWorld) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Hub(tracedStep("menu", trace) { input, context in input + (try await context.ask(Form(text: input))) }) {
          Case("edit", { (pick: String) in pick.hasSuffix("edit") ? pick : nil }) {
            tracedAsker("edit", trace)
            tracedCharger("save", trace)
          }
        } done: { (pick: String) -> String? in
          pick.hasSuffix("done") ? pick : nil
        }
        tracedAsker("z", trace)
      }
    },
    RestartScenario("a hub whose menu began its visit with an update", updatedHubWorld) { trace in
      Flow("f") {
        Hub(Step("menu") { PersistedMenu(trace) }) {
          Case("edit", { (pick: String) in pick.hasSuffix("edit") ? pick : nil }) { tracedAsker("edit", trace) }
        } done: { (pick: String) -> String? in
          pick.hasSuffix("done") ? pick : nil
        }
        tracedStep("c", trace) { input, context in
          if !input.contains("8") { try await context.backUp(to: PersistedMenu.self, delivering: 8) }
          return input
        }
      }
    },
    RestartScenario("an update that is sent to a step whose visit began with one") { trace in
      Flow("f") {
        Step("basket") { PersistedPair(trace) }
        tracedStep("c", trace) { input, context in
          if !input.contains("8") { try await context.backUp(to: PersistedPair.self, delivering: 8) }
          return input + (try await context.ask(Form(text: input)))
        }
        tracedStep("d", trace) { input, context in
          let answer = try await context.ask(Form(text: input))
          try await context.send(5, to: PersistedPair.self)
          return input + answer
        }
      }
    },
    RestartScenario(
      "steps that are skipped, and one of them stays on the stack",
      at("d") { run, question in
        if question.visit.number < 6 { return try await run.coordinator.backUp() }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        tracedAsker("a", trace)
        Step("b") { Skipper(with: "skipped", trace) }.onBackUp(.returnableIfSkipped)
        tracedCharger("c", trace).onBackUp(.passThrough)
        Step("s") { Skipper(with: "skipped as well", trace) }
        tracedAsker("d", trace)
      }
    },
    RestartScenario("steps without input that let the value through") { trace in
      func asker(_ name: String) -> Step<Void, Int> {
        Step(name) { (_: Void, context: StepContext) in try await context.ask(Form(text: "-")).count }
      }
      return Flow("f") {
        asker("first").passingThrough()
        tracedAsker("a", trace)
        asker("b").passingThrough()
        Flow("g") {
          tracedCharger("c", trace).passingThrough()
          asker("d").retry(2)
        }
        .passingThrough()
        asker("y").passingThrough()
        tracedAsker("z", trace)
      }
    },
    RestartScenario("steps that finish their flow early") { trace in
      func exit(_ name: String, when text: String) -> Step<String, Exit<String, String>> {
        Step(name) { (input: String, context: StepContext) -> Exit<String, String> in
          let answer = try await context.ask(Form(text: input))
          return input.contains(text) ? .finish(input + "!") : .proceed(input + answer)
        }
      }
      return Flow("f") {
        Flow("g", finishingWith: String.self) {
          tracedAsker("a", trace)
          exit("b", when: "never")
          tracedCharger("c", trace)
          exit("d", when: "(b)")
          tracedAsker("e", trace)
        }
        Switch {
          Case("never", where: { (text: String) in text.isEmpty }) { tracedAsker("y", trace) }
          Otherwise {}
        }
        tracedAsker("z", trace)
      }
    },
    RestartScenario("what is carried and mapped") { trace in
      Flow("f") {
        Flow {
          tracedAsker("a", trace)
          tracedAsker("b", trace).carrying { "(\($0)|\($1))" }
          tracedCharger("c", trace)
        }
        .carrying { "\($0)→\($1)" }
        .map { $0 + "!" }
        tracedAsker("d", trace)
      }
    },
  ]

  private static let updatedHubWorld: World = { run, position in
    guard let question = position.questions.first else { throw Failure("nothing is asked") }
    let text = (question.prompt as? Form)?.text ?? ""
    let pick = text.hasSuffix("8") && !text.contains("(edit)") ? "edit" : "done"
    try await run.coordinator.answer(question.id, with: question.step.name == "menu" ? pick : "(edit)")
  }

  private static let hubWorld: World = { run, position in
    guard let question = position.questions.first else { throw Failure("nothing is asked") }
    let text = (question.prompt as? Form)?.text ?? ""
    let pick = text.contains("edit") ? "done" : "edit"
    try await run.coordinator.answer(question.id, with: question.step.name == "menu" ? pick : "(\(question.step.name))")
  }
}

extension PersistedRun {
  /// Answers with the step's name.
  func answerIt(_ question: Question) async throws {
    try await coordinator.answer(question.id, with: "(\(question.step.name))")
  }
}
