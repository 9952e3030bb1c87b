public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Functions that change no flow. Only a flow that is to continue anyway is activated.
extension FlowHost {
  func view(_ id: FlowID) async throws -> FlowView {
    guard let stored = try await shared.store.load(id) else { throw noSuchFlow(id) }
    do { return FlowView(stored, try shared.state(of: stored)) } catch is ErasedKey {
      return try await erasedView(stored)
    }
  }

  func stored(_ id: FlowID) async throws -> (StoredFlow, HostedState) {
    guard let stored = try await shared.store.load(id) else { throw noSuchFlow(id) }
    do { return (stored, try shared.state(of: stored)) } catch is ErasedKey { throw HostContext.erased(id) }
  }

  func settled(_ id: FlowID, within time: Duration = .seconds(10)) async throws -> FlowView {
    do { return try await settledView(id, within: time) } catch is ErasedKey {
      return try await view(id)
    } catch let error as FlowError where error.code == .erased { return try await view(id) }
  }

  private func settledView(_ id: FlowID, within time: Duration) async throws -> FlowView {
    let deadline = shared.clock.date(after: time)
    var rounds = 0
    while true {
      rounds += 1
      // Calls that need not wait do not give up the thread, and a task that repeats them would keep it.
      if rounds > 2 { await Task.yield() }
      // A flow that is at work here is `runnable` in the store, too, so it need not be read.
      if !isAtWork(id) || shared.clock.now >= deadline {
        let view = try await view(id)
        guard view.status == .runnable, shared.clock.now < deadline else { return view }
      }
      let flow = try await take(id)
      begin(flow)
      if flow.isBegun { await wait(for: flow, until: deadline) }
      if flow.isBegun, let sequence = await flow.coordinator.presentableSequence {
        if let shown = flow.committer.view(at: sequence), shown.status == .runnable {
          await release(flow)
          return shown
        }
        // The next commit is in the store, but not yet in memory.
        // Throws if the flow was passivated: the loop looks at the store then.
        try? await flow.coordinator.waitForCommits()
      }
      await release(flow)
      try Task.checkCancellation()
      // If another host has the flow, the flow continues there. Any other failed write would be repeated for ever.
      if let failure = flow.committer.failure, flow.committer.view?.status == .runnable,
        !FlowStoreError.isTakenOver(failure)
      {
        throw failure
      }
    }
  }

  private func isAtWork(_ id: FlowID) -> Bool {
    guard let flow = live[id] else { return false }
    return flow.isBegun && flow.committer.stored?.snapshot.status == .runnable
  }

  private nonisolated func wait(for flow: LiveFlow, until deadline: Date) async {
    let (coordinator, clock) = (flow.coordinator, shared.clock)
    await withTaskGroup { group in
      // Throws if the flow was passivated: there is nothing to wait for then.
      group.addTask { try? await coordinator.presentable() }
      group.addTask { await clock.rest(until: deadline) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Returns a page of the flows that match a query, in the store's order.
  ///
  /// - Throws: Errors of the store. The error of the guard ``Options/access``.
  public func list(
    _ query: FlowQuery = FlowQuery(), after cursor: String? = nil, limit: Int = 100, by principal: Principal? = nil
  ) async throws -> FlowPage {
    try await allow(.list, by: principal, on: nil)
    var page = try await shared.store.list(query, after: cursor, limit: limit)
    for index in page.flows.indices { page.flows[index].labels[Definition.label] = nil }
    return page
  }

  /// Returns a page of the open questions that match a query, for an inbox.
  ///
  /// - Throws: Errors of the store. The error of the guard ``Options/access``.
  public func tasks(
    _ query: TaskQuery = TaskQuery(), after cursor: String? = nil, limit: Int = 100, by principal: Principal? = nil
  ) async throws -> TaskPage {
    try await allow(.list, by: principal, on: nil)
    var page = try await shared.store.tasks(query, after: cursor, limit: limit)
    for index in page.tasks.indices { page.tasks[index].labels[Definition.label] = nil }
    return page
  }

  /// Counts the flows that match a query, up to a limit.
  ///
  /// - Parameters:
  ///   - query: The flows to count.
  ///   - limit: The number at which counting ends; a number below 1 counts as 1. With 100, an answer of 100 means "99+".
  ///   - principal: The principal who counts, for the guard ``Options/access``.
  /// - Throws: Errors of the store. The error of the guard. `CancellationError` if the calling task is cancelled.
  public func count(_ query: FlowQuery, upTo limit: Int = 100, by principal: Principal? = nil) async throws -> Int {
    try await allow(.list, by: principal, on: nil)
    return try await shared.store.count(query, upTo: limit)
  }

  /// Counts the open questions that match a query, up to a limit, for the number at an inbox.
  ///
  /// - Parameters:
  ///   - query: The questions to count; its order does not matter.
  ///   - limit: The number at which counting ends; a number below 1 counts as 1. With 100, an answer of 100 means "99+".
  ///   - principal: The principal who counts, for the guard ``Options/access``.
  /// - Throws: Errors of the store. The error of the guard. `CancellationError` if the calling task is cancelled.
  public func count(_ query: TaskQuery, upTo limit: Int = 100, by principal: Principal? = nil) async throws -> Int {
    try await allow(.list, by: principal, on: nil)
    return try await shared.store.count(query, upTo: limit)
  }

  func history(of id: FlowID, after sequence: Int = 0, limit: Int = 1_000) async throws -> [HistoryEntry] {
    let entries = try await shared.store.history(of: id, after: sequence, limit: limit)
    // Every flow has an entry from its start on. Only a flow without entries may not exist.
    if entries.isEmpty, try await shared.store.load(id) == nil { throw noSuchFlow(id) }
    return entries.map(\.withoutTokens)
  }

  nonisolated func events(of id: FlowID) -> AsyncStream<NavigationEvent> { shared.watch(id) }
}
