import Synchronization

/// The unit: an uncontended call from a `@concurrent` function to an actor and back.
enum Hop {
  private actor Target {
    private var sum = 0

    @inline(never) func add(_ value: Int) -> Int {
      sum &+= value
      return sum
    }
  }

  /// Written outside the actor after each call. Without that the compiler may stay on the actor from one call to the
  /// next, and there is no hop.
  private static let latest = Atomic<Int>(0)

  /// The current time of one hop, in nanoseconds.
  @concurrent static func nanoseconds(over count: Int) async throws -> Double {
    let target = Target()
    var sum = 0
    let start = ContinuousClock.now
    for value in 0..<count {
      sum = await target.add(value)
      latest.store(sum, ordering: .relaxed)
    }
    let time = ContinuousClock.now - start
    try WrongResult.check(sum == count * (count - 1) / 2, "the hops added up to \(sum)")
    return time / .nanoseconds(count)
  }
}

/// The duration of `body`.
func nanosecondsOf(_ body: () async throws -> Void) async throws -> Double {
  let start = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - start) / .nanoseconds(1)
}

extension [Double] {
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
