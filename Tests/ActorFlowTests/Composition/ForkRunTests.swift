import ActorFlow
import Testing

@Suite("Running forks") struct ForkRunTests {
  private let trace = Trace()

  private func automatic(_ name: String) -> Step<String, String> { Step(name) { Automatic(trace) } }
  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }

  @Test("the results come in the order of the branches, whichever ends first")
  func order() async throws {
    let flow = Flow("f") {
      automatic("a")
      Parallel {
        asker("b")
        automatic("c")
      }
      Step("join") { (pair: (String, String)) in "\(pair.0)|\(pair.1)" }
    }
    let run = launch(flow, with: "-")
    try await run.answer("!")
    #expect(try await run.result.get() == "-a!|-ac")
    #expect(await run.lines.last == "finished")
    #expect(await run.lines.contains("joined parallel 0"))
    #expect(!trace.all.contains { $0.hasSuffix("backUp") })
  }

  @Test("several questions are open at once, each in its branch; answers go to the one they name")
  func questions() async throws {
    let flow = Flow("f") {
      Parallel {
        asker("b")
        asker("c")
      } join: { b, c in
        "\(b)|\(c)"
      }
    }
    let run = launch(flow, with: "-")
    let position = try await run.coordinator.settled()
    #expect(position.asked.map(\.step) == ["f/parallel/b", "f/parallel/c"])
    #expect(position.branches.map(\.path) == ["f/parallel/b", "f/parallel/c"])
    #expect(await code { try await run.coordinator.answer(Form.self, with: "x") } == .ambiguousQuestion)
    try await run.coordinator.answer(position.asked[1].id, with: "2")
    try await run.coordinator.answer(position.asked[0].id, with: "1")
    #expect(try await run.result.get() == "-1|-2")
  }

  @Test(
    "a settling step in a branch settles that branch only: steps before the fork and other branches are compensated")
  func settlingInBranch() async throws {
    let flow = Flow("f") {
      automatic("before")
      Parallel {
        Flow {
          automatic("b1")
          automatic("b2").onBackUp(.settling)
          asker("b3")
        }
        Flow {
          automatic("c1")
          asker("c2")
        }
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-")
    let position = try await run.coordinator.settled()
    #expect(position.branches.map { $0.stack.map(\.step.name) } == [["b3"], ["c2", "c1"]])
    try await run.coordinator.abandon()
    _ = await run.result
    let undone = trace.all.filter { $0.hasSuffix("backUp") }
    #expect(Set(undone) == ["b3:backUp", "c2:backUp", "c1:backUp", "before:backUp"] && undone.count == 4)
    #expect(undone.last == "before:backUp")
  }

  @Test("FS-17 an empty fork joins at once")
  func empty() async throws {
    let flow = Flow("f") {
      ForEach({ (_: String) in [String]() }) { automatic("a") }
    }
    #expect(try await launch(flow, with: "-").result.get() == [])
  }

  @Test(
    "one branch fails: the sibling is cancelled and awaited, all is compensated newest first, run throws the error")
  func failure() async throws {
    let flow = Flow("f") {
      automatic("a")
      Parallel {
        asker("b")
        Step("c") { (_: String, context: StepContext) -> String in
          _ = try await context.ask(Form(text: "c"))
          throw Failure("c")
        }
      } join: { b, c in
        "\(b)|\(c)"
      }
    }
    let run = launch(flow, with: "-")
    let position = try await run.coordinator.settled()
    let question = try #require(position.questions.first { $0.step == "f/parallel/c" })
    try await run.coordinator.answer(question.id, with: "x")
    #expect(await run.error as? Failure == Failure("c"))
    #expect(trace.all == ["a:proceed(-)", "b:proceed(-a)", "b:backUp", "a:backUp"])
    let lines = await run.lines
    #expect(lines.contains("leaving parallel superseded"), "\(lines)")
    #expect(lines.suffix(2) == ["failed c", "rolledBack 0"], "\(lines)")
  }

  @Test("a race: the first result counts; the losers are cancelled, awaited and rolled back before the flow goes on")
  func race() async throws {
    let flow = Flow("f") {
      Race {
        asker("b")
        Flow("c") {
          automatic("c1")
          asker("c2")
        }
      }
      automatic("d")
    }
    let run = launch(flow, with: "-")
    let position = try await run.coordinator.settled()
    let question = try #require(position.questions.first { $0.step == "f/race/b" })
    try await run.coordinator.answer(question.id, with: "1")
    #expect(try await run.result.get() == "-1d")
    #expect(Array(trace.all.suffix(3)) == ["c2:backUp", "c1:backUp", "d:proceed(-1)"])
    let lines = await run.lines
    #expect(lines.contains("leaving race superseded") && lines.contains("joined race 0"), "\(lines)")
  }

  @Test("for each: the tally is evaluated after each result, and ends the fork; branches are numbered")
  func forEach() async throws {
    let flow = Flow("f") {
      ForEach({ (_: String) in ["x", "y", "z"] }) {
        asker("ask")
      } until: { results, open in
        results.count == 2 ? .done("\(results) \(open)") : .goOn
      }
    }
    let run = launch(flow, with: "-")
    let position = try await run.coordinator.settled()
    #expect(position.asked.map(\.step) == ["f/each/0/ask", "f/each/1/ask", "f/each/2/ask"])
    try await run.coordinator.answer(position.asked[2].id, with: "3")
    try await run.coordinator.answer(position.asked[0].id, with: "1")
    #expect(try await run.result.get() == #"["z3", "x1"] 1"#)
    #expect(trace.all.filter { $0 == "ask:backUp" }.count == 1)
  }

  @Test("a back inside a branch leaves the siblings alone; past its first step it leaves the whole fork")
  func backUp() async throws {
    let flow = Flow("f") {
      asker("a")
      Parallel {
        Flow("b") {
          asker("b1")
          asker("b2")
        }
        asker("c")
      } join: { b, c in
        "\(b)|\(c)"
      }
    }
    let run = launch(flow, with: "-")
    try await run.answer("0")
    var position = try await run.coordinator.settled()
    try await run.coordinator.answer(position.asked[0].id, with: "1")
    position = try await run.coordinator.settled()
    #expect(position.asked.map(\.step.name) == ["b2", "c"])
    #expect(await code { try await run.coordinator.backUp() } == .ambiguousBackUp)
    try await run.coordinator.backUp(from: position.asked[0].id)
    position = try await run.coordinator.settled()
    #expect(position.asked.map(\.step.name) == ["b1", "c"])
    #expect(Array(trace.all.suffix(3)) == ["b2:backUp", "b1:backUp", "b1:proceed(-0)"])
    try await run.coordinator.backUp()
    position = try await run.coordinator.settled()
    #expect(position.questions.map(\.step.name) == ["a"])
    #expect(Array(trace.all.suffix(4)) == ["b1:backUp", "c:backUp", "a:backUp", "a:proceed(-)"])
    try await run.coordinator.abandon()
    #expect(await run.code == .abandoned)
  }

  @Test("behind a joined fork a back leads to the fork as a whole, whose branches begin again")
  func backToTheFork() async throws {
    let flow = Flow("f") {
      Parallel {
        asker("b")
        automatic("c")
      } join: { b, c in
        "\(b)|\(c)"
      }
      asker("d")
    }
    let run = launch(flow, with: "-")
    try await run.answer("1")
    _ = try await run.coordinator.settled()
    try await run.coordinator.backUp()
    let position = try await run.coordinator.settled()
    #expect(position.questions.map(\.step.name) == ["b"])
    try await run.answer("2")
    try await run.answer("3")
    #expect(try await run.result.get() == "-2|-c3")
    let undone = trace.all.filter { $0.hasSuffix("backUp") }
    #expect(undone.first == "d:backUp" && undone.sorted() == ["b:backUp", "c:backUp", "d:backUp"])
  }

  @Test("an abandon while branches run compensates all of them, newest first across the branches")
  func abandon() async throws {
    let flow = Flow("f") {
      automatic("a")
      Parallel {
        Flow("b") {
          asker("b1")
          asker("b2")
        }
        Flow("c") {
          asker("c1")
          asker("c2")
        }
      } join: { b, c in
        "\(b)|\(c)"
      }
    }
    let run = launch(flow, with: "-")
    var position = try await run.coordinator.settled()
    try await run.coordinator.answer(position.asked[1].id, with: "1")
    position = try await run.coordinator.settled()
    try await run.coordinator.answer(position.asked[0].id, with: "2")
    _ = try await run.coordinator.settled()
    try await run.coordinator.abandon(reason: "enough")
    #expect(await run.code == .abandoned)
    #expect(trace.all.filter { $0.hasSuffix("backUp") }.last == "a:backUp")
    #expect(trace.all.filter { $0.hasSuffix("backUp") }.prefix(2) == ["b2:backUp", "c2:backUp"])
    #expect(await run.coordinator.position.branches.isEmpty)
  }
}

extension Position {
  /// The open questions by their steps' paths: the order in which two branches ask is undefined.
  fileprivate var asked: [Question] { questions.sorted { $0.step.path < $1.step.path } }
}
