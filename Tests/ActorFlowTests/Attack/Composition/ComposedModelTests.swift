import Testing

@Suite("Model of composed flows") struct ComposedModelTests {
  @Test(
    "forks, loops, choices, retries, recoveries, timeouts and signals match the naive reference",
    .timeLimit(.minutes(Attack.minutes)), arguments: 0..<2)
  func model(part: Int) async {
    await attack(Attack.seeds(Attack.scaled(1_500), part: part, of: 2)) { seed in
      try await ComposedDriver.play(seed: seed)
    }
  }

  @Test(
    "the invariants hold, in whatever order branches, requests and timers run",
    .timeLimit(.minutes(Attack.minutes)),
    arguments: [false, true])
  func scramble(commits: Bool) async {
    await attack(Attack.seeds(Attack.scaled(400))) { seed in
      let scramble = ComposedScramble(seed: seed, commits: commits)
      do { try await scramble.run(seed: seed) } catch {
        throw Finding("\(error)\n  plan: \(scramble.plan.text)\n  trace: \(scramble.stage.lines)")
      }
    }
  }
}
