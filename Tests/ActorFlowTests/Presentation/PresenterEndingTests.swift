import ActorFlow
import Testing

@Suite("Presenters: the ending of a presented run") struct PresenterEndingTests {
  /// Throws at every event of which `line` is the line.
  private static func failing(at line: String) -> Shows {
    Shows { event, _ in
      if event.change.line == line { throw Failure(line) }
      return false
    }
  }

  @Test(
    "a presenter that throws abandons the flow: it is rolled back, run throws that error, and the others see the end")
  func throwing() async throws {
    let (terminal, trace, coordinator) = (Terminal(), Trace(), FlowCoordinator())
    let result = try await running(
      asking("a", "b", trace: trace), with: "", presentedBy: [Self.failing(at: "asked b"), terminal], on: coordinator
    ) { coordinator in
      try await coordinator.answerNext("1", at: "a")
    }
    #expect(error(of: result) as? Failure == Failure("asked b"))
    #expect(trace.all.suffix(2) == ["b:backUp", "a:backUp"])
    #expect(
      await coordinator.position.status
        == .ended(.abandoned(reason: "a presenter failed at event 6: asked b")))
    #expect(
      terminal.lines.all == [
        "launched", "moved -→a", "asked a", "answered", "moved a→b", "leaving b abandoned",
        "abandoned a presenter failed at event 6: asked b", "rolledBack 0",
      ])
  }

  @Test("of several errors of presenters the first is thrown")
  func throwingTwice() async throws {
    let presenters = [Self.failing(at: "asked a"), Self.failing(at: "rolledBack 0")]
    let result = try await running(asking("a"), with: "", presentedBy: presenters)
    #expect(error(of: result) as? Failure == Failure("asked a"))
  }

  @Test("a presenter that throws before the first step was entered ends the flow as well")
  func throwingAtOnce() async throws {
    let hold = Checkpoint()
    let flow = Flow {
      Step("a") {
        await hold.pass()
        return Asker()
      }
    }
    let presenter = Shows { event, _ in
      defer { hold.open() }
      if case .launched = event.change { throw Failure("launched") }
      return true
    }
    #expect(error(of: try await running(flow, with: "", presentedBy: [presenter])) as? Failure == Failure("launched"))
  }

  @Test("a flow that has finished returns its output, even if a presenter throws afterwards")
  func throwingAfterTheEnd() async throws {
    let flow = Flow { Step("a") { Automatic() } }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow, with: "", presentedBy: [Self.failing(at: "finished")]) == "a")
    #expect(await coordinator.position.status == .ended(.finished))
  }

  @Test("an error of a step is not replaced by one of a presenter")
  func throwingWhileFailing() async throws {
    let flow = Flow { Step("a") { (_: String) -> String in throw Failure("step") } }
    let result = try await running(flow, with: "", presentedBy: [Self.failing(at: "failed a")])
    #expect(error(of: result) as? Failure == Failure("step"))
  }

  @Test("cancelling the caller ends the flow, and the presenters get the events to the last one, in a cancelled task")
  func cancelled() async throws {
    let (terminal, inside, last) = (Terminal(), Checkpoint(), Collected<Bool>())
    let presenter = Shows { event, _ in
      if case .rolledBack = event.change { last.append(Task.isCancelled) }
      if case .asked = event.change { inside.mark() }
      return false
    }
    let flow = asking("a")
    let run = Task { try await FlowCoordinator().run(flow, with: "", presentedBy: [presenter, terminal]) }
    await inside.reached()
    run.cancel()
    #expect(await error(of: run) is CancellationError)
    #expect(
      terminal.lines.all == ["launched", "moved -→a", "asked a", "leaving a cancelled", "cancelled", "rolledBack 0"])
    #expect(last.all == [true])
  }

  @Test("a presenter that returns because the caller was cancelled does not change the ending")
  func cancelledPresenter() async throws {
    let inside = Checkpoint()
    let patient = Shows { event, coordinator in
      guard case .asked = event.change else { return true }
      inside.mark()
      for await event in coordinator.events where event.sequence > 1_000 {}
      try Task.checkCancellation()
      return true
    }
    let (flow, coordinator) = (asking("a"), FlowCoordinator())
    let run = Task { try await coordinator.run(flow, with: "", presentedBy: [patient]) }
    await inside.reached()
    run.cancel()
    #expect(await error(of: run) is CancellationError)
    #expect(await coordinator.position.status == .ended(.cancelled))
  }

  @Test("called in a cancelled task, or during another run, run throws and nothing is presented")
  func neverBegun() async throws {
    let (terminal, flow) = (Terminal(), asking("a"))
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await FlowCoordinator().run(flow, with: "", presentedBy: [terminal])
    }
    #expect(await error(of: late) is CancellationError)
    _ = try await running(flow, with: "") { coordinator in
      _ = try await coordinator.settled()
      #expect(
        await code { _ = try await coordinator.run(flow, with: "", presentedBy: [terminal]) } == .alreadyRunning)
      try await coordinator.answerNext("1")
    }
    #expect(terminal.lines.all.isEmpty)
  }

  @Test("run returns when the last event was presented, not before")
  func waitsForTheLast() async throws {
    let (gate, order) = (Checkpoint(), Trace())
    let slow = Shows { event, _ in
      guard case .finished = event.change else { return true }
      await gate.pass()
      order.add("presented")
      return true
    }
    let coordinator = FlowCoordinator()
    let run = Task {
      let output = try await coordinator.run(Flow { Step("a") { Automatic() } }, with: "", presentedBy: [slow])
      order.add("returned")
      return output
    }
    await gate.reached()
    #expect(await coordinator.position.status == .ended(.finished))
    gate.open()
    #expect(try await run.value == "a")
    #expect(order.all == ["presented", "returned"])
  }

  @Test("a flow that needs no input is presented as any other")
  func withoutInput() async throws {
    let terminal = Terminal()
    #expect(try await FlowCoordinator().run(Flow { Step("a") { NoInputStep() } }, presentedBy: [terminal]) == "a")
    #expect(terminal.lines.all == ["launched", "moved -→a", "finished"])
  }
}
