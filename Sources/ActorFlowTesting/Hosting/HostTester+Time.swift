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
    let (host, location) = (host, SourceLocation(fileID, line))
    guard let refused = try await patience.wait(for: { try await host.catchUp() }) else {
      throw await failureOfSteps(at: host, location)
    }
    self.refused = refused
  }

  /// Moves the clock from one timer to the next, in the order in which they are due.
  ///
  /// Timers that are due at the same moment fire in the order of their flows' ids. Reminders, deadlines, pauses and
  /// expiries see the time at which they were due. Everything that one timer causes has happened before the next fires.
  /// When this method returns, no flow can go on: reminders have run, what followed is in the store, and no flow is in
  /// memory.
  ///
  /// Time does not move while a step is executing: let the step finish first. To test what happens to a step that
  /// hangs, move the ``clock`` itself.
  ///
  /// - Throws: As ``settle(fileID:line:)``.
  public func advance(by duration: Duration, fileID: String = #fileID, line: Int = #line) async throws {
    // The clock stops at a last moment; nothing is due after it.
    let end = min(clock.elapsed.later(by: duration), .longest)
    try await settle(fileID: fileID, line: line)
    while let next = try await nextTimer(until: end) {
      clock.advance(by: next - clock.elapsed)
      try await settle(fileID: fileID, line: line)
    }
    clock.advance(by: end - clock.elapsed)
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

  func failureOfSteps(at host: FlowHost, _ location: SourceLocation) async -> FlowTestFailure {
    let names = await host.atWork
    return FlowTestFailure(
      "flows did not settle within \(patience.limit): "
        + (names.isEmpty ? "the store does not answer" : names.joined(separator: "; ")), at: location,
      namesStuckStep: true)
  }
}
