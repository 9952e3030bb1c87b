import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The answerer is told that the host has stopped, not what the stop did to the step.
@Suite("Answers under way when a host stops", .timeLimit(.minutes(15))) struct StoppedAnswerTests {
  enum End: CaseIterable { case stop, crash }

  /// The point that the answer has reached when the host stops.
  enum Moment: CaseIterable { case loading, validating, committing, inLine }

  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>
  private let gate = Gate()

  init() {
    store = FaultyStore(MemoryFlowStore(clock: clock))
  }

  private var flow: Flow<String, Int> {
    Flow("f") { Step("count") { (_: String) in Tally() } }
  }

  /// The first call of this operation waits at the gate.
  private func hold(_ operation: StoreCall.Operation) {
    let isHeld = Lock(false)
    store.plan { [gate] call in
      guard call.operation == operation else { return nil }
      let isFirst = isHeld.withLock { isHeld in
        defer { isHeld = true }
        return !isHeld
      }
      return isFirst ? .delay { await gate.pass() } : nil
    }
  }

  /// Stops the host; opens `gate` before what the answer waits for.
  private func end(_ tester: HostTester, by end: End, at moment: Moment) async throws {
    switch end {
    case .crash:
      try await tester.crash()
      gate.open()
    case .stop:
      let host = tester.host
      let run = Task { try await host.run() }
      try await clock.waitForSleepers(2)
      run.cancel()
      if moment == .committing || moment == .inLine {
        // The answer waits for a write that is under way.
        while !(await host.isStopping) { await Task.yield() }
        try await clock.waitForSleepers()
        gate.open()
        try await run.value
      } else {
        try await run.value
        gate.open()
      }
    }
  }

  @Test(
    "of a rendered step: hostStopping, or stored, in whichever way the host ends", arguments: End.allCases,
    Moment.allCases)
  func rendered(_ end: End, _ moment: Moment) async throws {
    try await testHost(on: store, clock: clock, exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "")
      let question = try await tester.question(Tally.View.self, of: "f").id
      let host = tester.host
      switch moment {
      case .loading: hold(.acquire)
      case .committing, .inLine: hold(.commit)
      case .validating: break
      }
      var second: Task<FlowError.Code?, Never>?
      let held = Gate()
      if moment == .inLine {
        second = answer(4, to: question, at: host, gate: held)
        await held.reached()
      }
      let first = answer(3, to: question, at: host, gate: moment == .validating ? gate : nil)
      await gate.reached()
      // The answer is validated by now, and the other one is being written.
      held.open()
      try await self.end(tester, by: end, at: moment)
      #expect(await first.value == (second == nil && moment != .committing ? .hostStopping : nil))
      if let second { #expect(await second.value == .hostStopping) }
      let shown = try #require(try await FlowHost(store: store).flow("f").view().questions.first)
      #expect(try shown.prompt(as: Tally.View.self).sum == (await first.value == nil ? 3 : 0))
    }
  }

  @Test("a flow that is started meanwhile is stored, and does not run at the stopped host")
  func started() async throws {
    let (host, log) = (FlowHost(store: store, clock: clock), Log())
    let flows = try await host.register(Flow<String, String>("f") { Step("a") { Asker(log) } })
    hold(.commit)
    let start = Task { try await flows.start(id: "f", with: "-") }
    await gate.reached()
    let run = Task { try await host.run() }
    run.cancel()
    try await run.value
    gate.open()
    #expect(try await start.value.status == .runnable)
    await host.isQuiet()
    #expect(log.all.isEmpty)
    let second = FlowHost(store: store, clock: clock)
    try await second.register(Flow<String, String>("f") { Step("a") { Asker(log) } })
    #expect(try await second.flow("f").settled().status == .waiting)
    #expect(log.all == ["made"])
  }

  /// Returns nil if the answer was accepted.
  private func answer(
    _ answer: Int, to question: Question.ID, at host: FlowHost, gate: Gate?
  ) -> Task<FlowError.Code?, Never> {
    Tally.View.$gate.withValue(gate) {
      Task { await code { try await host.flow("f").answer(question, with: answer) } }
    }
  }
}

/// Adds up the answers.
private struct Tally: RenderedStep {
  struct View: Prompt, Codable {
    typealias Answer = Int
    /// The gate at which the answerer waits.
    @TaskLocal static var gate: Gate?
    var sum: Int

    func validate(_ answer: Int) async {
      await Self.gate?.pass()
    }
  }

  func makeState() -> Int { 0 }
  func apply(_ action: Int, to sum: inout Int) -> Int? {
    sum += action
    return sum > 9 ? sum : nil
  }
  func render(_ sum: Int, in scope: inout RenderScope<Tally>) -> View { View(sum: sum) }
}
