internal import ActorFlow

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// async let reminder: Void = clock.sleep(for: .seconds(60))
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// try await reminder
/// ```
///
/// The clock may be used from any task. A call of ``advance(by:)`` wakes every task whose deadline it reaches, in the
/// order of the deadlines. Tasks with equal deadlines wake in the order in which they fell asleep.
public final class ManualClock: Clock, Sendable {
  /// A point in the time of a manual clock.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the clock was made.
    public let offset: Duration

    /// Creates the point at this time after the clock was made.
    public init(offset: Duration = .zero) {
      // A deadline may lie beyond the end of the clock's time; the clock then never reaches it.
      self.offset = min(max(offset, .zero - .longest - .longest), .longest + .longest)
    }

    /// Returns the point that is `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration.bounded) }

    /// Returns the time from this point to `other`.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Orders points by time.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  struct State: Sendable {
    var now = Instant()
    /// The sleepers, ordered by deadline, then by when they fell asleep.
    var sleepers: [Sleeper] = []
    var watchers: [Watcher] = []

    /// The number of sleepers that are counted.
    var count: Int { sleepers.count { $0.isCounted } }
  }

  struct Sleeper: Sendable {
    let deadline: Instant
    let isCounted: Bool
    let wakeUp: Eventual<Void>
  }

  struct Watcher: Sendable {
    let count: Int
    let reached: Eventual<Void>
  }

  let state = Lock(State())

  /// Creates a clock at time zero.
  public init() {}

  /// The current time.
  public var now: Instant { state.withLock { $0.now } }

  /// Zero, because a manual clock can be moved by any amount.
  public var minimumResolution: Duration { .zero }

  /// The number of tasks that sleep at this moment.
  public var sleepers: Int { state.withLock { $0.count } }
  /// The instants until which tasks sleep on this clock.
  package var deadlines: [Instant] { state.withLock { $0.sleepers.map(\.deadline) } }

  /// Moves the time forward, and wakes the tasks whose deadline is reached, earliest deadline first.
  ///
  /// Returns when the tasks are woken, not when they have run. Time never goes back: a negative duration moves nothing.
  /// The clock stops at 200 years.
  public func advance(by duration: Duration) {
    let due = state.withLock { state -> [Sleeper] in
      state.now = Instant(offset: min(state.now.offset.later(by: duration), .longest))
      let first = state.sleepers.firstIndex { $0.deadline > state.now } ?? state.sleepers.endIndex
      defer { state.sleepers.removeFirst(first) }
      return Array(state.sleepers[..<first])
    }
    for sleeper in due { sleeper.wakeUp.fulfil(()) }
  }
}
