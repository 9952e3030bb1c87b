import ActorFlow
import Foundation

/// SplitMix64 for several tasks: the same seed gives the same numbers if they are drawn in the same order.
final class Chance: Sendable {
  /// The seed of a test; `ACTORFLOW_SEED` sets another one.
  static let seed = ProcessInfo.processInfo.environment["ACTORFLOW_SEED"].flatMap { UInt64($0) } ?? 1

  private let state: Lock<UInt64>

  init(seed: UInt64) {
    state = Lock(seed)
  }

  /// Returns a number from 0 up to, not including, `count`.
  func below(_ count: Int) -> Int {
    let number = state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      return state
    }
    var mixed = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, count)))
  }
}
