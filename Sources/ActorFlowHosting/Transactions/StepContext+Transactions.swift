public import ActorFlow

extension StepContext {
  /// Does work in the database of the host's store exactly once: what the work writes in the transaction and its record in
  /// the flow are stored together or not at all.
  ///
  /// ```swift
  /// try await context.once("invoice", in: store) { transaction, _ in
  ///   try await transaction.execute("INSERT INTO invoices VALUES ($1)", [order.id])
  /// }
  /// ```
  ///
  /// Unlike ``ActorFlow/StepContext/once(_:_:)-(String,(String)->T)``, whose work may have acted although its record is missing, this
  /// leaves no doubt after a crash. That holds for what is in this database, and for nothing else: a letter that `work`
  /// sends may be sent again.
  ///
  /// The work runs again, in a new transaction, if another transaction was in the way. It runs in a task that is not
  /// cancelled when the visit is left, as that of `once` does. The rows that it has written stay locked until its end.
  ///
  /// In a flow without a host, and in a step outside a flow, the work runs in a transaction, and its result is recorded
  /// as `once` does, or not at all.
  ///
  /// - Parameters:
  ///   - key: Names the effect within this place. It shares the namespace of `once` and `attempt`.
  ///   - store: The host's store.
  ///   - work: Gets a transaction, and an idempotency key as `once` gives it. Its result is recorded.
  /// - Throws: As `once`; `FlowError` with the code `badOptions` if the store is not the host's. ``FlowStoreError``:
  ///   `conflict` if other transactions were in the way each time, `outcomeUnknown` if it is not known whether the work is
  ///   stored: then the flow is read again, and the record shows it.
  public func once<Result: Codable & Sendable, Store: TransactionalFlowStore>(
    _ key: String, in store: Store,
    _ work: @escaping @Sendable (_ transaction: Store.Transaction, _ idempotencyKey: String) async throws -> Result
  ) async throws -> Result {
    try await once(key) { idempotencyKey, record in
      try await RecordedTransaction(store: store, record: record).perform { try await work($0, idempotencyKey) }
    }
  }

  /// Does work in the database of the host's store exactly once, for work that returns nothing; see
  /// ``once(_:in:_:)-(String,Store,(Store.Transaction,String)->Result)``.
  @_disfavoredOverload
  public func once<Store: TransactionalFlowStore>(
    _ key: String, in store: Store,
    _ work: @escaping @Sendable (_ transaction: Store.Transaction, _ idempotencyKey: String) async throws -> Void
  ) async throws {
    _ = try await once(key, in: store) { transaction, idempotencyKey in
      try await work(transaction, idempotencyKey)
      return Done()
    }
  }
}

/// The transaction of a `once`, whose last write is the record of its result.
private struct RecordedTransaction<Store: TransactionalFlowStore, Result: Sendable>: Sendable {
  /// The most transactions that one call begins.
  private static var mostTries: Int { 12 }

  let store: Store
  let record: @Sendable (Result, any CommitCause) async throws -> Void

  func perform(_ work: @escaping @Sendable (Store.Transaction) async throws -> Result) async throws -> Result {
    var tries = 1
    while true {
      do { return try await performOnce(work) } catch let error as Interrupted {
        guard tries < Self.mostTries else { throw error.reason }
        tries += 1
      }
    }
  }

  /// The error of a transaction that another one was in the way of. Nothing is stored.
  private struct Interrupted: Error {
    let reason: any Error
  }

  /// The result of the work, and the place where its record is committed.
  private typealias Recording = (result: Result, pending: PendingWrite)

  private func performOnce(
    _ work: @escaping @Sendable (Store.Transaction) async throws -> Result
  ) async throws -> Result {
    // The record is committed in a task of its own, which waits for the end of the transaction.
    try await withThrowingTaskGroup(of: Void.self) { group in
      var recording: Recording?
      var failure: (any Error)?
      do {
        try await store.withTransaction { transaction in
          let result = try await work(transaction)
          let pending = PendingWrite(in: transaction, clock: .system) { throw CancellationError() }
          recording = (result, pending)
          group.addTask {
            do {
              try await record(result, RecordCause(pending))
              pending.isOver()
            } catch {
              pending.isOver(error)
              throw error
            }
          }
          try await pending.isFiled()
        }
      } catch { failure = error }
      guard let recording else { throw Self.interruption(failure ?? CancellationError()) }
      // If it cannot be found out, the committer asks once more, and says so.
      _ = try? await recording.pending.decide()
      do { try await group.waitForAll() } catch let error as RolledBackCommit {
        if let reason = error.reason { throw reason }
        throw Self.interruption(failure ?? FlowStoreError(.conflict, "the transaction was rolled back"))
      }
      // Without a commit of the flow, only the transaction says whether the work is stored.
      if let failure, !recording.pending.isWritten { throw Self.interruption(failure) }
      return recording.result
    }
  }

  private static func interruption(_ error: any Error) -> any Error {
    (error as? FlowStoreError)?.code == .conflict ? Interrupted(reason: error) : error
  }
}

/// The cause of a commit that records the result of work in its transaction.
private final class RecordCause: TransactionalCause {
  let pending: PendingWrite?
  /// The step's own work is under way.
  var needsRest: Bool { false }

  init(_ pending: PendingWrite) { self.pending = pending }

  func notesAuditedAnswer(_ answer: any Sendable) {}
}
