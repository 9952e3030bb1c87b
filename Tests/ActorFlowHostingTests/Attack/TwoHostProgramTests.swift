import RandomPrograms
import Testing

/// Random programs on two hosts of one store: of one build, and of two builds in a rolling deploy. `ACTORFLOW_SEED`
/// replays one program, `ACTORFLOW_PROGRAMS` sets how many there are.
@Suite("Random programs on two hosts", .timeLimit(.minutes(ProgramSettings.minutes))) struct TwoHostProgramTests {
  @Test(
    "a flow matches the naive model, whichever of two builds answers, and the wrong one changes nothing",
    arguments: Deploy.allCases)
  func rolling(deploy: Deploy) async {
    let seeds = Array(ProgramSettings.seeds(share: 4))
    var (refused, moves) = (0, 0)
    let failures = await play(seeds) { seed in
      let report = try await playRollingGame(seed: seed, deploy)
      refused += report.refused
      moves += report.moves
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    // What is not played proves nothing. Fewer programs may lack it.
    guard failures.isEmpty, seeds.starts(with: 1...20) else { return }
    #expect((refused > 0) == (deploy == .forwards || deploy == .apart))
    #expect((moves > 0) == (deploy == .forwards || deploy == .forthAndBack))
  }

  @Test(
    "in any interleaving at two builds, every entered step and every payment is compensated", arguments: Deploy.allCases
  )
  func scramble(deploy: Deploy) async {
    let failures = await play(ProgramSettings.seeds(share: 3)) { try await playTwoHostScramble(seed: $0, deploy) }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }

  @Test("what a crowd of operators does at two hosts is done once if it is acknowledged, and compensates nothing twice")
  func crowd() async {
    let failures = await play(ProgramSettings.seeds(share: 5)) {
      try await playTwoHostScramble(seed: $0, $0 % 2 == 0 ? .none : .forthAndBack, operators: 4)
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }
}
