import Foundation

/// The length of the attacks, set from outside:
///
/// - `ACTORFLOW_PROGRAMS`: the number of programs in all, shared among the suites.
/// - `ACTORFLOW_SEED`: play only the program of this seed.
/// - `ACTORFLOW_ATTACK_ROUNDS`: the number of rounds of each aimed attack.
package enum ProgramSettings {
  package static let programs = number("ACTORFLOW_PROGRAMS") ?? 5_000
  package static let seed = number("ACTORFLOW_SEED").map { UInt64($0) }
  package static let aimedRounds = number("ACTORFLOW_ATTACK_ROUNDS") ?? 120

  /// The number of failures after which a suite stops: larger in the long form, which is rarely run again.
  package static let failures = number("ACTORFLOW_PROGRAMS") == nil ? 1 : 10

  /// The minutes after which a test counts as hanging: more where the number of rounds is set from outside.
  package static let minutes =
    number("ACTORFLOW_PROGRAMS") == nil && number("ACTORFLOW_ATTACK_ROUNDS") == nil ? 22 : 720

  /// The seeds of one suite, which plays `share` of 1,000 programs; or the one seed in `ACTORFLOW_SEED`.
  package static func seeds(share: Int) -> some Sequence<UInt64> {
    let first = seed ?? 1
    let count = seed == nil ? UInt64(max(1, programs * share / 1_000)) : 1
    return stride(from: first, to: first + count, by: 1)
  }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}

/// Plays the program of each seed and collects the failures. Stops after ``ProgramSettings/failures`` of them.
package func play(
  _ seeds: some Sequence<UInt64>, most: Int = ProgramSettings.failures, _ program: (UInt64) async throws -> Void
) async -> [String] {
  var failures: [String] = []
  for seed in seeds {
    do { try await program(seed) } catch {
      failures.append("\(error)\n  play it again with ACTORFLOW_SEED=\(seed)")
      if failures.count >= most { break }
    }
  }
  return failures
}
