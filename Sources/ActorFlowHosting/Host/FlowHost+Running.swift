import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// Activates flows that are due or that a crash or another host left, fires timers and keeps the host's leases, until
  /// the calling task is cancelled.
  ///
  /// Then the host stops and passivates every flow. Running steps are cancelled, running `backUp`s are not, and both
  /// have the grace period to return. Flows keep their positions, no other `backUp` is called, and leases are
  /// released. A stopped host takes no requests; a request that is under way throws `hostStopping`, unless it is in the
  /// store by then.
  ///
  /// While the store does not answer, it is polled again with pauses that grow to 30 seconds, and ``health()`` has the
  /// last error. When that has gone on for ``Options/outageLimit``, the host stops, as after a cancellation.
  ///
  /// - Throws: A `FlowError` with the code `alreadyRunning`, also if another process has a host of the same name;
  ///   `hostStopping` if the host has stopped; `wrongDeployment`
  ///   if the store belongs to another ``Options/deployment``; `stepsStillRunning`, naming the flows and their steps, if
  ///   some did not return in time: their tasks write nothing any more, and their leases expire. A ``FlowStoreError``
  ///   with the code `unavailable`, with the store's last error behind it, if the store was away for too long.
  public func run() async throws {
    try refuseStopping()
    guard !isRunning else { throw FlowError(.alreadyRunning, "this host is already running") }
    isRunning = true
    defer { isRunning = false }
    var outage: (any Error)?
    do {
      try await withThrowingTaskGroup { group in
        group.addTask { try await self.takeUp() }
        group.addTask { try await self.keepBeating() }
        group.addTask { await self.watchChanges() }
        group.addTask { await self.yieldFound() }
        group.addTask { await self.removeExpired() }
        // Unlike `waitForAll`, the loop ends at the first error, which cancels the other task.
        while try await group.next() != nil {}
      }
    } catch { outage = error }
    isStopping = true
    defer { shared.announceEnd(of: nil) }
    try await shielded { [outage] in try await self.stop(because: outage) }
    if let outage { throw outage }
  }

  /// Stops a host that does not ``run()``, such as that of a program that carries out one command.
  ///
  /// Every flow is passivated, as at the end of ``run()``: running steps are cancelled, running `backUp`s are not, and both
  /// have the grace period to return. Leases are released, so another host need not wait until they expire. A stopped host
  /// takes no requests. Do it before you close the store. Stopping twice has no effect.
  ///
  /// - Throws: A `FlowError` with the code `alreadyRunning` while the host runs: cancel the task of ``run()`` instead;
  ///   `stepsStillRunning` as ``run()``.
  public func shutDown() async throws {
    guard !isRunning else {
      throw FlowError(.alreadyRunning, "this host runs; cancel the task of `run()` to stop it")
    }
    isStopping = true
    defer { shared.announceEnd(of: nil) }
    try await shielded { try await self.stop() }
  }

  // MARK: - Activating

  /// - Throws: A ``FlowStoreError`` if the store has been away for too long.
  private func takeUp() async throws {
    while !Task.isCancelled {
      let now = shared.clock.now
      shared.wakes(at: now)
      do {
        try await checkDeployment()
        try await takeUpDue(at: now)
        let horizon = try await readTimers(at: now)
        polls.succeeded(at: now)
        await rest(until: max(horizon, now.addingTimeInterval(0.001)), orTimers: true)
      } catch {
        guard !Task.isCancelled else { return }
        if let error = error as? FlowError, error.code == .wrongDeployment || error.code == .alreadyRunning {
          throw error
        }
        shared.note(error, in: .polling)
        await rest(until: shared.clock.date(after: try pause(afterPollFailed: error)), orTimers: false)
      }
    }
  }

  /// Returns the pause after a poll that failed.
  ///
  /// - Throws: A ``FlowStoreError`` if the store has been away for too long.
  private func pause(afterPollFailed error: any Error) throws -> Duration {
    let limit = shared.options.outageLimit
    if let pause = polls.failed(at: shared.clock.now, limit: limit) { return pause }
    throw FlowStoreError(
      .unavailable,
      "the store has not answered for \(limit), in \(polls.failures.count) polls; the host has stopped, and its flows "
        + "remain in the store for another host", underlying: error)
  }

  private func takeUpDue(at now: Date) async throws {
    if shared.horizon.map({ $0.microseconds <= now.microseconds }) ?? true { wishes.refused = [] }
    if shared.store.givesLeases { return try await claimDue() }
    for query in [
      FlowQuery(status: [.runnable]), FlowQuery(status: [.waiting], dueBefore: now.addingTimeInterval(0.000_001)),
    ] {
      var cursor: String?
      repeat {
        let page = try await shared.store.list(query, after: cursor, limit: 100)
        for flow in page.flows where definitions[flow.definition] != nil { await takeUp(flow.id, nil) }
        cursor = page.cursor
      } while cursor != nil && !Task.isCancelled
    }
  }

  /// The versions of each definition that this host can run, with the older ones from which flows can move to them.
  var servedVersions: [String: ClosedRange<Int>] {
    definitions.reduce(into: [:]) { served, definition in
      let known = definition.value.keys + definition.value.values.compactMap(\.from)
      guard let first = known.min(), let last = known.max() else { return }
      served[definition.key] = first...last
    }
  }

  /// Whether this host claims a flow when it is due.
  func serves(_ snapshot: FlowSnapshot) -> Bool {
    servedVersions[snapshot.definition]?.contains(snapshot.version) ?? false
  }

  private func claimDue() async throws {
    let serving = servedVersions
    try await yieldWanted()
    // A flow that fails to load is claimed again at once, because its lease was released; skip it after the first
    // failure. Such flows are due longest: raise the limit by their number, or they would keep out all others.
    var (seen, refused): (Set<FlowID>, Set<FlowID>) = ([], [])
    var isOver = false
    while !isOver, !Task.isCancelled {
      let limit = 100 + refused.count
      let known = seen.count
      let count = try await withClaims(serving, limit) { leased in
        let id = leased.lease.id
        seen.insert(id)
        if refused.contains(id) {
          await giveBack(claim: leased.lease)
        } else if await !takeUp(id, leased) {
          refused.insert(id)
        }
      }
      isOver = count < limit || seen.count == known
    }
  }

  /// Activates a due flow. Returns false if that failed; it is tried again later.
  @discardableResult
  private func takeUp(_ id: FlowID, _ claim: LeasedFlow?) async -> Bool {
    if let flow = live[id] {
      // This host may have lost the flow with an older epoch, and a step of it still runs; or it is releasing the flow,
      // which is about to leave memory. The flow is claimed again when it is gone.
      let isOurs = claim.map { flow.lease == $0.lease && !flow.isReleasing } ?? true
      if let claim { await giveBack(claim: claim.lease) }
      return isOurs
    }
    // The end of the lease of a flow that cannot be activated is no reason to try again.
    wishes.refused.insert(id)
    do {
      guard let flow = if let claim { try await open(claim: claim) } else { try await take(id) } else {
        // A request was faster. The flow may have left memory meanwhile with something to do.
        if let claim { await giveBack(claim: claim.lease) }
        wishes.refused.remove(id)
        shared.changed(id, wakeAt: shared.clock.now)
        return false
      }
      wishes.refused.remove(id)
      begin(flow)
      await release(flow)
      return true
    } catch {
      if !isStopping {
        lastRefusedFlow = Health.Failure(error: error, at: shared.clock.now, flow: id)
        shared.note(error, in: .activating, of: id)
      }
      // A store that is away for a moment is no reason to wait for the next poll.
      if (error as? FlowStoreError)?.code == .unavailable {
        shared.changed(id, wakeAt: shared.clock.date(after: shared.failurePause))
      }
      return false
    }
  }

  /// Reads the timers that fire before the next poll, unless the last reading still covers the present. A store with
  /// leases is asked for the first timer only, because other hosts may fire the others: the next poll is then.
  ///
  /// Each reading has all timers up to the next poll, so timers cost the store nothing between two polls. A flow that
  /// is due by now and not in memory could not be activated; the next poll tries it again.
  ///
  /// - Returns: The date of the next poll.
  private func readTimers(at now: Date) async throws -> Date {
    if let horizon = shared.horizon, horizon.microseconds > now.microseconds { return horizon }
    var horizon = shared.clock.date(after: shared.options.pollInterval)
    var timers: [FlowID: Date] = [:]
    shared.beginReadingTimers()
    if shared.store.givesLeases {
      if let next = try await shared.store.nextDue(serving: servedVersions) { horizon = min(horizon, next) }
      shared.endReadingTimers(timers, after: now, until: horizon)
      return horizon
    }
    try await forEachFlow(FlowQuery(status: [.waiting], dueBefore: horizon)) { flow in
      guard definitions[flow.definition] != nil, let time = flow.wakeAt else { return }
      timers[flow.id] = time
    }
    shared.endReadingTimers(timers, after: now, until: horizon)
    return horizon
  }

  /// Sleeps until `time`, or until a flow that is not in memory is to be activated.
  private nonisolated func rest(until time: Date, orTimers: Bool) async {
    while !Task.isCancelled {
      let next = shared.sleeps(until: time, orTimers: orTimers)
      if next.microseconds <= shared.clock.now.microseconds { return }
      await sleep(until: next)
    }
  }

  /// Sleeps until `time`, or until the host is woken through `wakeUp`.
  private nonisolated func sleep(until time: Date) async {
    let (clock, wakeUp) = (shared.clock, shared.wakeUp)
    await withTaskGroup { group in
      group.addTask { await clock.rest(until: time) }
      group.addTask { await wakeUp.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: - Stopping

  /// Passivates every flow, and waits for those that run until the grace period is over.
  ///
  /// - Parameter outage: The error because of which the host stops, if the store has been away for too long.
  func stop(because outage: (any Error)? = nil) async throws {
    let flows = Array(live.values)
    for flow in flows { await flow.passivate() }
    let clock = shared.clock
    let deadline = clock.date(after: shared.options.gracePeriod)
    let late = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await clock.rest(until: deadline)
        return false
      }
      group.addTask {
        for flow in flows where flow.isAtWork {
          while await self.live[flow.id] === flow, !Task.isCancelled { await flow.isGone() }
        }
        return true
      }
      let isDone = await group.next() ?? true
      group.cancelAll()
      return isDone ? [] : flows.filter { live[$0.id] === $0 }
    }
    // While a step runs, its flow must not be taken by another host.
    guard !late.isEmpty else { return await detach() }
    for flow in late { flow.committer.lose(CancellationError()) }
    let names = late.map {
      "\($0.id) at \($0.committer.steps?.map(\.path).joined(separator: ", ") ?? "?")"
    }
    throw FlowError(
      .stepsStillRunning,
      "steps of \(late.count) flows did not return within the grace period: " + names.joined(separator: "; "),
      underlying: outage.map { [$0] } ?? [])
  }
}
