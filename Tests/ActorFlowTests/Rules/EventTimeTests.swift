import ActorFlow
import ActorFlowTesting
import Testing

@Suite("Times of events") struct EventTimeTests {
  @Test("FS-32 begin and end of each step are events with the step's id and the time, so that durations can be read")
  func durations() async throws {
    let clock = ManualClock()
    let coordinator = FlowCoordinator(clock: clock)
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    async let events = allEvents(of: coordinator)
    clock.advance(by: .seconds(100))
    _ = try await running(flow, with: "-", on: coordinator) { coordinator in
      for seconds in [3, 5] {
        try await coordinator.settled()
        clock.advance(by: .seconds(seconds))
        try await coordinator.answer(Form.self, with: "!")
      }
    }
    let times = await events.map { ("\($0.change.line)", $0.at) }
    #expect(
      times.map { "\($0.0) \($0.1.components.seconds)" } == [
        "launched 0", "moved -→a 0", "asked a 0", "answered 3", "moved a→b 3", "asked b 3", "answered 8", "finished 8",
      ])
  }

  @Test("the events of a run count from its own start, and a late subscriber reads the same times")
  func laterRun() async throws {
    let clock = ManualClock()
    let coordinator = FlowCoordinator(clock: clock)
    for _ in 0..<2 {
      clock.advance(by: .seconds(7))
      _ = try await coordinator.run(Step("a") { Automatic() }, with: "-")
      #expect(await allEvents(of: coordinator).allSatisfy { $0.at == .zero })
    }
  }
}
