#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The time of day, that lasts over restarts: what a host's timers and a store's leases are measured by.
public protocol WallClock: Sendable {
  /// The time.
  var now: Date { get }

  /// Sleeps until `deadline`, or returns at once if it has passed.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func sleep(until deadline: Date) async throws

  /// Waits before a call of the store is repeated whose outcome is not known: for a second at most.
  ///
  /// The default sleeps until `duration` from now. A clock that a test moves by hand returns at once: the task that would
  /// move it may be the one that waits for the call.
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

extension WallClock where Self == SystemWallClock {
  /// The system's clock.
  public static var system: SystemWallClock { SystemWallClock() }
}

/// The system's clock. A sleeper follows it when it is set: it looks again at least every minute.
public struct SystemWallClock: WallClock {
  private static let longestNap: TimeInterval = 60

  /// The system's clock.
  public init() {}

  /// The time.
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
