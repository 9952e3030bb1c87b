import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Moving the clock, and waiting for flows.
extension HostTester {
  /// Waits until no flow can go on by itself: each waits for input or a time, is stopped by a failure, or has ended.
  ///
  /// Activates flows that a crash has interrupted, and fires the timers that are due.
  ///
  /// - Throws: A ``FlowTestFailure`` that names the step, if a step does not return; `CancellationError` if the test is
  ///   cancelled.
  public func settle(fileID: String = #fileID, line: Int = #line) async throws {
    let location = SourceLocation(fileID, line)
    guard hosts.count > 1 || !left.isEmpty else {
      let host = host
      guard let refused = try await patience.wait(for: { try await host.catchUp() }) else {
        throw await failureOfSteps(at: [host], location)
      }
      self.refused = refused.mapValues { Refusal(error: $0, host: nil) }
      return
    }
    let working = hosts.filter { $0.isRunning && !$0.isPaused }.map { (name: $0.name, host: $0.host) }
    let left = left
    guard let done = try await patience.wait(for: { try await Self.claimAll(at: working, exceptFor: left) }) else {
      throw await failureOfSteps(at: working.map(\.host), location)
    }
    (refused, ranBy) = (done.refused, ranBy.merging(done.ranBy) { $1 })
  }

  /// Lets the hosts claim flows in turn, until none of them finds any.
  private static func claimAll(
    at hosts: [(name: String, host: FlowHost)], exceptFor left: Set<FlowID>
  ) async throws -> (refused: [FlowID: Refusal], ranBy: [FlowID: String]) {
    var (refused, ranBy): ([FlowID: Refusal], [FlowID: String]) = ([:], [:])
    var isOver = false
    while !isOver {
      isOver = true
      for (name, host) in hosts {
        try await host.emptied(exceptFor: left)
        let result = try await host.claimWork(exceptFor: left)
        for id in result.activated {
          (ranBy[id], refused[id], isOver) = (name, nil, false)
        }
        for (id, error) in result.refused { refused[id] = Refusal(error: error, host: name) }
      }
    }
    return (refused, ranBy)
  }

  /// Moves the clock from one timer to the next, in the order in which they are due.
  ///
  /// Timers that are due at the same moment fire in the order of their flows' ids. Reminders, deadlines, pauses and
  /// expiries see the time at which they were due. Everything that one timer causes has happened before the next fires.
  /// When this method returns, no flow can go on: reminders have run, what followed is in the store, and no flow is in
  /// memory.
  ///
  /// Time does not move while a step is executing: let the step finish first, or name its flow to
  /// ``leaveExecuting(_:)``. Leases of hosts that crashed or are paused expire at their time, and other hosts take the
  /// flows over.
  ///
  /// - Throws: As ``settle(fileID:line:)``.
  public func advance(by duration: Duration, fileID: String = #fileID, line: Int = #line) async throws {
    // The clock stops at a last moment; nothing is due after it.
    let end = min(clock.elapsed.later(by: duration), .longest)
    try await settle(fileID: fileID, line: line)
    while let next = try await nextStop(until: end) {
      clock.advance(by: next - clock.elapsed)
      for host in hosts where host.isRunning && !host.isPaused { await host.host.renewLeasesNow() }
      try await settle(fileID: fileID, line: line)
    }
    clock.advance(by: end - clock.elapsed)
  }

  /// Returns when the next timer is due or leases are to be looked at, as time since the clock's start; `nil` if neither
  /// is by `end`.
  private func nextStop(until end: Duration) async throws -> Duration? {
    let timer = try await nextTimer(until: end)
    let now = clock.elapsed
    guard store is any LeasingFlowStore, !left.isEmpty || now < leasesEnd else { return timer }
    // Hosts renew their leases three times in the time of a lease.
    var beat = min(now.later(by: options.leaseTime / 3), end)
    if now < leasesEnd { beat = min(beat, leasesEnd) }
    return beat > now ? min(timer ?? beat, beat) : timer
  }

  /// Returns when the next timer is due, as time since the clock's start, or `nil` if none is due by `end`.
  private func nextTimer(until end: Duration) async throws -> Duration? {
    let now = clock.elapsed
    let query = FlowQuery(status: [.waiting], dueBefore: clock.date(at: end + .microseconds(1)))
    var next: Duration?
    var cursor: String?
    repeat {
      let page = try await store.list(query, after: cursor, limit: 1_000)
      for due in page.flows.compactMap(\.wakeAt).map(clock.elapsed(at:)) where due > now && due <= end {
        next = min(next ?? due, due)
      }
      cursor = page.cursor
    } while cursor != nil
    return next
  }

  func failureOfSteps(at hosts: [FlowHost], _ location: SourceLocation) async -> FlowTestFailure {
    let names = await standings(at: hosts)
    return FlowTestFailure(
      "flows did not settle within \(patience.limit): " + (names.isEmpty ? "the store does not answer" : names),
      at: location, namesStuckStep: true)
  }

  /// Describes the flows that hosts have in memory; those of all hosts by default.
  func standings(at some: [FlowHost]? = nil) async -> String {
    var names: [String] = []
    for host in some ?? hosts.map(\.host) {
      let name = hosts.count > 1 ? hosts.first { $0.host === host }.map { ", on the host \"\($0.name)\"" } ?? "" : ""
      names += await host.atWork.map { $0 + name }
    }
    return names.joined(separator: "; ")
  }
}
