public import ActorFlow
public import ActorFlowHosting

/// A store that fails, delays and loses acknowledgements on command, and otherwise does what the store in it does.
///
/// It gives leases if that one does. It counts its calls, so a test can fail each of them in turn: run once without
/// a fault, read ``calls``, and run again with a fault at 1, 2, 3…
public final class FaultyStore<Store: FlowStore>: FlowStore {
  private struct State: Sendable {
    var calls: [StoreCall] = []
    var counts: [StoreCall.Operation: Int] = [:]
    var plan: @Sendable (StoreCall) -> StoreFault?
  }

  /// The store that does the work.
  public let store: Store
  private let state: Lock<State>

  /// A store that does to each call what `plan` says; nil for no fault. `plan` is called in the
  /// task of the call, for calls of several tasks at once.
  public init(_ store: Store, plan: @escaping @Sendable (StoreCall) -> StoreFault? = { _ in nil }) {
    self.store = store
    state = Lock(State(plan: plan))
  }

  /// A store with one fault: at the call of this number, or at the call of this number of one operation.
  public convenience init(
    _ store: Store, at number: Int, of operation: StoreCall.Operation? = nil, _ fault: StoreFault
  ) {
    self.init(store) { call in
      guard let operation else { return call.number == number ? fault : nil }
      return call.operation == operation && call.numberOfOperation == number ? fault : nil
    }
  }

  /// The calls so far, in order.
  public var calls: [StoreCall] { state.withLock { $0.calls } }

  /// How many calls of an operation there were.
  public func count(of operation: StoreCall.Operation) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

  /// Replaces the plan, from the next call on.
  public func plan(_ plan: @escaping @Sendable (StoreCall) -> StoreFault?) {
    state.withLock { $0.plan = plan }
  }

  /// What the store has of a flow.
  public func load(_ id: FlowID) async throws -> StoredFlow? {
    try await call(.load, id) { try await $0.load(id) }
  }

  /// Writes a flow's next snapshot.
  public func commit(
    _ snapshot: FlowSnapshot, to id: FlowID, expecting revision: Revision, fence: Fence?, as commit: CommitID,
    appending history: [HistoryEntry]
  ) async throws -> StoredFlow {
    try await call(.commit, id) {
      try await $0.commit(snapshot, to: id, expecting: revision, fence: fence, as: commit, appending: history)
    }
  }

  /// Removes a flow.
  public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await call(.delete, id) { try await $0.delete(id, expecting: revision, fence: fence) }
  }

  /// The flows that fit.
  public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await call(.list, nil) { try await $0.list(query, after: cursor, limit: limit) }
  }

  /// The open questions that fit.
  public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await call(.tasks, nil) { try await $0.tasks(query, after: cursor, limit: limit) }
  }

  /// A flow's history.
  public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await call(.history, id) { try await $0.history(of: id, after: sequence, limit: limit) }
  }

  private func call<Value>(
    _ operation: StoreCall.Operation, _ id: FlowID?, _ work: (Store) async throws -> Value
  ) async throws -> Value {
    let (call, plan) = state.withLock { state in
      state.counts[operation, default: 0] += 1
      let call = StoreCall(
        number: state.calls.count + 1, numberOfOperation: state.counts[operation] ?? 0, operation: operation, id: id)
      state.calls.append(call)
      return (call, state.plan)
    }
    switch plan(call)?.kind {
    case nil: return try await work(store)
    case .fail(let error): throw error
    case .delay(let wait):
      try await wait()
      return try await work(store)
    case .lose:
      // Who hears nothing does not hear of a refusal either.
      _ = try? await work(store)
      throw FlowStoreError(
        operation.isWrite ? .outcomeUnknown : .unavailable, "a test lets the store lose its acknowledgement")
    }
  }
}

extension FaultyStore: LeasingFlowStore where Store: LeasingFlowStore {
  /// Takes the right to run a flow.
  public func acquire(_ id: FlowID, owner: String, for time: Duration) async throws -> FlowLease {
    try await call(.acquire, id) { try await $0.acquire(id, owner: owner, for: time) }
  }

  /// Moves the end of a lease.
  public func renew(_ lease: FlowLease, for time: Duration) async throws -> FlowLease {
    try await call(.renew, lease.id) { try await $0.renew(lease, for: time) }
  }

  /// Gives a lease back.
  public func release(_ lease: FlowLease) async throws {
    try await call(.release, lease.id) { try await $0.release(lease) }
  }

  /// Takes flows that have work to do.
  public func claimDue(
    owner: String, serving: [String: ClosedRange<Int>], for time: Duration, limit: Int
  ) async throws -> [FlowLease] {
    try await call(.claimDue, nil) { try await $0.claimDue(owner: owner, serving: serving, for: time, limit: limit) }
  }
}
