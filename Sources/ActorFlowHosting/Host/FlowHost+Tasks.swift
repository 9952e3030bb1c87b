import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The host's unstructured tasks, and the reasons why each cannot be structured:
//
// 1. A flow in memory goes on after the request that activated it has returned, and outlives many other requests. So
//    its task is no request's child. The task ends when the flow is passivated, at the latest when the host stops.
// 2. Stopping: the work that ends a host whose `run` was cancelled must itself not be cancelled.
// 3. The pause before another attempt at a write with an unknown outcome: the caller may be cancelled, but the outcome
//    must be found out all the same.
// 4. A change in a transaction: its caller goes on with the transaction in the middle of the commit, and the change ends
//    after that.
// 5. A step within an observer's `around`: the observer may cancel the task that calls the step, which a child of that
//    task would inherit. The call awaits the task, and cancels it with the step's own task.
//
// The first is detached: what a flow does days later must not see the task-local values of the request that activated
// it. It has that request's priority: with a lower one it would wait for all requests of a busy process.
extension FlowHost {
  /// Runs a flow that was read or started, unless it runs already, has ended or is suspended. Running a suspended flow
  /// would try the failed step again, without a request.
  func begin(_ flow: LiveFlow) {
    guard !flow.hasEnded, !flow.isSuspended, flow.begin() else { return }
    shared.observation?.report(.activated, of: flow.committer.subject)
    // A turn of its own, so that a request that waits for the flow for a limited time begins to wait only after it.
    Task { self.drive(flow) }
  }

  /// Runs a flow until it is passivated, with no task-local value of the calling task.
  private func drive(_ flow: LiveFlow) {
    _ = Task.detached(priority: Task.currentPriority) {
      // The flow begins in this very task. Another task would first wait behind everything that the process does.
      async let isAway: Void = self.passivateWhenIdle(flow)
      await flow.coordinator.activate()
      flow.over.signal()
      await isAway
      await self.remove(flow)
    }
  }

  /// Makes a change in a task of its own.
  nonisolated func changing(_ change: @escaping @Sendable () async throws -> FlowView) -> Task<FlowView, any Error> {
    Task { try await change() }
  }

  nonisolated func shielded(_ work: @escaping @Sendable () async throws -> Void) async throws {
    try await Task { try await work() }.value
  }

  /// Waits until a flow has nothing to do and no users, then passivates it.
  private func passivateWhenIdle(_ flow: LiveFlow) async {
    let coordinator = flow.coordinator
    while await rests(flow) {
      guard flow.close() else {
        await flow.idle.wait()
        // The flow was passivated by a task that does not wait for its users.
        if await coordinator.isPassivated { break }
        continue
      }
      // After the last look, a caller may have given the flow something to do, or a timer may have fired.
      if await coordinator.passivateIfIdle() { break }
      // The flow was passivated meanwhile: it stays closed.
      if await coordinator.isPassivated { break }
      flow.reopen()
    }
    await coordinator.passivate()
    // Steps may still be running; nothing of theirs is held back any more.
    await coordinator.flushHeld()
  }

  /// Waits until the flow has nothing to do. Returns false if the flow was passivated meanwhile.
  private nonisolated func rests(_ flow: LiveFlow) async -> Bool {
    let coordinator = flow.coordinator
    // A flow that is answered while `keepHot` lasts, and then passivated, comes by here once more. Its `over` was
    // signaled for the last time, so it must not be waited for again.
    while await !coordinator.isPassivated {
      do {
        try await coordinator.passivatable()
        // A timer that is due fires now: the flow must not be passivated just before.
        if try await coordinator.fireDue() { continue }
        try await coordinator.askersAreBack()
        // A timer may have become due meanwhile, or a caller may have given the flow something to do.
        guard await coordinator.canPassivate else { continue }
      } catch { return false }
      if await coordinator.hasEffects, await !coordinator.hasStopped, !flow.isWanted {
        await wait(shared.options.effectTime, for: coordinator.effectsHaveEnded)
        guard await coordinator.canPassivate else { continue }
      }
      let revision = flow.committer.stored?.revision
      guard shared.options.keepHot > .zero, !flow.isWanted, await !coordinator.hasStopped else { return true }
      // Wait no longer than the flow runs.
      await wait(shared.options.keepHot, for: flow.over.wait)
      if flow.committer.stored?.revision == revision { return true }
    }
    return false
  }

  /// Waits for `something`, for at most `time`.
  nonisolated func wait(_ time: Duration, for something: @escaping @Sendable () async throws -> Void) async {
    let clock = shared.clock
    let end = clock.date(after: time)
    await withTaskGroup { group in
      group.addTask { await clock.rest(until: end) }
      // Ends with an error only if the flow was passivated or the task cancelled: then there is nothing to wait for.
      group.addTask { try? await something() }
      await group.next()
      group.cancelAll()
    }
  }
}

extension HostObservation {
  /// Starts a task with the task-local values of the calling one, which is not cancelled with it.
  static func task(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> { Task { await work() } }
}

extension HostContext {
  /// Waits for `time`, even if the calling task is cancelled.
  static func pause(_ time: Duration, by clock: any WallClock) async {
    // A clock that cannot pause makes the next attempt come at once.
    await Task { try? await clock.pause(for: time) }.value
  }
}
