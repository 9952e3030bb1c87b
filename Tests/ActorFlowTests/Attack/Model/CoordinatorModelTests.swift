import Testing

@Suite("Model of the coordinator") struct CoordinatorModelTests {
  @Test(
    "a coordinator matches the naive reference model in every random sequence",
    .timeLimit(.minutes(Attack.minutes)),
    arguments: 0..<2)
  func model(part: Int) async {
    await attack(Attack.seeds(Attack.scaled(10_000), part: part, of: 2)) { seed in
      try await Driver.play(seed: seed)
    }
  }

  @Test(
    "the invariants hold, in whatever order tasks are scheduled", .timeLimit(.minutes(Attack.minutes)),
    arguments: [false, true])
  func scramble(commits: Bool) async {
    await attack(Attack.seeds(Attack.scaled(3_000))) { seed in
      let scramble = Scramble(seed: seed, commits: commits)
      do { try await scramble.run(seed: seed) } catch {
        throw Finding("\(error)\nsteps: \(scramble.plan.steps)\ntrace: \(scramble.stage.lines)")
      }
    }
  }
}
