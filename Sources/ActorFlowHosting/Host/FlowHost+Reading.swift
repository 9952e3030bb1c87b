public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What changes nothing, and wakes nothing but what is to go on anyway.
extension FlowHost {
  /// A flow as the store has it. Of one that has ended it says so, also where the store lists it with another status; it
  /// is listed right when a host takes it up.
  ///
  /// - Throws: A `FlowError` with the code `noSuchFlow`. What the store throws.
  public func view(_ id: FlowID) async throws -> FlowView {
    let (stored, state) = try await stored(id)
    return FlowView(stored, state)
  }

  func stored(_ id: FlowID) async throws -> (StoredFlow, HostedState) {
    guard let stored = try await office.store.load(id) else { throw noSuchFlow(id) }
    return (stored, try office.state(of: stored))
  }

  /// Waits until a flow waits for somebody or for a timer, stands still, or has ended: the page after an answer.
  ///
  /// A step that asks and waits for a signal at once has a task for each, and nobody can see whether one that has got
  /// what it wanted is at work or has ended. So the flow is `runnable` until as much is open again as there was; this
  /// returns when the step has a question open.
  ///
  /// - Parameters:
  ///   - id: The flow.
  ///   - time: How long to wait at most, by the host's clock.
  /// - Returns: The flow as it is then; if the time was over, as it is on the way.
  /// - Throws: As ``view(_:)``; `CancellationError` if the waiting task is cancelled; what the store throws if it does not
  ///   take what the flow does, so that the flow was put away on the way. It goes on when it is taken up again.
  public func settled(_ id: FlowID, within time: Duration = .seconds(10)) async throws -> FlowView {
    let deadline = office.clock.date(after: time)
    while true {
      // Of one that is at work here the store says so, too.
      if !isAtWork(id) || office.clock.now >= deadline {
        let view = try await view(id)
        guard view.status == .runnable, office.clock.now < deadline else { return view }
      }
      let flow = try await take(id)
      begin(flow)
      if flow.isBegun { await wait(for: flow, until: deadline) }
      if flow.isBegun, let sequence = await flow.coordinator.shownSequence {
        if let shown = flow.ledger.view(at: sequence), shown.status == .runnable {
          await release(flow)
          return shown
        }
        // The next commit is in the store, and not yet in memory.
        try? await flow.coordinator.catchUp()
      }
      await release(flow)
      try Task.checkCancellation()
      // Another host has it: there it goes on. Nobody can write it: it would be tried for ever.
      if let failure = flow.ledger.failure, flow.ledger.view?.status == .runnable,
        !FlowStoreError.isTakenOver(failure)
      {
        throw failure
      }
    }
  }

  private func isAtWork(_ id: FlowID) -> Bool {
    guard let flow = live[id] else { return false }
    return flow.isBegun && flow.ledger.stored?.snapshot.status == .runnable
  }

  private nonisolated func wait(for flow: LiveFlow, until deadline: Date) async {
    let (coordinator, clock) = (flow.coordinator, office.clock)
    await withTaskGroup { group in
      group.addTask { try? await coordinator.shows() }
      group.addTask { try? await clock.sleep(until: deadline) }
      await group.next()
      group.cancelAll()
    }
  }

  /// The flows that fit, by id.
  ///
  /// - Throws: What the store throws.
  public func list(_ query: FlowQuery = FlowQuery(), after cursor: String? = nil, limit: Int = 100) async throws
    -> FlowPage
  {
    var page = try await office.store.list(query, after: cursor, limit: limit)
    for index in page.flows.indices { page.flows[index].labels[Definition.label] = nil }
    return page
  }

  /// The open questions that fit: somebody's inbox.
  ///
  /// - Throws: What the store throws.
  public func tasks(_ query: TaskQuery = TaskQuery(), after cursor: String? = nil, limit: Int = 100) async throws
    -> TaskPage
  {
    try await office.store.tasks(query, after: cursor, limit: limit)
  }

  /// Who did what, and when, oldest first. An entry was written in the commit that made it true.
  ///
  /// - Parameters:
  ///   - id: The flow.
  ///   - sequence: Only entries with a greater number; 0 for all.
  ///   - limit: How many at most.
  /// - Returns: The entries; none if the flow has no later ones.
  /// - Throws: A `FlowError` with the code `noSuchFlow`. What the store throws.
  public func history(of id: FlowID, after sequence: Int = 0, limit: Int = 1_000) async throws -> [HistoryEntry] {
    let entries = try await office.store.history(of: id, after: sequence, limit: limit)
    // A flow has an entry from its start on, so only where none came it may be that there is none.
    if entries.isEmpty, try await office.store.load(id) == nil { throw noSuchFlow(id) }
    return entries.map(\.withoutTokens)
  }

  /// What a flow does from now on at this host, each event after its commit. It ends when the flow ends here, when it is
  /// deleted here, and when the host has stopped. Of a flow that has ended before, or that another host runs, nothing
  /// comes: look at its ``view(_:)`` when you have begun to listen.
  ///
  /// It cannot fail, so of a flow that does not exist nothing comes either, until one of this id is started here.
  ///
  /// A reader that falls behind by 256 events misses the oldest, and sees that by their numbers. What the host itself
  /// does between two events has a number of its own, see ``HistoryEntry/what``: it is in the history, and not here.
  public nonisolated func events(of id: FlowID) -> AsyncStream<NavigationEvent> { office.watch(id) }
}
