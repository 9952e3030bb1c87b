public import ActorFlow
public import ActorFlowHosting

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A store that on command fails, delays calls and replies, and loses acknowledgements, and otherwise passes calls to an
/// inner store.
///
/// The store gives leases if the inner store does. It counts its calls, so a test can fail each of them in turn: run
/// once without a fault, read ``calls``, and run again with a fault at 1, 2, 3…
public final class FaultyStore<Store: FlowStore>: FlowStore {
  private struct State: Sendable {
    var calls: [StoreCall] = []
    var counts: [StoreCall.Operation: Int] = [:]
    var plan: @Sendable (StoreCall) -> StoreFault?
  }

  /// The inner store, which does the work.
  public let store: Store
  private let state: Lock<State>

  /// Creates a store that applies the fault that `plan` returns for each call; `nil` for no fault.
  ///
  /// The closure `plan` runs in the task of the call, and for calls of several tasks at once.
  public init(_ store: Store, plan: @escaping @Sendable (StoreCall) -> StoreFault? = { _ in nil }) {
    self.store = store
    state = Lock(State(plan: plan))
  }

  /// Creates a store with one fault: at the call of this number, counted over all calls or over those of one operation.
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

  /// Returns the number of calls of an operation.
  public func count(of operation: StoreCall.Operation) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

  /// Replaces the plan, from the next call on.
  public func plan(_ plan: @escaping @Sendable (StoreCall) -> StoreFault?) {
    state.withLock { $0.plan = plan }
  }

  /// Whether the inner store keeps the values of a flow apart from its body.
  public var keepsValuesApart: Bool { store.keepsValuesApart }

  /// Whether the inner store can replace the history of a flow.
  public var canReplaceHistory: Bool { store.canReplaceHistory }

  /// Whether the inner store can tell which flows have changed.
  public var canListChanges: Bool { store.canListChanges }

  /// The damage of the store behind this one.
  public var damage: StoreDamage? { store.damage }

  /// Loads a flow.
  public func load(_ id: FlowID) async throws -> StoredFlow? {
    try await call(.load, id) { try await $0.load(id) }
  }

  /// Writes a flow's next snapshot.
  public func commit(_ write: FlowWrite) async throws -> StoredFlow {
    try await call(.commit, write.id) { try await $0.commit(write) }
  }

  /// Performs several writes: each is a call of its own, as ``commit(_:)-(FlowWrite)`` is.
  public func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
    var results: [Result<StoredFlow, FlowStoreError>] = []
    for write in writes {
      do { results.append(.success(try await commit(write))) } catch {
        results.append(
          .failure(
            error as? FlowStoreError ?? FlowStoreError(.outcomeUnknown, "a test lets the write fail", underlying: error)
          ))
      }
    }
    return results
  }

  /// Removes a flow.
  public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await call(.delete, id) { try await $0.delete(id, expecting: revision, fence: fence) }
  }

  /// Lists the flows that match a query.
  public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await call(.list, nil) { try await $0.list(query, after: cursor, limit: limit) }
  }

  /// Lists the open questions that match a query.
  public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await call(.tasks, nil) { try await $0.tasks(query, after: cursor, limit: limit) }
  }

  /// Counts the flows that match a query: a call of the operation `list`.
  public func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
    try await call(.list, nil) { try await $0.count(query, upTo: limit) }
  }

  /// Counts the open questions that match a query: a call of the operation `tasks`.
  public func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
    try await call(.tasks, nil) { try await $0.count(query, upTo: limit) }
  }

  /// Lists the flows that have changed: a call of the operation `list`.
  public func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    try await call(.list, nil) { try await $0.changed(query, after: cursor, limit: limit) }
  }

  /// Returns the cursor behind all changes: a call of the operation `list`.
  public func lastChange() async throws -> String { try await call(.list, nil) { try await $0.lastChange() } }

  /// Reads a flow's history.
  public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await call(.history, id) { try await $0.history(of: id, after: sequence, limit: limit) }
  }

  /// Reads a note.
  public func note(_ key: String) async throws -> StoreNote? {
    try await call(.note, nil) { try await $0.note(key) }
  }

  /// Writes or removes a note.
  public func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await call(.setNote, nil) { try await $0.setNote(note, under: key, replacing: old) }
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
    case .holdReply(let wait):
      let result: Result<Value, any Error>
      do { result = .success(try await work(store)) } catch { result = .failure(error) }
      await wait()
      return try result.get()
    case .lose:
      // A caller that gets no acknowledgement does not learn of a refusal either.
      _ = try? await work(store)
      throw FlowStoreError(
        operation.isWrite ? .outcomeUnknown : .unavailable, "a test lets the store lose its acknowledgement")
    }
  }
}

extension FaultyStore: LeasingFlowStore where Store: LeasingFlowStore {
  /// Attaches a host.
  public func attach(
    owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?
  ) async throws -> Epoch {
    try await call(.attach, nil) { try await $0.attach(owner: owner, for: time, as: attempt, after: old) }
  }

  /// Beats for a host.
  public func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
    try await call(.beat, nil) { try await $0.beat(epoch, for: time) }
  }

  /// Ends an epoch.
  public func detach(_ epoch: Epoch) async throws {
    try await call(.detach, nil) { try await $0.detach(epoch) }
  }

  /// Acquires a lease of a flow.
  public func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
    try await call(.acquire, id) { try await $0.acquire(id, under: epoch) }
  }

  /// Acquires a lease of a flow that has one of these versions.
  public func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow? {
    try await call(.acquire, id) { try await $0.acquire(id, under: epoch, serving: serving) }
  }

  /// Releases a lease.
  public func release(_ lease: FlowLease) async throws {
    try await call(.release, lease.id) { try await $0.release(lease) }
  }

  /// Claims flows that have work to do.
  public func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow] {
    try await call(.claimDue, nil) { try await $0.claimDue(under: epoch, serving: serving, limit: limit) }
  }

  /// Lists the flows that are leased under an epoch.
  public func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
    try await call(.leased, nil) { try await $0.leased(to: epoch, after: cursor, limit: limit) }
  }

  /// Asks when the next flow is due.
  public func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
    try await call(.nextDue, nil) { try await $0.nextDue(serving: serving) }
  }

  /// Lists the flows that other hosts wish for.
  public func wanted(under epoch: Epoch) async throws -> [FlowID] {
    try await call(.wanted, nil) { try await $0.wanted(under: epoch) }
  }

  /// A new stream of the inner store's changes. Reading it counts as no call.
  public var changes: AsyncStream<StoreChange>? { store.changes }
}
