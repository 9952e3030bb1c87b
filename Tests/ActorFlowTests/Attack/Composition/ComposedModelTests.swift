import Testing

@Suite("Model of composed flows") struct ComposedModelTests {
  @Test(
    "forks, loops, choices, retries, recoveries, timeouts and signals do what the naive reference does",
    .timeLimit(.minutes(10)), arguments: 0..<2)
  func model(part: Int) async {
    await attack(Attack.seeds(Attack.scaled(2_000), part: part, of: 2)) { seed in
      try await ComposedDriver.play(seed: seed)
    }
  }
}
