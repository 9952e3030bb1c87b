#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowTesting
  import Foundation

  /// A store of any type, so that shards can have several.
  struct MixedStore: LeasingFlowStore {
    let store: any LeasingFlowStore

    /// A harness for the stores of another one, as far as a store in memory goes.
    static func harness(_ inner: FlowStoreHarness) -> FlowStoreHarness {
      @Sendable func mixed(_ store: any FlowStore) throws -> MixedStore {
        guard let store = store as? any LeasingFlowStore else {
          throw FlowStoreError(.unavailable, "the store gives no leases")
        }
        return MixedStore(store: store)
      }
      var harness = FlowStoreHarness { try mixed(try await inner.make()) }
      harness.secondHandle = { store in
        guard let store = store as? MixedStore else { return store }
        return try mixed(try await inner.secondHandle(store.store))
      }
      // A store in memory needs no closing.
      harness.close = { store in
        if let store = store as? MixedStore { try await inner.close?(store.store) }
      }
      (harness.now, harness.advance) = (inner.now, inner.advance)
      return harness
    }

    var keepsValuesApart: Bool { store.keepsValuesApart }
    var canReplaceHistory: Bool { store.canReplaceHistory }
    var canListChanges: Bool { store.canListChanges }
    var damage: StoreDamage? { store.damage }
    var changes: AsyncStream<StoreChange>? { store.changes }

    func load(_ id: FlowID) async throws -> StoredFlow? { try await store.load(id) }
    func commit(_ write: FlowWrite) async throws -> StoredFlow { try await store.commit(write) }
    func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] { await store.commit(writes) }
    func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
      try await store.delete(id, expecting: revision, fence: fence)
    }
    func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
      try await store.list(query, after: cursor, limit: limit)
    }
    func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
      try await store.tasks(query, after: cursor, limit: limit)
    }
    func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
      try await store.changed(query, after: cursor, limit: limit)
    }
    func lastChange() async throws -> String { try await store.lastChange() }
    func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int { try await store.count(query, upTo: limit) }
    func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int { try await store.count(query, upTo: limit) }
    func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
      try await store.history(of: id, after: sequence, limit: limit)
    }
    func note(_ key: String) async throws -> StoreNote? { try await store.note(key) }
    func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
      try await store.setNote(note, under: key, replacing: old)
    }
    func attach(owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?) async throws -> Epoch {
      try await store.attach(owner: owner, for: time, as: attempt, after: old)
    }
    func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch { try await store.beat(epoch, for: time) }
    func detach(_ epoch: Epoch) async throws { try await store.detach(epoch) }
    func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
      try await store.acquire(id, under: epoch)
    }
    func release(_ lease: FlowLease) async throws { try await store.release(lease) }
    func claimDue(
      under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
    ) async throws -> [LeasedFlow] {
      try await store.claimDue(under: epoch, serving: serving, limit: limit)
    }
    func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
      try await store.leased(to: epoch, after: cursor, limit: limit)
    }
    func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
      try await store.nextDue(serving: serving)
    }
    func wanted(under epoch: Epoch) async throws -> [FlowID] { try await store.wanted(under: epoch) }
  }
#endif
