public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// Takes up everything that can go on by now, and returns when nothing can: flows that were left at work, and those
  /// whose timers are due, the one that is due longest first, one after the other.
  ///
  /// For a program that runs now and then instead of ``run()``: a command, or a job that is started every minute. It
  /// waits until each flow is put away, so with ``FlowHost/Options/keepHot`` it waits so long.
  ///
  /// - Returns: The flows that could not be taken up, each with why. They are as they were.
  /// - Throws: `CancellationError` if the calling task is cancelled; the flows that were taken up go on. A `FlowError`
  ///   with the code `notRunning` if the host has stopped. What the store throws when it is asked what there is.
  @discardableResult
  public func catchUp() async throws -> [FlowID: any Error] {
    var refused: [FlowID: any Error] = [:]
    // A flow that is due and did not change will not change at a second look either.
    var seen: [FlowID: Revision] = [:]
    while true {
      try refuseStopping()
      try await emptied()
      let due = try await workToDo().filter { seen[$0.id] != $0.revision }
      guard !due.isEmpty else { return refused }
      for summary in due {
        seen[summary.id] = summary.revision
        do {
          let flow = try await take(summary.id)
          begin(flow)
          await release(flow)
          await flow.isGone()
          refused[summary.id] = nil
        } catch { refused[summary.id] = error }
        try Task.checkCancellation()
      }
    }
  }

  /// What can go on by now, of the definitions that are registered; what is due longest comes first.
  private func workToDo() async throws -> [FlowSummary] {
    let soon = office.clock.now.addingTimeInterval(0.000_001)
    var flows: [FlowSummary] = []
    for query in [FlowQuery(status: [.runnable]), FlowQuery(status: [.waiting], dueBefore: soon)] {
      var cursor: String?
      repeat {
        let page = try await office.store.list(query, after: cursor, limit: 1_000)
        flows += page.flows.filter { definitions[$0.definition]?[$0.version] != nil }
        cursor = page.cursor
      } while cursor != nil
    }
    let past = Date.distantPast
    return flows.sorted { ($0.wakeAt ?? past, $0.id.description) < ($1.wakeAt ?? past, $1.id.description) }
  }
}

// For testers.
extension FlowHost {
  /// Begins what can go on by now, and does not wait for it.
  package func takeUpWork() async throws {
    for summary in try await workToDo() {
      guard live[summary.id] == nil, let flow = try? await take(summary.id) else { continue }
      begin(flow)
      await release(flow)
    }
  }

  /// Waits until no flow is in memory.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled.
  package func emptied() async throws {
    while let flow = live.values.first {
      await flow.isGone()
      try Task.checkCancellation()
    }
  }

  /// The flows in memory, and where each stands.
  package var atWork: [String] {
    live.values.map { flow in
      let steps = flow.ledger.stored?.snapshot.steps.map(\.path).joined(separator: ", ") ?? "its beginning"
      return "\(flow.id) at \(steps)"
    }.sorted()
  }

  /// Stops as ``run()`` does when it is cancelled.
  package func shutDown() async throws {
    isStopping = true
    try await stop()
  }

  /// Does what a process that dies does, as far as a process that lives can: nothing is written any more, and what runs
  /// is cancelled.
  package func die() async {
    isStopping = true
    for flow in live.values {
      flow.ledger.lose(CancellationError())
      await flow.park()
    }
  }
}
