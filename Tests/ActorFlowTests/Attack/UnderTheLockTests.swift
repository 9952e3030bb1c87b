import ActorFlow
import Testing

@Suite("Code that must not run inside an input") struct UnderTheLockTests {
  @Test("the errors of a rollback that an abandon without rollback cuts short are not released inside the machine")
  func errorsOfACutRollback() throws {
    let isGone = Flag()
    var machine = FlowMachine(flow: "flow")
    let graph = Flow("f") { for name in ["a", "b"] { Step(name) { Asker() } } }.graph
    try machine.launch(graph, with: "")
    for node in graph.nodes {
      let visit = machine.enter(node, instance: Asker(), payload: Payload(""))?.visit
      _ = try machine.ask(Form(text: ""), key: nil, visit: #require(visit?.id))
      try machine.answer(#require(machine.position.questions.first?.id), with: "", by: nil)
    }
    try machine.backUp(since: .zero)
    _ = machine.turn()
    machine.compensated(Noisy(isGone))
    try machine.abandon(reason: "", rollBack: false, since: .zero)
    _ = machine.turn()
    #expect(machine.phase == .ended)
    var discarded = machine.react { _ = $0.takeResult() }.1.discarded
    #expect(!discarded.isEmpty && !isGone.isRaised, "released inside an input, and so within a turn")
    discarded = []
    #expect(isGone.isRaised)
  }

  @Test("a refused run does not change the clock of the running one")
  func refusedRun() async throws {
    let clock = StoppedClock()
    let coordinator = FlowCoordinator(clock: clock)
    let flow = Flow("f") { Step("a") { Asker() } }
    _ = try await running(flow, with: "", on: coordinator) { coordinator in
      _ = try await coordinator.settled()
      clock.advance(by: .seconds(5))
      await #expect(throws: FlowError.self) { try await coordinator.run(flow, with: "") }
      clock.advance(by: .seconds(2))
      try await coordinator.abandon(reason: "enough")
    }
    let statuses = await allEvents(of: coordinator).map(\.position.status)
    let since = statuses.compactMap { if case .leaving(_, let since) = $0 { since } else { nil } }
    #expect(since == [.seconds(7)])
  }
}

private final class Noisy: Error {
  private let isGone: Flag
  init(_ isGone: Flag) { self.isGone = isGone }
  deinit { isGone.raise() }
}

/// A clock that moves only on request.
private final class StoppedClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }
  private let time = Lock(Duration.zero)
  var now: Instant { Instant(offset: time.withLock { $0 }) }
  var minimumResolution: Duration { .zero }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
