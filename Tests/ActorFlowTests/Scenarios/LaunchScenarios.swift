import ActorFlow
import Testing

@Suite("Scenarios: launch") struct LaunchScenarios {
  @Test("SC-001 launching enters the first step once, from nowhere")
  func launch() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
      Step("c") { Asker() }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      let position = try await coordinator.settled()
      #expect(position.step == "a")
      #expect(position.stack.map(\.step) == ["a"])
      #expect(position.questions.map(\.step) == ["a"])
      try await coordinator.abandon(rollingBack: false)
    }
    let moves = await allEvents(of: coordinator).compactMap { event in
      if case .moved(let from, let to) = event.change { (from: from?.step, to: to.step) } else { nil }
    }
    #expect(moves.count == 1)
    #expect(moves.first?.from == nil)
    #expect(moves.first?.to == "a")
  }

  @Test("RX-01 the input of a flow is handled exactly once, however many watchers there are")
  func initialInputOnce() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("home") { Automatic(trace) }
      Step("feed") { Asker(trace) }
    }
    let coordinator = FlowCoordinator()
    async let early = allEvents(of: coordinator)
    _ = try await running(flow, with: "s", on: coordinator) { try await $0.answerNext("1") }
    let late = await allEvents(of: coordinator)
    #expect(trace.all == ["home:proceed(s)", "feed:proceed(shome)"])
    #expect(await early.map(\.change.line) == late.map(\.change.line))
    #expect(late.count { $0.change.line == "launched" } == 1)
  }

  @Test("FS-05 a step without interaction proceeds to the next one at once")
  func immediate() async throws {
    let flow = Flow {
      Step("a") { Automatic() }
      Step("b") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { try await $0.answerNext("1", at: "b") }
    #expect(try result.get() == "sa1")
    #expect(
      await allEvents(of: coordinator).map(\.change.line) == [
        "launched", "moved -→a", "moved a→b", "asked b", "answered", "finished",
      ])
  }

  @Test("SC-004 a flow without input is launched with nothing")
  func launchWithoutInput() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { NoInputStep(trace) }
      Step("b") { Automatic(trace) }
    }
    #expect(try await FlowCoordinator().run(flow) == "ab")
    #expect(trace.all == ["a:proceed()", "b:proceed(a)"])
  }

  @Test("SC-007 a step that takes anything, or nothing, gets a string unchanged")
  func optionalAny() async throws {
    let flow = Flow {
      Step("a") { (input: (any Sendable)?) in
        if let input { "got a \(type(of: input)): \(input)" } else { "got nothing" }
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: "text") == "got a String: text")
    #expect(try await FlowCoordinator().run(flow, with: nil) == "got nothing")
  }

  @Test("SC-008 nil as an input is a value, and not the same as no input")
  func explicitNil() async throws {
    let optional = Flow {
      Step("a") { (input: Int?) in input }
      Step("b") { (input: Int?) in "b got \(input.map(String.init) ?? "nil")" }
    }
    #expect(try await FlowCoordinator().run(optional, with: nil) == "b got nil")
    #expect(try await FlowCoordinator().run(optional, with: 7) == "b got 7")
    let none = Flow { Step("a") { (_: Void) in "nothing" } }
    #expect(try await FlowCoordinator().run(none) == "nothing")
    let nested = Flow { Step("a") { (input: Int??) in input == .some(nil) } }
    #expect(try await FlowCoordinator().run(nested, with: .some(nil)))
    #expect(try await FlowCoordinator().run(nested, with: nil) == false)
  }

  @Test("SC-011, FS-31 two runs of one definition share nothing")
  func independentRuns() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    let other = FlowCoordinator()
    let first = try await running(flow, with: "x") { first in
      try await first.answerNext("1")
      let second = try await running(flow, with: "y", on: other) { second in
        #expect(try await second.focus() == "a")
        #expect(try await first.focus() == "b")
        try await second.answerNext("2")
        #expect(try await second.focus() == "b")
        // Both have asked twice, but the question of one is unknown to the other.
        let theirs = try #require(await first.position.questions.first)
        #expect(await code { try await second.answer(theirs.id, with: "no") } == .noSuchQuestion)
        try await second.answerNext("3")
      }
      #expect(try second.get() == "y23")
      #expect(try await first.focus() == "b")
      try await first.answerNext("4")
    }
    #expect(try first.get() == "x14")
  }

  @Test("SC-011 a coordinator that runs a flow refuses another, and the first one continues")
  func alreadyRunning() async throws {
    let flow = Flow { Step("a") { Asker() } }
    let result = try await running(flow, with: "x") { coordinator in
      _ = try await coordinator.settled()
      #expect(await code { _ = try await coordinator.run(flow, with: "y") } == .alreadyRunning)
      try await coordinator.answerNext("1")
    }
    #expect(try result.get() == "x1")
  }

  @Test("SC-012 a flow that has finished starts from its first step when it is launched again")
  func launchAgain() async throws {
    let trace = Trace()
    let coordinator = FlowCoordinator()
    for round in 1...3 {
      // A coordinator whose run has ended is settled; only the flow's first step shows that the next run has begun.
      let begun = Checkpoint()
      let flow = Flow {
        Step("a") { () -> Asker in
          begun.open()
          return Asker(trace)
        }
        Step("b") { Asker(trace) }
      }
      let result = try await running(flow, with: "s", on: coordinator) { coordinator in
        await begun.pass()
        try await coordinator.answerNext("1", at: "a")
        try await coordinator.answerNext("\(round)", at: "b")
      }
      #expect(try result.get() == "s1\(round)")
    }
    #expect(trace.all == Array(repeating: ["a:proceed(s)", "b:proceed(s1)"], count: 3).flatMap { $0 })
    #expect(await allEvents(of: coordinator).first?.run == 3)
  }

  @Test("SC-013 nothing is created and nothing is shown until the flow is run")
  func delayedLaunch() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { () -> Asker in
        trace.add("make a")
        return Asker(trace)
      }
    }
    let coordinator = FlowCoordinator()
    let watcher = Task { await allEvents(of: coordinator) }
    #expect(trace.all.isEmpty)
    #expect(await coordinator.position.status == .idle)
    #expect(await coordinator.position.stack.isEmpty)
    #expect(await code { try await coordinator.backUp() } == .notRunning)
    #expect(await code { try await coordinator.abandon() } == .notRunning)
    #expect(await code { try await coordinator.answer(Form.self, with: "1") } == .notRunning)
    _ = try await running(flow, with: "s", on: coordinator) { try await $0.answerNext("1") }
    #expect(trace.all == ["make a", "a:proceed(s)"])
    #expect(await watcher.value.map(\.sequence) == [1, 2, 3, 4, 5])
  }

  @Test("SC-014 a flow whose type is erased behaves like the typed one")
  func erased() async throws {
    let one: any FlowComponent<Int, String> = Step("a") { (number: Int) in "\(number)" }
    let many: any FlowComponent<Int, String> = Flow("many") {
      Step("a") { (number: Int) in Double(number) / 2 }
      Step("b") { (half: Double) in [half, half] }
      Step("c") { (halves: [Double]) in "\(halves)" }
    }
    #expect(try await FlowCoordinator().run(one, with: 3) == "3")
    #expect(try await FlowCoordinator().run(many, with: 3) == "[1.5, 1.5]")
    #expect(many.flow.steps == ["many/a", "many/b", "many/c"])
  }
}
