public import ActorFlowHosting

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A wall clock that stands still until a test moves it, for hosts and for the leases of stores.
public final class ManualWallClock: WallClock, CountingWallClock {
  private let start: Date
  private let clock = ManualClock()

  /// Creates a clock at a time; by default the first second of 2026, in UTC.
  public init(_ start: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
    self.start = start
  }

  /// The current time.
  public var now: Date { start.addingTimeInterval(clock.now.offset / .seconds(1)) }

  /// The number of tasks that sleep at this moment. A move that a host holds back until the next commit is not counted.
  public var sleepers: Int { clock.sleepers }

  /// Moves the time forward, and wakes the tasks whose deadline is reached, earliest deadline first.
  ///
  /// Returns when the tasks are woken, not when they have run. Time never goes back: a negative duration moves nothing.
  public func advance(by duration: Duration) {
    clock.advance(by: duration)
  }

  /// Sleeps until the clock is moved to `deadline` or past it; returns at once if the clock is already there.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: Date) async throws {
    try await clock.sleep(until: ManualClock.Instant(offset: elapsed(at: deadline)), tolerance: nil)
  }

  package func sleepUncounted(until deadline: Date) async throws {
    try await clock.sleep(until: ManualClock.Instant(offset: elapsed(at: deadline)), isCounted: false)
  }

  /// Returns at once: the test that would move the clock may itself wait for the call that is to be repeated.
  public func pause(for duration: Duration) async throws { try Task.checkCancellation() }

  /// Waits until at least `count` tasks sleep at once.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async throws {
    try await clock.waitForSleepers(count)
  }

  /// The time since the clock's start.
  var elapsed: Duration { clock.now.offset }

  func date(at elapsed: Duration) -> Date { start.addingTimeInterval(elapsed / .seconds(1)) }

  /// Rounds to the microsecond, as stored times are rounded, so that a time read from a store means the same instant.
  func elapsed(at date: Date) -> Duration {
    let microseconds = (date.timeIntervalSince(start) * 1e6).rounded()
    return .microseconds(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
  }
}
