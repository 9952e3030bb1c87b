import RandomPrograms
import Testing

/// Random programs in memory: random flows, and random requests to them. `ACTORFLOW_SEED` replays one program,
/// `ACTORFLOW_PROGRAMS` sets how many there are.
@Suite("Random programs in memory", .timeLimit(.minutes(ProgramSettings.minutes))) struct ProgramTests {
  @Test("a sequential program matches the naive model, request by request")
  func game() async {
    let failures = await play(ProgramSettings.seeds(share: 700)) { try await playMemoryGame(seed: $0) }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }

  @Test("in any interleaving, every entered step and every payment is compensated once, newest first")
  func scramble() async {
    let failures = await play(ProgramSettings.seeds(share: 150)) { try await playScramble(seed: $0) }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }
}

/// Attacks on a single race window. `ACTORFLOW_ATTACK_ROUNDS` sets the rounds; under load the window is hit more often.
@Suite("Attacks on one race window, in memory", .timeLimit(.minutes(ProgramSettings.minutes))) struct AimedTests {
  @Test("Rule 2: a hub's menu is compensated once when the flow is left at the moment a side branch ends")
  func menus() async {
    let failures = await attackMenus(rounds: ProgramSettings.aimedRounds)
    #expect(failures.isEmpty, "\(failures.count) of \(ProgramSettings.aimedRounds): \(failures.first ?? "")")
  }
}
