import RandomPrograms
import Testing

/// Random programs on a host that passivates their flows at every question. `ACTORFLOW_SEED` replays one program,
/// `ACTORFLOW_PROGRAMS` sets how many there are.
@Suite("Random programs on a host", .timeLimit(.minutes(ProgramSettings.minutes))) struct HostedProgramTests {
  @Test(
    "a replay repeats the first run: a sequential program matches the naive model, whatever verbs are played",
    arguments: [false, true])
  func game(crashes: Bool) async {
    let seeds = Array(ProgramSettings.seeds(share: 50))
    var counts: [Verb: Int] = [:]
    let failures = await play(seeds) { seed in
      for verb in try await playHostGame(seed: seed, crashes: crashes) { counts[verb, default: 0] += 1 }
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    // A verb that is not played proves nothing. Fewer programs may lack one.
    guard failures.isEmpty, seeds.starts(with: 1...250) else { return }
    let missing = Verb.allCases.filter { counts[$0, default: 0] == 0 }
    #expect(missing.isEmpty, "never played with any effect: \(missing.map(\.rawValue))")
  }

  @Test(
    "a step's own wait does not get what its child has received under the same name", arguments: [741, 743] as [UInt64])
  func sharedSignal(seed: UInt64) async throws {
    // In a replay the child may be cancelled before it waits again.
    for crashes in [false, true] { try await playHostGame(seed: seed, crashes: crashes, works: false) }
  }

  @Test("a child's wait that a replay does not repeat is not listed", arguments: [false, true])
  func unrepeatedWait(crashes: Bool) async throws {
    // The answer may come before the child task waits again. The child is then cancelled, and never waits.
    for _ in 0..<20 { try await playHostGame(seed: 712, crashes: crashes, works: false) }
  }

  @Test("a suspended flow that is not in memory is abandoned in a transaction, and the attackers wait for nobody")
  func suspendedInTransaction() async throws {
    for _ in 0..<5 { try await playHostedScramble(seed: 38, crashes: true) }
  }

  @Test(
    "in any interleaving, every entered step and every payment is compensated, newest first", arguments: [false, true])
  func scramble(crashes: Bool) async {
    let seeds = Array(ProgramSettings.seeds(share: 10))
    var played: Set<Verb> = []
    let failures = await play(seeds) { seed in
      played.formUnion(try await playHostedScramble(seed: seed, crashes: crashes))
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    guard failures.isEmpty, seeds.starts(with: 1...50) else { return }
    var meant: Set<Verb> = [
      .answer, .send, .backUp, .abandon, .note, .reassign, .complete, .enter, .refresh, .editNothing, .redact,
      .transaction,
    ]
    // Few of these flows are suspended, or owe a `backUp` in time.
    if seeds.count >= 500 { meant.formUnion([.retry, .compensateAgain]) }
    #expect(played.isSuperset(of: meant), "never played: \(meant.subtracting(played).map(\.rawValue))")
  }
}

/// Attacks on a single race window. `ACTORFLOW_ATTACK_ROUNDS` sets the rounds; under load the window is hit more often.
@Suite("Attacks on one race window, hosted", .timeLimit(.minutes(ProgramSettings.minutes))) struct HostedAimedTests {
  @Test("Rule 2: a hosted hub's menu is compensated when the flow is abandoned at the moment a side branch ends")
  func menus() async throws {
    let failures = try await attackHostedMenus(rounds: ProgramSettings.aimedRounds)
    #expect(failures.isEmpty, "\(failures.count) of \(ProgramSettings.aimedRounds): \(failures.first ?? "")")
  }

  @Test("a wait that the step gave up beside a question is given up in every replay")
  func waits() async throws {
    let failures = try await attackWaits(rounds: ProgramSettings.aimedRounds)
    #expect(failures.isEmpty, "\(failures.count) of \(ProgramSettings.aimedRounds): \(failures.first ?? "")")
  }
}
