#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A clock that tells the time of day across restarts, for a host's timers and a store's leases.
public protocol WallClock: Sendable {
  /// The current time.
  var now: Date { get }

  /// Sleeps until `deadline`, or returns at once if it has passed.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func sleep(until deadline: Date) async throws

  /// Waits before the host repeats a store call whose outcome is not known; `duration` is at most a second.
  ///
  /// The default implementation sleeps until `duration` from now. If a test moves your clock by hand, return at once:
  /// the task that would move the clock may be the one that waits for the call.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func pause(for duration: Duration) async throws
}

extension WallClock {
  /// Sleeps until `duration` from now.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func pause(for duration: Duration) async throws { try await sleep(until: date(after: duration)) }
}

/// A clock whose sleepers a test counts, to know when to move it.
package protocol CountingWallClock: WallClock {
  /// Sleeps until `deadline` without being counted as a sleeper.
  func sleepUncounted(until deadline: Date) async throws
}

extension WallClock {
  /// Sleeps until `deadline`. A sleep that says nothing about the flow is not counted by a clock that counts sleepers.
  func sleep(until deadline: Date, isCounted: Bool) async throws {
    guard !isCounted, let clock = self as? any CountingWallClock else { return try await sleep(until: deadline) }
    try await clock.sleepUncounted(until: deadline)
  }
}

extension WallClock {
  /// Sleeps until `deadline`, or until the task is cancelled. Nothing is lost with the error: the caller's next look at
  /// the time or at the task says the same.
  func rest(until deadline: Date, isCounted: Bool = true) async {
    try? await sleep(until: deadline, isCounted: isCounted)
  }
}

extension WallClock where Self == SystemWallClock {
  /// The system's clock.
  public static var system: SystemWallClock { SystemWallClock() }
}

/// The system's clock; if it is set, sleeping tasks notice that within a minute.
public struct SystemWallClock: WallClock {
  private static let longestNap: TimeInterval = 60

  /// Creates the system's clock.
  public init() {}

  /// The current time.
  public var now: Date { Date() }

  /// Sleeps until the system's clock has reached `deadline`.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: Date) async throws {
    try Task.checkCancellation()
    while case let rest = deadline.timeIntervalSince(now), rest > 0 {
      await SleepQueue.shared.sleep(seconds: min(rest, Self.longestNap))
      try Task.checkCancellation()
    }
  }
}
