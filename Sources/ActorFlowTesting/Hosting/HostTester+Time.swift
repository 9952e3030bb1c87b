import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Time, and waiting without it.
extension HostTester {
  /// Waits until no flow can go on by itself: each waits for somebody or for a time to come, stands still, or has ended.
  ///
  /// What a crash left at work is taken up, and what is due is rung.
  ///
  /// - Throws: A ``FlowTestFailure`` if a step does not come back; it names the step. `CancellationError` if the test is
  ///   cancelled.
  public func settle(fileID: String = #fileID, line: Int = #line) async throws {
    let (host, location) = (host, SourceLocation(fileID, line))
    guard let refused = try await patience.wait(for: { try await host.catchUp() }) else {
      throw await failureOfSteps(at: host, location)
    }
    self.refused = refused
  }

  /// Lets time pass: from one timer to the next, in the order in which they are due, those of one moment by their flows'
  /// ids. Reminders, deadlines, pauses and expiries find the time at which they were due, and what each makes happen has
  /// happened before the next. Returns when nothing can go on any more: reminders have run, what followed is in the store,
  /// and no flow is in memory.
  ///
  /// A step that is at work keeps the time from moving: let it go on first. To try what is to happen to a step that hangs,
  /// move the ``clock`` itself.
  ///
  /// - Throws: As ``settle(fileID:line:)``.
  public func advance(by duration: Duration, fileID: String = #fileID, line: Int = #line) async throws {
    // Where the clock stops, nothing more is due.
    let end = min(clock.elapsed.later(by: duration), .longest)
    try await settle(fileID: fileID, line: line)
    while let next = try await nextTimer(until: end) {
      clock.advance(by: next - clock.elapsed)
      try await settle(fileID: fileID, line: line)
    }
    clock.advance(by: end - clock.elapsed)
  }

  /// When the next timer is due, as time since the clock's start; nil: none until `end`.
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
      "flows did not come to rest within \(patience.limit): "
        + (names.isEmpty ? "the store does not answer" : names.joined(separator: "; ")), at: location,
      namesStuckStep: true)
  }
}
