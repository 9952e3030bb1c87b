import ActorFlow
import Testing

@Suite("Scenarios: finish") struct FinishScenarios {
  @Test("SC-027, FL-12 when the last step proceeds, the flow finishes once, with its output")
  func finish() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
      Step("c") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      for answer in ["1", "2", "3"] { try await coordinator.answerNext(answer) }
    }
    #expect(try result.get() == "s123")
    let events = await allEvents(of: coordinator)
    #expect(events.count { $0.change.line == "finished" } == 1)
    #expect(events.last?.change.line == "finished")
    #expect(await coordinator.position.status == .ended(.finished))
  }

  @Test("SC-028 the output of the last step reaches the caller as the same object")
  func sameObject() async throws {
    final class Receipt: Sendable {}
    let made = Collected<Receipt>()
    let flow = Flow {
      Step("a") { (_: String) in
        let receipt = Receipt()
        made.append(receipt)
        return receipt
      }
    }
    let receipt = try await FlowCoordinator().run(flow, with: "s")
    #expect(receipt === made.last)
  }

  @Test("SC-031 after going back and forth several times, the flow still finishes exactly once")
  func finishOnceAfterZigzag() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
      Step("c") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      for round in 1...3 {
        try await coordinator.answerNext("a\(round)", at: "a")
        try await coordinator.answerNext("b\(round)", at: "b")
        #expect(try await coordinator.backUpAndSettle() == "b")
        try await coordinator.answerNext("B\(round)", at: "b")
        #expect(try await coordinator.backUpAndSettle() == "b")
        #expect(try await coordinator.backUpAndSettle() == "a")
      }
      for answer in ["1", "2", "3"] { try await coordinator.answerNext(answer) }
    }
    #expect(try result.get() == "s123")
    #expect(await moves(of: coordinator).count { $0 == "finished" } == 1)
  }

  @Test("SC-032 every watcher learns of the end, once each")
  func twoWatchers() async throws {
    let coordinator = FlowCoordinator()
    let flow = Flow { Step("a") { Asker() } }
    async let first = moves(of: coordinator)
    async let second = moves(of: coordinator)
    _ = try await running(flow, with: "s", on: coordinator) { try await $0.answerNext("1") }
    let expected = ["launched", "moved -→a", "finished"]
    #expect(await first == expected)
    #expect(await second == expected)
  }

  @Test("FS-27 failed, cancelled and completed with nothing are three different outcomes")
  func threeOutcomes() async throws {
    let flow = Flow {
      Step("a") { (_: String, context: StepContext) -> String? in
        let answer = try await context.ask(Form(text: "fail?"))
        if answer == "fail" { throw Refused() }
        return nil
      }
    }
    let (failing, cancelled, empty) = (FlowCoordinator(), FlowCoordinator(), FlowCoordinator())
    let failure = try await running(flow, with: "s", on: failing) { try await $0.answerNext("fail") }
    #expect(throws: Refused()) { try failure.get() }
    #expect(await failing.position.status == .ended(.failed))

    let run = Task { try await cancelled.run(flow, with: "s") }
    _ = try await cancelled.settled()
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(await cancelled.position.status == .ended(.cancelled))

    let nothing = try await running(flow, with: "s", on: empty) { try await $0.answerNext("go on") }
    #expect(try nothing.get() == nil)
    #expect(await empty.position.status == .ended(.finished))
  }

  @Test("FL-13 when a flow is ended early, the step's own handler runs first, then its backUp, then the caller's")
  func earlyEnd() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") {
        Scripted { (input: String, context) in
          do {
            return try await context.ask(Form(text: input))
          } catch {
            trace.add("b:early end")
            throw error
          }
        } backUp: { _ in
          trace.add("b:backUp")
        }
      }
    }
    let result = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1")
      #expect(try await coordinator.focus() == "b")
      try await coordinator.abandon(reason: "enough")
      trace.add("abandon returned")
    }
    #expect(code(of: result) == .abandoned)
    #expect(trace.all == ["a:proceed(s)", "b:early end", "b:backUp", "a:backUp", "abandon returned"])
  }

  @Test("FL-15 after the end every call throws flowEnded and changes nothing", arguments: [true, false])
  func verbsAfterTheEnd(finishes: Bool) async throws {
    let flow = Flow { Step("a") { Asker() } }
    let coordinator = FlowCoordinator()
    let asked = Collected<Question>()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      asked.append(try #require(try await coordinator.settled().questions.first))
      if finishes { try await coordinator.answerNext("1") } else { try await coordinator.abandon() }
    }
    let before = await allEvents(of: coordinator).count
    let question = try #require(asked.last)
    #expect(await code { try await coordinator.answer(question.id, with: "2") } == .flowEnded)
    #expect(await code { try await coordinator.answer(Form.self, with: "2") } == .flowEnded)
    #expect(await code { try await coordinator.backUp() } == .flowEnded)
    #expect(await code { try await coordinator.backUp(to: "a") } == .flowEnded)
    #expect(await code { try await coordinator.abandon() } == .flowEnded)
    #expect(await allEvents(of: coordinator).count == before)
    #expect(await coordinator.position.status == .ended(finishes ? .finished : .abandoned(reason: "")))
  }

  @Test("FL-17 a flow started right after another one on the same coordinator is not affected by the first one's end")
  func secondFlow() async throws {
    let coordinator = FlowCoordinator()
    let old = Collected<Question>()
    let first = Flow("first") { Step("a") { Asker() } }
    _ = try await running(first, with: "x", on: coordinator) { coordinator in
      old.append(try #require(try await coordinator.settled().questions.first))
      try await coordinator.abandon()
    }
    let begun = Checkpoint()
    let second = Flow("second") {
      Step("a") { () -> Asker in
        begun.open()
        return Asker()
      }
      Step("b") { Asker() }
    }
    let result = try await running(second, with: "y", on: coordinator) { coordinator in
      await begun.pass()
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.settled().stack.map(\.step) == ["second/b", "second/a"])
      let question = try #require(old.last)
      #expect(await code { try await coordinator.answer(question.id, with: "late") } == .questionClosed)
      try await coordinator.answerNext("2", at: "b")
    }
    #expect(try result.get() == "y12")
    let events = await allEvents(of: coordinator)
    #expect(events.allSatisfy { $0.run == 2 })
    #expect(events.map(\.sequence) == Array(1...events.count))
  }
}
