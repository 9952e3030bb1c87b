import Testing

@Suite("Model of the coordinator") struct CoordinatorModelTests {
  @Test(
    "a coordinator does what the naive reference model does, in every random sequence", .timeLimit(.minutes(10)),
    arguments: 0..<2)
  func model(part: Int) async {
    await attack(Attack.seeds(Attack.rounds, part: part, of: 2)) { seed in
      try await Driver.play(seed: seed)
    }
  }
}
