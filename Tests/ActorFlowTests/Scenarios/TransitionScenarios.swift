import ActorFlow
import ActorFlowTesting
import Testing

/// Transitions that are refused, that have no target, or that an error causes; and transactions.
@Suite("Scenarios: transitions") struct TransitionScenarios {
  private let trace = Trace()

  @Test("WF-18 a guard that refuses: the flow stays, the step is shown again with the message, nothing was left")
  func guarded() async throws {
    let trace = trace
    let flow = Flow {
      Step("form") {
        Scripted { (input: String, context) in
          trace.add("proceed")
          let message = Handover<String>()
          async let answer = context.ask(
            CheckedForm(input) { answer in
              guard answer == "wrong" else { return }
              message.give("\(answer) is wrong")
              throw Refused()
            })
          try await context.update(CheckedForm(await message.value() ?? ""))
          return try await answer
        } backUp: { _ in
          trace.add("backUp")
        }
      }
      Step("next") { Asker(trace) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      let shown = try #require(try await coordinator.settled().questions.first)
      await #expect(throws: Refused.self) { try await coordinator.answer(shown.id, with: "wrong") }
      _ = try await firstEvent(of: coordinator) { $0.change.line == "updated form 2" }
      let again = try #require(try await coordinator.settled().questions.first)
      #expect(again.id == shown.id && again.visit == shown.visit)
      #expect((again.prompt as? CheckedForm)?.text == "wrong is wrong")
      #expect(trace.all == ["proceed"])
      try await coordinator.answer(again.id, with: "right")
      try await coordinator.answerNext("!", at: "next")
    }
    #expect(try result.get() == "right!")
    #expect(!trace.all.contains("backUp"))
  }

  @Test("WF-19 an event without a target: its action runs, the same visit is shown again, and the history is unchanged")
  func targetless() async throws {
    let trace = trace
    let flow = Flow {
      Step("first") { Asker(trace) }
      Step("cart") {
        Scripted { (input: String, context) in
          var cart = input
          while true {
            let event = try await context.ask(Form(text: cart))
            if event == "pay" { return cart }
            trace.add("add \(event)")
            cart += event
          }
        }
      }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "first")
      let before = try await coordinator.settled()
      for item in ["a", "b"] { try await coordinator.answerNext(item, at: "cart") }
      let after = try await coordinator.settled()
      #expect(after.stack == before.stack)
      #expect((after.questions.first?.prompt as? Form)?.text == "s1ab")
      try await coordinator.answerNext("pay", at: "cart")
    }
    #expect(try result.get() == "s1ab")
    #expect(trace.all.suffix(2) == ["add a", "add b"])
    #expect(await moves(of: coordinator) == ["launched", "moved -→first", "moved first→cart", "finished"])
  }

  @Test("WF-27 a failure is handled by the step's handler, else by the flow's, else it reaches the caller unchanged")
  func handlers() async throws {
    let failing: @Sendable () -> Step<String, String> = {
      Step("fail") { (_: String) -> String in throw Failure("boom") }
    }
    func flow(_ inner: some FlowComponent<String, String>) -> Flow<String, String> {
      Flow {
        inner
        Step("after") { (text: String) in "\(text), after" }
      }
    }
    let step = flow(failing().recover { "step: \($0)" }).recover { "flow: \($0)" }
    #expect(try await FlowCoordinator().run(step, with: "s") == "step: boom, after")
    let outer = flow(failing()).recover { "flow: \($0)" }
    #expect(try await FlowCoordinator().run(outer, with: "s") == "flow: boom")
    await #expect(throws: Failure("boom")) { try await FlowCoordinator().run(flow(failing()), with: "s") }
  }

  @Test("WF-28 an error in an error handler is offered to the outer handlers, once each, and never again to its own")
  func handlerFails() async throws {
    let trace = trace
    func flow(lastFails: Bool) -> Flow<String, String> {
      Flow {
        Step("fail") { (_: String) -> String in throw Failure("0") }
      }.recover { error in
        trace.add("inner \(error)")
        throw Failure("1")
      }.recover { error in
        trace.add("middle \(error)")
        throw Failure("2")
      }.recover { error in
        trace.add("outer \(error)")
        if lastFails { throw Failure("3") }
        return "rescued"
      }
    }
    #expect(try await FlowCoordinator().run(flow(lastFails: false), with: "s") == "rescued")
    #expect(trace.all == ["inner 0", "middle 1", "outer 2"])
    await #expect(throws: Failure("3")) { try await FlowCoordinator().run(flow(lastFails: true), with: "s") }
    #expect(trace.all.count == 6)
  }

  enum End: CaseIterable { case commit, abandoned, cancelled, expired }

  @Test("WF-30 a resource opened by a flow is closed at its end; other endings revert it, and a nested flow joins in")
  func unitOfWork() async throws {
    for end in End.allCases {
      let log = Trace()
      let result = try await play(unit(log), to: end)
      #expect(
        log.all == (end == .commit ? ["open", "write", "commit"] : ["open", "write", "undo", "close"]), "\(end)")
      let output = try? result.get()
      #expect(output == (end == .commit ? "!" : nil))
    }
  }

  /// A unit of work around a flow that writes in it.
  private func unit(_ log: Trace) -> Flow<Void, String> {
    Flow {
      recorded("open", undo: "close", log)
      Flow("inner") {
        recorded("write", undo: "undo", log)
        Step("ask") { (_: Void, context: StepContext) in try await context.ask(Form(text: "commit?")) }
      }
      Step("commit") { (answer: String) in
        log.add("commit")
        return answer
      }
    }.expires(afterIdle: .seconds(60))
  }

  private func recorded(_ name: String, undo: String, _ log: Trace) -> Step<Void, Void> {
    Step(name) {
      Scripted { (_: Void, context) in
        try await context.once(name) { _ in log.add(name) }
      } backUp: { context in
        if case .done = await context.record(name) { log.add(undo) }
      }
    }
  }

  private func play(_ flow: Flow<Void, String>, to end: End) async throws -> Result<String, any Error> {
    let clock = ManualClock()
    let run = launch(flow, with: (), on: FlowCoordinator(clock: clock))
    #expect(try await run.coordinator.focus() == "ask")
    switch end {
    case .commit: try await run.coordinator.answerNext("!", at: "ask")
    case .abandoned: try await run.coordinator.abandon()
    case .cancelled: run.run.cancel()
    case .expired: clock.advance(by: .seconds(60))
    }
    return await run.result
  }
}
