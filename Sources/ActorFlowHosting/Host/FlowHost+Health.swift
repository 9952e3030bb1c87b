public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FlowHost {
  /// The condition of a host and its store, for the health check of a service.
  public struct Health: Sendable {
    /// Whether ``FlowHost/run()`` is under way and has not begun to stop.
    public var isRunning: Bool
    /// The time of the latest poll of ``FlowHost/run()`` that the store answered, by the host's clock; `nil` before it.
    public var lastPoll: Date?
    /// The number of polls since then that the store has not answered.
    public var failedPolls: Int
    /// The latest error of any call of the store: of polls, leases, requests, and commits of flows.
    ///
    /// A refusal, such as a conflict of two hosts, is not an error of the store. The error stays when the store works
    /// again; compare ``Failure/at``.
    public var lastStoreError: Failure?
    /// The latest flow that ``FlowHost/run()`` found due and could not activate.
    public var lastRefusedFlow: Failure?
    /// The latest error of work that no caller waits for, such as an activation or a removal; see ``HostWork``.
    public var lastWorkFailure: Failure?
    /// The latest fault of an observer's `around`, with the error that it threw, if it did.
    public var lastObserverFault: Failure?
    /// The number of flows in memory.
    public var liveFlows: Int
    /// The damage of the store, until an operator has accepted it or restored the store; `nil` if none is known.
    public var damage: StoreDamage?

    /// An error and the time at which it was thrown.
    public struct Failure: Sendable {
      /// The error.
      public var error: any Error
      /// The time at which it was thrown, by the host's clock.
      public var at: Date
      /// The flow that the call was about, or `nil` if it was about no single flow.
      public var flow: FlowID?
    }
  }

  /// Returns the condition of the host and its store at this moment, without a call of the store.
  public func health() -> Health {
    Health(
      isRunning: isRunning && !isStopping, lastPoll: polls.last, failedPolls: polls.failures.count,
      lastStoreError: shared.store.lastFailure, lastRefusedFlow: lastRefusedFlow,
      lastWorkFailure: shared.lastWorkFailure, lastObserverFault: shared.observation?.lastFault, liveFlows: live.count,
      damage: shared.store.damage)
  }
}

/// The results of a host's polls.
struct Polls: Sendable {
  /// The time of the latest poll that succeeded.
  private(set) var last: Date?
  /// The number of failed polls since then, and the time of the first of them.
  private(set) var failures: (count: Int, since: Date?) = (0, nil)
  private static let pauses = Backoff.exponential(from: .milliseconds(250), limit: .seconds(30))

  mutating func succeeded(at now: Date) {
    last = now
    failures = (0, nil)
  }

  /// Notes a failed poll.
  ///
  /// - Returns: The pause before the next poll, or `nil` if the store has been away for longer than `limit`.
  mutating func failed(at now: Date, limit: Duration) -> Duration? {
    let since = failures.since ?? now
    failures = (failures.count + 1, since)
    let rest = limit - Duration(from: since, to: now)
    guard rest > .zero else { return nil }
    return min(Self.pauses.delay(after: failures.count), rest)
  }
}
