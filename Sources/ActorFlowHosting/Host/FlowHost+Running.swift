import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// Takes up flows that a crash or another host left, rings timers and renews leases, until the calling task is
  /// cancelled. Then everything is put away: running steps are cancelled and have the grace period to come back, nothing
  /// is left or undone, leases are released. A host that was stopped takes no requests, and who has one under way gets
  /// `notRunning`, unless it is in the store by then.
  ///
  /// - Throws: A `FlowError` with the code `alreadyRunning`; `stepFailed`, naming the flows and their steps, if some did
  ///   not come back in time: their tasks write nothing any more, and their leases expire.
  public func run() async throws {
    try refuseStopping()
    guard !isRunning else { throw FlowError(.alreadyRunning, "this host runs already") }
    isRunning = true
    defer { isRunning = false }
    await withTaskGroup { group in
      group.addTask { await self.takeUp() }
      group.addTask { await self.renewLeases() }
    }
    isStopping = true
    defer { office.announceEnd(of: nil) }
    try await shielded { try await self.stop() }
  }

  // MARK: - Taking up

  private func takeUp() async {
    while !Task.isCancelled {
      office.wakes()
      let now = office.clock.now
      let poll = now.addingTimeInterval(office.options.pollInterval / .seconds(1))
      var next = poll
      do {
        try await takeUpDue(at: now)
        next = try await nextDue(after: now, before: poll) ?? poll
      } catch {}  // the store cannot be asked at present; it is in a while
      office.sleeps(until: next)
      _ = await sleep(until: max(next, now.addingTimeInterval(0.001)))
    }
  }

  private func takeUpDue(at now: Date) async throws {
    if let store = office.store as? any LeasingFlowStore { return try await takeUpDue(from: store) }
    for query in [
      FlowQuery(status: [.runnable]), FlowQuery(status: [.waiting], dueBefore: now.addingTimeInterval(0.000_001)),
    ] {
      var cursor: String?
      repeat {
        let page = try await office.store.list(query, after: cursor, limit: 100)
        for flow in page.flows where definitions[flow.definition] != nil { await takeUp(flow.id, nil) }
        cursor = page.cursor
      } while cursor != nil && !Task.isCancelled
    }
  }

  private func takeUpDue(from store: any LeasingFlowStore) async throws {
    // Also versions that flows only come from.
    let serving = definitions.compactMapValues { versions -> ClosedRange<Int>? in
      let known = versions.keys + versions.values.compactMap(\.from)
      guard let first = known.min(), let last = known.max() else { return nil }
      return first...last
    }
    // What could not be taken up comes again at once, because its lease was given back; once is enough. As it is due
    // longest, so many more are asked for, or it would stand before everything else.
    var (seen, refused): (Set<FlowID>, Set<FlowID>) = ([], [])
    var isOver = false
    while !isOver, !Task.isCancelled {
      let limit = 100 + refused.count
      let leases = try await store.claimDue(
        owner: owner, serving: serving, for: office.options.leaseTime, limit: limit)
      isOver = leases.count < limit
      let known = seen.count
      for lease in leases {
        seen.insert(lease.id)
        if refused.contains(lease.id) {
          await giveBack(lease)
        } else if await !takeUp(lease.id, lease) {
          refused.insert(lease.id)
        }
      }
      if seen.count == known { isOver = true }
    }
  }

  /// One that cannot be taken up now is tried again in a while. False: it could not.
  @discardableResult
  private func takeUp(_ id: FlowID, _ lease: FlowLease?) async -> Bool {
    if let flow = live[id] { return await adopt(lease, for: flow) }
    guard let flow = try? await take(id, lease: lease) else {
      await giveBack(lease)
      return false
    }
    begin(flow)
    // Somebody else may have taken it up meanwhile, with a lease of his own.
    let isHeld = await adopt(lease, for: flow)
    await release(flow)
    return isHeld
  }

  /// A flow that is in memory comes to be due when its lease has run out: it goes on under the new one. Nobody has written
  /// it in between, or its next write is refused as before. False: it is lost here, and what is stored is anybody's.
  private func adopt(_ lease: FlowLease?, for flow: LiveFlow) async -> Bool {
    guard let lease else { return true }
    guard flow.ledger.adopt(lease.fence) else {
      await giveBack(lease)
      return false
    }
    flow.lease.withLock { $0 = lease }
    return true
  }

  /// What was due before and is not in memory could not be taken up: it is tried again with the next poll, not at once.
  private func nextDue(after now: Date, before end: Date) async throws -> Date? {
    let page = try await office.store.list(FlowQuery(status: [.waiting], dueBefore: end), after: nil, limit: 100)
    return page.flows.compactMap { live[$0.id] == nil ? $0.wakeAt : nil }.filter {
      $0 > now.addingTimeInterval(0.000_001)
    }.min()
  }

  /// Sleeps until then, or until somebody rings.
  private nonisolated func sleep(until time: Date) async {
    let (clock, doorbell) = (office.clock, office.doorbell)
    await withTaskGroup { group in
      group.addTask { try? await clock.sleep(until: time) }
      group.addTask { await doorbell.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: - Leases

  private func renewLeases() async {
    guard let store = office.store as? any LeasingFlowStore else { return }
    let time = office.options.leaseTime
    while true {
      do { try await office.clock.sleep(until: office.clock.now.addingTimeInterval(time / .seconds(3))) } catch {
        return
      }
      for flow in live.values {
        guard let lease = flow.lease.withLock({ $0 }) else { continue }
        do {
          let renewed = try await store.renew(lease, for: time)
          flow.lease.withLock { if $0?.fence == lease.fence { $0 = renewed } }
        } catch let error as FlowStoreError where error.code == .fenced {
          // It may have got another one here.
          if flow.lease.withLock({ $0?.fence == lease.fence }) { flow.dismiss(error) }
        } catch {}  // it is renewed in a while, or expires
      }
    }
  }

  // MARK: - Stopping

  func stop() async throws {
    let flows = Array(live.values)
    for flow in flows { flow.park() }
    let clock = office.clock
    let deadline = clock.now.addingTimeInterval(office.options.gracePeriod / .seconds(1))
    let late = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        try? await clock.sleep(until: deadline)
        return false
      }
      group.addTask {
        for flow in flows where flow.isBegun {
          while await self.live[flow.id] === flow, !Task.isCancelled { await flow.isGone() }
        }
        return true
      }
      let isDone = await group.next() ?? true
      group.cancelAll()
      return isDone ? [] : flows.filter { live[$0.id] === $0 }
    }
    guard !late.isEmpty else { return }
    for flow in late { flow.ledger.lose(CancellationError()) }
    let names = late.map {
      "\($0.id) at \($0.ledger.stored?.snapshot.steps.map(\.path).joined(separator: ", ") ?? "?")"
    }
    throw FlowError(
      .stepFailed, "\(late.count) flows have not come back within the grace period: " + names.joined(separator: "; "))
  }
}
