import ActorFlowTesting
import Testing

@testable import ActorFlow

/// Flows that are passivated at any moment.
@Suite("Persisted flows: passivation at any moment") struct PassivationSweepTests {
  static let scenarios = CrashTests.scenarios

  @Test(
    "a flow passivated at any moment returns from its run, decides nothing more, and later comes to the same end",
    .timeLimit(.minutes(22)), arguments: scenarios)
  func anyMoment(_ scenario: RestartScenario) async throws {
    let whole = try await scenario.record()
    for seed in 1...UInt64(Attack.scaled(6)) {
      var random = SeededGenerator(seed: seed)
      do {
        let recorded = try await passivated(scenario, after: random.below(400), &random)
        guard let last = recorded.last, last.snapshot.ending == nil else { continue }
        let next = try await scenario.record(from: last)
        try demandEqual(next.outcome, whole.outcome, "the outcome, passivated at \(last.lines)")
        let sequence = (recorded + next.commits).flatMap(\.events).map(\.sequence)
        try demandEqual(sequence, Array(1...max(1, sequence.count)), "the events' numbers")
      } catch { throw Finding("seed \(seed): \(error)") }
    }
  }

  /// Starts the flow, passivates it after this many turns of other tasks, and returns its commits.
  private func passivated(
    _ scenario: RestartScenario, after turns: Int, _ random: inout SeededGenerator
  ) async throws -> [FlowRecorder.Commit] {
    let trace = Trace()
    let recorder = FlowRecorder(try scenario.flow(trace), tracing: trace)
    let yields = random.chance(50)
    let run = try await recorder.start(with: "-") { _ in if yields { await Task.yield() } }
    let world = Task { try await run.play(scenario.world) }
    for _ in 0..<turns { await Task.yield() }
    let cancels = random.chance(30)
    if cancels { run.run.cancel() } else { await run.coordinator.passivate() }
    let decided = recorder.all.count + 1  // one commit may be under way
    try await run.patiently { await run.run.value }
    world.cancel()
    _ = await world.result
    let after = recorder.all
    let position = await run.coordinator.position
    if case .ended = position.status { return after }
    for commit in after.dropFirst(decided) {
      try demand(commit.events.isEmpty, "decided after it was put away: \(commit.lines)")
    }
    try demand(await run.coordinator.isPassivated, "it is not put away")
    _ = try? await run.patiently { try await run.coordinator.settled() }
    for await _ in run.coordinator.events {}
    let rest = await run.coordinator.leftovers
    try demand(rest.isEmpty, "something is left: \(rest)")
    return after
  }
}
