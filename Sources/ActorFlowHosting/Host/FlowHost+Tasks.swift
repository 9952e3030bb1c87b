import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The host's unstructured tasks, and why they are none of Swift's structured kinds:
//
// 1. A flow in memory goes on when the request that took it up has returned, and with many flows under way requests
//    come and go; it is nobody's child. It ends when the flow is put away, at the latest when the host is.
// 2. Stopping: what ends a host whose `run` was cancelled must itself not be cancelled.
// 3. The pause before another attempt at a write whose outcome is not known: who asked for it may be cancelled, and the
//    write is to be settled all the same.
//
// The first is detached: what a flow does days later must not see the task-local values of the request that woke it. It
// has that request's priority: behind a busy process's requests a lower one would wait for all of them.
extension FlowHost {
  /// Lets a flow run that was read or started, unless it does, or has ended.
  func begin(_ flow: LiveFlow) {
    guard !flow.hasEnded, flow.begin() else { return }
    // In a turn of its own, so that a request that waits for the flow, for a limited time, begins to wait after that.
    Task { self.drive(flow) }
  }

  /// Runs a flow until it is put away, with no task-local value of the calling task.
  private func drive(_ flow: LiveFlow) {
    _ = Task.detached(priority: Task.currentPriority) {
      // The flow begins in this very task: another one would wait for its turn first, behind all that the process does.
      async let isAway: Void = self.putAwayWhenIdle(flow)
      await flow.coordinator.goOn()
      flow.over.ring()
      await isAway
      await self.remove(flow)
    }
  }

  nonisolated func shielded(_ work: @escaping @Sendable () async throws -> Void) async throws {
    try await Task { try await work() }.value
  }

  /// Waits until a flow has nothing to do and nobody uses it, then puts it away.
  private func putAwayWhenIdle(_ flow: LiveFlow) async {
    let coordinator = flow.coordinator
    while await rests(flow) {
      guard flow.close() else {
        await flow.idle.wait()
        // Put away by somebody else, who does not wait for those who use it.
        if await coordinator.isParked { break }
        continue
      }
      // Since it rested, a caller may have given it something to do, or a timer may have fired.
      if await coordinator.parkIfIdle() { break }
      // Put away meanwhile: it stays closed.
      if await coordinator.isParked { break }
      flow.reopen()
    }
    await coordinator.park()
  }

  /// Waits until there is nothing to do. False: the flow was put away meanwhile.
  private nonisolated func rests(_ flow: LiveFlow) async -> Bool {
    let coordinator = flow.coordinator
    // One that was put away after it had been answered comes by here once more, and has rung for the last time.
    while await !coordinator.isParked {
      do {
        try await coordinator.rests()
        // It is not put away just before its time.
        if try await coordinator.ringDue() { continue }
        try await coordinator.askersAreBack()
        // What has become due meanwhile, or was given to do.
        guard await coordinator.isResting else { continue }
      } catch { return false }
      if await coordinator.hasEffects, await !coordinator.isAtRest {
        await wait(office.options.effectTime, for: coordinator.effectsHaveEnded)
        guard await coordinator.isResting else { continue }
      }
      let revision = flow.ledger.stored?.revision
      guard office.options.keepHot > .zero, await !coordinator.isAtRest else { return true }
      // No longer than it goes on.
      await wait(office.options.keepHot, for: flow.over.wait)
      if flow.ledger.stored?.revision == revision { return true }
    }
    return false
  }

  /// Waits for something, at most for so long.
  private nonisolated func wait(_ time: Duration, for something: @escaping @Sendable () async throws -> Void) async {
    let clock = office.clock
    let end = clock.date(after: time)
    await withTaskGroup { group in
      group.addTask { try? await clock.sleep(until: end) }
      group.addTask { try? await something() }
      await group.next()
      group.cancelAll()
    }
  }
}

extension HostOffice {
  /// Waits, also if the calling task is cancelled.
  static func pause(_ time: Duration, by clock: any WallClock) async {
    await Task { try? await clock.pause(for: time) }.value
  }
}
