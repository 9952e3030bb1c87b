import ActorFlow
import Foundation
import Testing

/// SplitMix64: small, and the same numbers on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, not including, `count`.
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// Returns one of the weighted choices; `choices` is not empty.
  mutating func pick<Choice>(_ choices: [(weight: Int, Choice)]) -> Choice {
    var left = below(choices.reduce(0) { $0 + $1.weight })
    for (weight, choice) in choices {
      left -= weight
      if left < 0 { return choice }
    }
    return choices[choices.count - 1].1
  }
}

/// A generator for several tasks.
final class SharedGenerator: Sendable {
  private let random: Lock<SeededGenerator>

  init(seed: UInt64) {
    random = Lock(SeededGenerator(seed: seed))
  }

  func chance(_ percent: Int) -> Bool { random.withLock { $0.chance(percent) } }

  func below(_ count: Int) -> Int { random.withLock { $0.below(count) } }
}

/// The length of the attacks, set from outside:
///
/// - `ACTORFLOW_MODEL_ROUNDS`: the number of sequences of the model tests (20,000); the other attacks scale with it.
/// - `ACTORFLOW_SEED`: play this one sequence only.
enum Attack {
  static let rounds = environment("ACTORFLOW_MODEL_ROUNDS").map { Int($0) } ?? 10_000
  static let seed = environment("ACTORFLOW_SEED")

  /// The minutes after which a test counts as hanging: more where the number of rounds is set from outside.
  static let minutes = environment("ACTORFLOW_MODEL_ROUNDS") == nil ? 22 : 720

  /// Returns `count` at the default number of rounds, in proportion at another; at least 1.
  static func scaled(_ count: Int) -> Int { max(1, count * rounds / 20_000) }

  /// The seeds 1 to `count` of one of two concurrent tests, or the one seed in `ACTORFLOW_SEED`.
  static func seeds(_ count: Int, part: Int = 0, of parts: Int = 1) -> some Sequence<UInt64> {
    if let seed { return stride(from: seed, to: seed + (part == 0 ? 1 : 0), by: 1) }
    return stride(from: UInt64(part + 1), to: UInt64(count + 1), by: UInt64.Stride(parts))
  }

  private static func environment(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}

/// Plays `sequence` with each seed, and stops at the first that fails; the failure names the command that replays it.
func attack(
  _ seeds: some Sequence<UInt64>, sourceLocation: SourceLocation = #_sourceLocation,
  _ sequence: (UInt64) async throws -> Void
) async {
  for seed in seeds {
    do { try await sequence(seed) } catch {
      Issue.record("\(error)\nplay it again with ACTORFLOW_SEED=\(seed)", sourceLocation: sourceLocation)
      return
    }
  }
}

/// A failure found by an attack.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws a ``Finding`` unless `condition` holds. Unlike `#expect` it costs nothing while it holds.
func demand(_ condition: Bool, _ violation: @autoclosure () -> String) throws(Finding) {
  if !condition { throw Finding(violation()) }
}

/// Throws a ``Finding`` unless both are equal.
func demandEqual<Value: Equatable>(_ real: Value, _ expected: Value, _ what: @autoclosure () -> String) throws(Finding)
{
  if real != expected { throw Finding("\(what()):\n  expected \(expected)\n  found    \(real)") }
}
