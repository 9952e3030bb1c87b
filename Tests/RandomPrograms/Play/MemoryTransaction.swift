import ActorFlow
public import ActorFlowHosting
public import ActorFlowTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A transaction that a test ends.
public protocol TestTransaction: FlowTransaction {
  /// Commits the transaction, or rolls it back.
  ///
  /// - Throws: The error of a fault that a test has planned for the commit.
  func end(committing commits: Bool) async throws
}

/// A transaction over a store in memory, for tests: its writes are done when it is committed.
///
/// A fault that the test plans for a commit of the store is one of the transaction's COMMIT.
public final class MemoryTransaction<Store: FlowStore>: TestTransaction {
  public let changes = PendingChanges()
  private let base: FaultyStore<Store>
  private let state = Lock(State())

  private struct State: Sendable {
    var writes: [FlowWrite] = []
    var fate = TransactionFate.undecided
    var notes: [String] = []
    var rows: [@Sendable () -> Void] = []
  }

  public init(on base: FaultyStore<Store>) { self.base = base }

  public func belongs(to store: any FlowStore) -> Bool { (store as? FaultyStore<Store>).map { $0 === base } ?? true }

  /// What the caller has written beside the flows.
  public var notes: [String] { state.withLock { $0.notes } }
  public func note(_ text: String) { state.withLock { $0.notes.append(text) } }

  /// Writes a row, which is there when the transaction is committed.
  public func whenCommitted(_ row: @escaping @Sendable () -> Void) { state.withLock { $0.rows.append(row) } }

  public func write(_ write: FlowWrite) async throws -> StoredFlow {
    let found = try await base.store.load(write.id)
    try (found?.revision ?? .none).check(isExpected: write.expecting, of: write.id)
    try state.withLock { state throws(FlowStoreError) in
      guard state.fate == .undecided else { throw FlowStoreError(.unavailable, "the transaction has ended") }
      state.writes.append(write)
    }
    return StoredFlow(
      id: write.id, revision: write.expecting.next, snapshot: write.snapshot.stored,
      changedAt: found?.changedAt ?? write.snapshot.startedAt ?? .distantPast)
  }

  public func end(committing commits: Bool) async throws {
    let writes = state.withLock { $0.writes }
    do {
      if commits { for write in writes { try await commit(write) } }
      decide(commits ? .committed : .rolledBack)
    } catch {
      // The reply of the last write may have been lost.
      var fate = TransactionFate.committed
      for write in writes where try await base.store.load(write.id)?.revision != write.expecting.next {
        fate = .rolledBack
      }
      decide(fate)
      throw error
    }
  }

  /// Makes a write. In a database its host could not have given the lease back meanwhile.
  private func commit(_ write: FlowWrite) async throws {
    do { _ = try await base.commit(write) } catch let error as FlowStoreError where error.code == .fenced {
      var write = write
      write.fence = nil
      _ = try await base.commit(write)
    }
  }

  private func decide(_ fate: TransactionFate) {
    let rows = state.withLock { state in
      state.fate = fate
      return state.rows
    }
    if fate == .committed { for row in rows { row() } }
  }

  public func fate(of write: FlowWrite) async throws -> TransactionFate { state.withLock { $0.fate } }
}

extension FaultyStore: TransactionalFlowStore {
  public func withTransaction<Result>(
    _ body: (MemoryTransaction<Store>) async throws -> Result
  ) async throws -> Result {
    let transaction = MemoryTransaction(on: self)
    let result: Result
    do { result = try await body(transaction) } catch {
      try await transaction.end(committing: false)
      throw error
    }
    try await transaction.end(committing: true)
    return result
  }
}
