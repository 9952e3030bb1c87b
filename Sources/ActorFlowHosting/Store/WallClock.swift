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
