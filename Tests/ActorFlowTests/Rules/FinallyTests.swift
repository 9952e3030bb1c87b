import ActorFlow
import Testing

@Suite("finally: a release for each passage through a component") struct FinallyTests {
  private func flow(_ trace: Trace, failing: Bool = false) -> Flow<String, String> {
    Flow {
      Step("a") { Asker(trace) }
      Flow {
        Step("b") { Asker(trace) }
        Step("c") { Asker(trace) }.map { if failing { throw Refused() } else { $0 } }
      }
      .finally("release") { input in trace.add("release(\(input))\(Task.isCancelled ? " cancelled" : "")") }
      Step("d") { Automatic(trace) }
    }
  }

  private func answer(_ coordinator: FlowCoordinator, _ count: Int) async throws {
    for _ in 0..<count {
      let position = try await coordinator.settled()
      try await coordinator.answer(try #require(position.questions.first).id, with: "!")
    }
    try await coordinator.settled()
  }

  @Test("WF-31 a release runs once when the component ends, and the flow finishes")
  func finishes() async throws {
    let trace = Trace()
    let result = try await running(flow(trace), with: "-") { try await answer($0, 3) }
    #expect(try result.get() == "-!!!d")
    #expect(trace.all.suffix(2) == ["release(-!)", "d:proceed(-!!!)"])
  }

  @Test("WF-31 a release runs once after an abandon, a cancellation and a failure, in a task that is not cancelled")
  func endings() async throws {
    for ending in ["abandon", "cancel", "fail"] {
      let trace = Trace()
      let coordinator = FlowCoordinator()
      let run = Task { [flow = flow(trace, failing: ending == "fail")] in try await coordinator.run(flow, with: "-") }
      try await answer(coordinator, 2)
      switch ending {
      case "abandon": try await coordinator.abandon()
      case "cancel": run.cancel()
      default: try await answer(coordinator, 1)
      }
      _ = await run.result
      #expect(trace.all.suffix(4) == ["c:backUp", "b:backUp", "release(-!)", "a:backUp"], "\(ending)")
      #expect(trace.all.count { $0.hasPrefix("release") } == 1)
    }
  }

  @Test("a back that stays inside runs no release; one that leaves runs it once")
  func backs() async throws {
    let trace = Trace()
    _ = try await running(flow(trace), with: "-") { coordinator in
      try await answer(coordinator, 2)
      try await coordinator.backUp()
      try await coordinator.settled()
      #expect(!trace.all.contains { $0.hasPrefix("release") })
      try await coordinator.backUp()
      #expect(await coordinator.position.step == "a")
      #expect(trace.all.count { $0.hasPrefix("release") } == 1)
      try await coordinator.abandon()
    }
    #expect(trace.all.count { $0.hasPrefix("release") } == 1)
  }

  @Test("a failing step runs the release before a recovery around the component")
  func recovers() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("b") { (_: String) -> String in throw Refused() }
        .finally { _ in trace.add("release") }
        .recover { _ in
          trace.add("recovery")
          return "recovered"
        }
    }
    #expect(try await FlowCoordinator().run(flow, with: "-") == "recovered")
    #expect(trace.all == ["release", "recovery"])
  }

  @Test("a leave that comes while a release runs neither cancels nor repeats it")
  func leftWhileReleasing() async throws {
    let trace = Trace()
    let release = Checkpoint()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }.finally("release") { _ in
        await release.pass()
        trace.add("release\(Task.isCancelled ? " cancelled" : "")")
      }
      Step("d") { Asker(trace) }
    }
    _ = try await running(flow, with: "-") { coordinator in
      for _ in 0..<2 {
        let position = try await coordinator.settled()
        try await coordinator.answer(try #require(position.questions.first).id, with: "!")
      }
      await release.reached()
      let position = await coordinator.position
      #expect(position.step == "b" && position.canBackUp)
      async let back: Void = coordinator.backUp()
      for await event in coordinator.events { if case .leaving = event.change { break } }
      release.open()
      try await back
      #expect(await coordinator.position.step == "a")
      try await coordinator.abandon()
    }
    #expect(trace.all.count { $0.hasPrefix("release") } == 1)
    #expect(trace.all.contains("release"))
  }

  @Test("a run that starts inside a component is a passage, if the component's input is known")
  func startingInside() async throws {
    for (step, earlier) in [("b", []), ("b", [EarlierStep("a", input: "A")])] {
      let trace = Trace()
      let coordinator = FlowCoordinator()
      let run = Task { [flow = flow(trace)] in
        try await coordinator.run(flow, with: "-", startingAt: StepID(step), input: "in", after: earlier)
      }
      try await answer(coordinator, 2)
      _ = try await run.value
      #expect(trace.all.filter { $0.hasPrefix("release") } == ["release(in)"])
    }
    let error = await #expect(throws: FlowError.self) {
      try await FlowCoordinator().run(flow(Trace()), with: "-", startingAt: "c", input: "in")
    }
    #expect(error?.code == .noSuchStep)
  }

  @Test("a passage contains the earlier steps inside the component: a back to them runs no release, one before it does")
  func startingOverStepsInside() async throws {
    let trace = Trace()
    let whole = flow(trace).finally("whole") { trace.add("release whole") }
    let coordinator = FlowCoordinator()
    let run = Task {
      try await coordinator.run(
        whole, with: "-", startingAt: "b", input: "in", after: [EarlierStep("a", input: "A")])
    }
    try await coordinator.settled()
    try await coordinator.backUp()
    #expect(await coordinator.position.step == "a")
    #expect(trace.all.filter { $0.hasPrefix("release") } == ["release(in)"])
    try await coordinator.abandon()
    _ = await run.result
    #expect(trace.all.filter { $0.hasPrefix("release") } == ["release(in)", "release whole"])
  }

  @Test("the events of a component with a release fold to the coordinator's own positions")
  func folds() async throws {
    let trace = Trace()
    let coordinator = FlowCoordinator()
    async let events = allEvents(of: coordinator)
    _ = try await running(flow(trace), with: "-", on: coordinator) { try await answer($0, 3) }
    try Fold.whole(await events)
    let lines = await events.map(\.change.line)
    #expect(lines.filter { $0.hasPrefix("finalizing") } == ["finalizing release"])
  }
}
