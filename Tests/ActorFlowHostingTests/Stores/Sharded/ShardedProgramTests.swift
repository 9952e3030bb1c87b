import ActorFlow
import ActorFlowHosting
import RandomPrograms
import Testing

@Suite("Random programs on a host with a sharded store", .timeLimit(.minutes(ProgramSettings.minutes)))
struct ShardedProgramTests {
  private static func open(_ clock: some WallClock) async throws -> any LeasingFlowStore {
    try await ShardedFlowStore((0..<3).map { _ in MemoryFlowStore(clock: clock) })
  }

  @Test("a host, which may crash at any commit, does what the naive model does", arguments: [false, true])
  func game(crashes: Bool) async throws {
    let failures = await play(ProgramSettings.seeds(share: 1)) { seed in
      try await playHostGame(seed: seed, crashes: crashes) { try await Self.open($0) }
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }

  @Test("several attackers at once break no rule", arguments: [false, true])
  func scramble(crashes: Bool) async throws {
    let failures = await play(ProgramSettings.seeds(share: 1)) { seed in
      try await playHostedScramble(seed: seed, crashes: crashes) { try await Self.open($0) }
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }
}
