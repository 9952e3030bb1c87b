public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// Runs all flows that can continue now, one after another, and returns when none is left.
  ///
  /// These are the flows that have work left and those with a due timer. The flow that has been due longest comes
  /// first.
  ///
  /// Call it instead of ``run()`` in a program that runs now and then: a command, or a job that is started every
  /// minute. It waits until each flow is passivated, so it also waits for the time of ``FlowHost/Options/keepHot``.
  ///
  /// - Returns: The flows that could not be activated, each with its error. None of their steps has run. A flow that no
  ///   registered version fits is stored as such; the others are unchanged.
  /// - Throws: `CancellationError` if the calling task is cancelled; the flows that were activated by then go on. A
  ///   `FlowError` with the code `hostStopping` if the host has stopped. Errors of the store when the flows are listed.
  @discardableResult
  public func catchUp() async throws -> [FlowID: any Error] {
    var refused: [FlowID: any Error] = [:]
    // A due flow that has not changed since the last attempt will not change in another one either.
    var seen: [FlowID: Revision] = [:]
    try await checkDeployment()
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

  /// Returns the flows of registered definitions that can continue now, the one that has been due longest first.
  private func workToDo() async throws -> [FlowSummary] {
    let soon = shared.clock.now.addingTimeInterval(0.000_001)
    var flows: [FlowSummary] = []
    for query in [FlowQuery(status: [.runnable]), FlowQuery(status: [.waiting], dueBefore: soon)] {
      var cursor: String?
      repeat {
        let page = try await shared.store.list(query, after: cursor, limit: 1_000)
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
  /// Starts the flows that can continue now, without waiting for them.
  package func takeUpWork() async throws {
    for summary in try await workToDo() {
      if live[summary.id] == nil { await goOn(summary.id) }
    }
  }

  /// Activates, one after another, the flows that can continue now and that no host holds.
  ///
  /// Unlike ``catchUp()`` it waits for no other host: it claims the flows, as ``run()`` does. The store must give leases.
  ///
  /// - Parameters:
  ///   - waits: Whether to wait until each flow is passivated before the next is activated.
  ///   - left: The flows that are not waited for.
  /// - Returns: The flows that were activated, in order, and those that could not be, each with its error.
  /// - Throws: As ``catchUp()``.
  package func claimWork(
    waiting waits: Bool = true, exceptFor left: Set<FlowID> = []
  ) async throws -> (activated: [FlowID], refused: [FlowID: any Error]) {
    var (activated, refused): ([FlowID], [FlowID: any Error]) = ([], [:])
    var seen: [FlowID: Revision] = [:]
    try await checkDeployment()
    while true {
      try refuseStopping()
      // A flow that could not be activated is due for ever, and is claimed again each time.
      var next: LeasedFlow?
      _ = try await withClaims(servedVersions, 1 + seen.count) { leased in
        let (id, revision) = (leased.lease.id, leased.flow?.revision ?? .none)
        // A step of a flow that this host has lost may still run: the flow is not activated meanwhile.
        let isFree = live[id] == nil
        if next == nil || !isFree, seen[id] != revision {
          seen[id] = revision
          if isFree {
            next = leased
            return
          }
        }
        await giveBack(claim: leased.lease)
      }
      guard let next else { return (activated, refused) }
      let id = next.lease.id
      do {
        if let flow = try await open(claim: next) {
          begin(flow)
          await release(flow)
          if waits, !left.contains(id) { await flow.isGone() }
          activated.append(id)
          refused[id] = nil
        } else {
          await giveBack(claim: next.lease)
          seen[id] = nil
        }
      } catch { refused[id] = error }
      try Task.checkCancellation()
    }
  }

  /// Beats for the flows in memory, as ``run()`` does three times in each lease time.
  ///
  /// The store remembers and reports its error.
  package func renewLeasesNow() async { try? await renewEpoch() }

  /// Waits until no flow is in memory, except for those that are named.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled.
  package func emptied(exceptFor left: Set<FlowID> = []) async throws {
    while let flow = live.values.first(where: { !left.contains($0.id) }) {
      await flow.isGone()
      try Task.checkCancellation()
    }
  }

  /// The flows in memory, each with the steps at which it stands.
  package var atWork: [String] {
    live.values.map { flow in
      let steps = flow.committer.steps?.map(\.path).joined(separator: ", ") ?? "its beginning"
      return "\(flow.id) at \(steps)"
    }.sorted()
  }

  /// Simulates that the process was killed, as far as a living process can: nothing is written any more, and running
  /// steps are cancelled.
  package func die() async {
    isStopping = true
    for flow in live.values {
      flow.committer.lose(CancellationError())
      await flow.passivate()
    }
  }
}
