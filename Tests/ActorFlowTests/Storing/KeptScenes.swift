import ActorFlow

// What composes.
extension KeptScene {
  static let composing: [KeptScene] = [
    KeptScene("steps") { trace in
      Flow("f") {
        keptAsker("a", trace)
        keptCharger("b", trace)
        keptAsker("c", trace)
      }
    },
    KeptScene("branches") { trace in
      Flow("f") {
        keptAsker("a", trace)
        Parallel {
          keptAsker("x", trace)
          Flow<String, String>("y") {
            keptAsker("y1", trace)
            keptCharger("y2", trace)
          }
        } join: {
          $0 + "|" + $1
        }
        keptAsker("c", trace)
      }
    },
    KeptScene("a race whose loser has done something", at("y1") { try await $0.answerIt($1) }) { trace in
      Flow("f") {
        keptCharger("a", trace)
        Race {
          Flow<String, String>("y") {
            keptAsker("y1", trace)
            keptCharger("y2", trace)
            keptAsker("y3", trace)
          }
          Flow<String, String>("x") { keptAsker("x1", trace) }
        }
        keptAsker("c", trace)
      }
    },
    KeptScene("for each") { trace in
      Flow("f") {
        keptAsker("a", trace)
        ForEach({ (_: String) in ["1", "2", "3"] }) {
          keptAsker("b", trace)
          keptCharger("c", trace)
        }
        .map { $0.joined(separator: "|") }
        keptAsker("d", trace)
      }
    },
    KeptScene("for each until two are done") { trace in
      Flow("f") {
        ForEach({ (_: String) in ["1", "2", "3"] }) {
          keptAsker("b", trace)
        } until: { (results: [String], open: Int) in
          results.count == 2 ? .done(results.joined(separator: "|")) : .goOn
        }
        keptAsker("d", trace)
      }
    },
    KeptScene("for each of nothing") { trace in
      Flow("f") {
        keptAsker("a", trace)
        ForEach({ (_: String) in [String]() }) { keptAsker("b", trace) }.map { "\($0)" }
        keptAsker("d", trace)
      }
    },
    KeptScene("forks in forks") { trace in
      Flow("f") {
        Parallel {
          Flow<String, String>("x") {
            Race {
              keptAsker("x1", trace)
              keptAsker("x2", trace)
            }
            keptCharger("x3", trace)
          }
          Flow<String, String>("y") {
            ForEach({ (text: String) in [text + "1", text + "2"] }) { keptAsker("y1", trace) }.map { $0.joined() }
          }
        } join: {
          $0 + "|" + $1
        }
        keptAsker("c", trace)
      }
    },
    KeptScene("a loop") { trace in
      Flow("f") {
        Loop {
          keptAsker("a", trace)
          keptCharger("b", trace)
          Step("more") { (text: String) -> Again<String, String> in text.count < 12 ? .again(text) : .done(text) }
        }
        keptAsker("c", trace)
      }
    },
    KeptScene("a choice, a route and types") { trace in
      Flow("f") {
        keptAsker("a", trace)
        Switch {
          Case("long", where: { (text: String) in text.count > 1 }) { keptAsker("long", trace) }
          Otherwise { keptAsker("short", trace) }
        }
        Step("which") { (text: String) -> OneOf2<String, Int> in text.count > 5 ? .second(text.count) : .first(text) }
        Route {
          When(String.self) { keptAsker("text", trace) }
          When(Int.self) {
            Step("number") { (number: Int, context: StepContext) in
              "\(number)" + (try await context.ask(Form(text: "\(number)")))
            }
          }
        }
        keptAsker("z", trace)
      }
    },
    KeptScene("a hub", hubWorld) { trace in
      Flow("f") {
        keptAsker("a", trace)
        Hub(keptStep("menu", trace) { input, context in input + (try await context.ask(Form(text: input))) }) {
          Case("edit", { (pick: String) in pick.hasSuffix("edit") ? pick : nil }) {
            keptAsker("edit", trace)
            keptCharger("save", trace)
          }
        } done: { (pick: String) -> String? in
          pick.hasSuffix("done") ? pick : nil
        }
        keptAsker("z", trace)
      }
    },
    KeptScene("a hub whose menu began its visit with an update", updatedHubWorld) { trace in
      Flow("f") {
        Hub(Step("menu") { KeptMenu(trace) }) {
          Case("edit", { (pick: String) in pick.hasSuffix("edit") ? pick : nil }) { keptAsker("edit", trace) }
        } done: { (pick: String) -> String? in
          pick.hasSuffix("done") ? pick : nil
        }
        keptStep("c", trace) { input, context in
          if !input.contains("8") { try await context.backUp(to: KeptMenu.self, delivering: 8) }
          return input
        }
      }
    },
    KeptScene("an update that is sent to a step whose visit began with one") { trace in
      Flow("f") {
        Step("basket") { KeptPair(trace) }
        keptStep("c", trace) { input, context in
          if !input.contains("8") { try await context.backUp(to: KeptPair.self, delivering: 8) }
          return input + (try await context.ask(Form(text: input)))
        }
        keptStep("d", trace) { input, context in
          let answer = try await context.ask(Form(text: input))
          try await context.send(5, to: KeptPair.self)
          return input + answer
        }
      }
    },
    KeptScene(
      "steps that are skipped, and one of them stays on the stack",
      at("d") { run, question in
        if question.visit.number < 6 { return try await run.coordinator.backUp() }
        try await run.answerIt(question)
      }
    ) { trace in
      Flow("f") {
        keptAsker("a", trace)
        Step("b") { Skipper(with: "skipped", trace) }.onBackUp(.returnableIfSkipped)
        keptCharger("c", trace).onBackUp(.passThrough)
        Step("s") { Skipper(with: "skipped as well", trace) }
        keptAsker("d", trace)
      }
    },
    KeptScene("what is carried and mapped") { trace in
      Flow("f") {
        Flow {
          keptAsker("a", trace)
          keptAsker("b", trace).carrying { "(\($0)|\($1))" }
          keptCharger("c", trace)
        }
        .carrying { "\($0)→\($1)" }
        .map { $0 + "!" }
        keptAsker("d", trace)
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

extension Kept {
  /// Answers with the step's name.
  func answerIt(_ question: Question) async throws {
    try await coordinator.answer(question.id, with: "(\(question.step.name))")
  }
}
