public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension MemoryFlowStore {
  /// Attaches a host under a name.
  public func attach(
    owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?
  ) async throws -> Epoch {
    let until = StoredTime(clock.now).later(by: time).microseconds
    let (fence, news) = try state.withLock { state throws(FlowStoreError) in
      let (fence, freed) = try state.leases.attach(owner, until: until, as: attempt, after: old)
      return (fence, state.noteDue(of: freed))
    }
    streams.tell(news)
    return Epoch(owner: owner, fence: fence, until: Date(microseconds: until))
  }

  /// Moves the time at which the next beat of a host is overdue.
  public func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
    let until = StoredTime(clock.now).later(by: time).microseconds
    try state.withLock { state throws(FlowStoreError) in try state.leases.beat(epoch, until: until) }
    return Epoch(owner: epoch.owner, fence: epoch.fence, until: Date(microseconds: until))
  }

  /// Ends an epoch.
  public func detach(_ epoch: Epoch) async throws {
    streams.tell(state.withLock { state in state.noteDue(of: state.leases.detach(epoch)) })
  }

  /// Leases a flow to a host.
  public func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
    let (flow, _) = try acquire(id, under: epoch, if: { _ in true })
    return LeasedFlow(FlowLease(of: id, under: epoch), flow)
  }

  /// Leases a flow to a host that can run these versions.
  public func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow? {
    let (flow, isLeased) = try acquire(id, under: epoch) { serving.includes($0.definition, $0.version) }
    return isLeased ? LeasedFlow(FlowLease(of: id, under: epoch), flow) : nil
  }

  /// Leases a flow, unless it is stored and `isServed` says no.
  private func acquire(
    _ id: FlowID, under epoch: Epoch, if isServed: (FlowSnapshot) -> Bool
  ) throws -> (flow: StoredFlow?, isLeased: Bool) {
    let now = clock.now.microseconds
    do {
      let (flow, news, isLeased) = try state.withLock { state throws(FlowStoreError) in
        try state.leases.check(epoch)
        let flow = state.records[id]?.flow
        if let flow, !isServed(flow.snapshot) { return (StoredFlow?.none, [StoreChange](), false) }
        let isNew = state.leases[id]?.fence != epoch.fence
        let freed = try state.leases.give(id, under: epoch, at: now)
        if isNew { _ = state.leases.takeWish(for: id) }
        return (flow, state.noteDue(of: freed + [id]), true)
      }
      streams.tell(news)
      return (flow, isLeased)
    } catch {
      if error.code == .leased, let lease = state.withLock({ $0.leases.wish(for: id) }) {
        streams.tell([.wanted(id, under: lease.fence)])
      }
      throw error
    }
  }

  /// Releases a lease.
  public func release(_ lease: FlowLease) async throws {
    streams.tell(
      state.withLock { state in
        state.leases.giveBack(lease.fence, of: lease.id) ? state.noteDue(of: [lease.id]) : []
      })
  }

  /// Leases flows that have work to do.
  public func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow] {
    let now = clock.now.microseconds
    let (leased, news) = try state.withLock { state throws(FlowStoreError) in
      try state.leases.check(epoch)
      var news: [StoreChange] = []
      guard limit > 0 else { return ([LeasedFlow](), news) }
      for owner in state.leases.overdue(at: now, except: epoch)
      where state.leases.flows(of: owner).contains(where: { state.isDue($0, at: now, serving: serving) }) {
        news += state.noteDue(of: state.leases.end(owner))
      }
      var leased: [LeasedFlow] = []
      for name in state.due.due(at: now, serving: serving, limit: limit) {
        let id = FlowID(name)
        _ = try state.leases.give(id, under: epoch, at: now)
        _ = state.leases.takeWish(for: id)
        _ = state.noteDue(of: [id])
        leased.append(LeasedFlow(FlowLease(of: id, under: epoch), state.records[id]?.flow))
      }
      return (leased, news)
    }
    streams.tell(news)
    return leased
  }

  /// Returns the time at which the next flow that is not leased becomes due.
  public func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
    let now = clock.now.microseconds
    return state.withLock { $0.due.next(after: now, serving: serving) }.map { Date(microseconds: $0) }
  }

  /// Returns the flows that are leased under an epoch and that another host wishes for.
  public func wanted(under epoch: Epoch) async throws -> [FlowID] { state.withLock { $0.leases.wanted(under: epoch) } }

  /// A new stream of the store's changes from now on.
  public var changes: AsyncStream<StoreChange>? { streams.stream() }

  /// Returns a page of the flows that are leased under an epoch.
  public func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
    try state.withLock { state throws(FlowStoreError) in
      try state.leases.page(of: epoch, after: cursor, limit: limit)
    }
  }
}

extension MemoryFlowStore.State {
  /// Updates when flows can be claimed, after their snapshots or leases have changed. Returns the changes to tell the
  /// hosts.
  mutating func noteDue(of ids: [FlowID]) -> [StoreChange] {
    var news: [StoreChange] = []
    for id in ids {
      let isLeased = leases[id] != nil
      if !isLeased, leases.takeWish(for: id) { news.append(.freed(id)) }
      guard let flow = records[id]?.flow else { continue }
      let snapshot = flow.snapshot
      // A leased flow is claimed by no other host until its lease ends.
      let due = isLeased ? nil : due(flow)
      let version = DueIndex.Version(definition: TextKey(snapshot.definition), number: snapshot.version)
      self.due.set(TextKey(id.description), of: version, due)
      if let due {
        let time = Date(microseconds: due.time)
        news.append(.due(id, definition: snapshot.definition, at: time))
      }
    }
    return news
  }

  /// Returns when a flow has work to do, leased or not; `nil` for never.
  private func due(_ flow: StoredFlow) -> DueIndex.Due? {
    guard let time = flow.dueAt?.microseconds else { return nil }
    return flow.snapshot.status == .runnable ? .now(since: time) : .at(time)
  }

  /// Returns whether a flow of these definitions has work to do.
  func isDue(_ id: FlowID, at now: Int64, serving: [String: ClosedRange<Int>]) -> Bool {
    guard let flow = records[id]?.flow else { return false }
    return serving.includes(flow.snapshot.definition, flow.snapshot.version)
      && flow.isDue(at: Date(microseconds: now))
  }
}
