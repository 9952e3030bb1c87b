import ActorFlow

/// A transaction of the database in which flows are stored, with statements of the caller's own beside the flows' writes.
///
/// A change of a flow that is made in a transaction, and whatever the caller writes in it, are stored together or not at
/// all. The idea is the transactional outbox of message brokers, without a table of messages: the flow is the message.
///
/// Implemented by stores, whose transactions also know what became of them.
public protocol FlowTransaction: AnyObject, Sendable {
  /// Returns whether the transaction can write the flows of a host that has this store.
  ///
  /// A store that the transaction does not know may be one that passes its calls on to another.
  func belongs(to store: any FlowStore) -> Bool

  /// The changes of flows that wait for the end of the transaction.
  var changes: PendingChanges { get }

  /// Writes a flow, as `FlowStore.commit(_:)` does, but so that it is stored only with the transaction.
  ///
  /// A refusal leaves the transaction as it is, so that another write can follow.
  ///
  /// - Throws: ``FlowStoreError``, never `outcomeUnknown`: until the transaction is committed, nothing is stored.
  func write(_ write: FlowWrite) async throws -> StoredFlow

  /// Returns what has become of a write that was made in the transaction. The store finds it out by what is stored, and
  /// not by what the caller says of the transaction: its last reply may have been lost.
  ///
  /// - Throws: ``FlowStoreError`` if that cannot be found out at present.
  func fate(of write: FlowWrite) async throws -> TransactionFate
}

/// The fate of a write that was made in a transaction.
public enum TransactionFate: Sendable, Hashable {
  /// The transaction has not ended, as far as the database knows.
  case undecided
  /// The write is stored.
  case committed
  /// The write is not stored, and never will be.
  case rolledBack
}

/// A store that can write flows in transactions with statements of the caller's own.
public protocol TransactionalFlowStore: FlowStore {
  /// A transaction of the store's database.
  associatedtype Transaction: FlowTransaction

  /// Begins a transaction, calls `body`, and commits it; rolls it back if `body` throws.
  ///
  /// Call ``transaction(_:)`` instead, which also settles the changes of flows.
  ///
  /// - Throws: The error of `body`. ``FlowStoreError``: `conflict` if another transaction was in the way, so that a new
  ///   attempt may succeed; `outcomeUnknown` if it is not known whether the transaction was committed.
  func withTransaction<Result>(_ body: (Transaction) async throws -> Result) async throws -> Result
}

extension TransactionalFlowStore {
  /// Runs `body` in a transaction, in which flows can be changed beside other statements, and settles those changes.
  ///
  /// ```swift
  /// try await store.transaction { transaction in
  ///   try await transaction.execute("INSERT INTO orders VALUES ($1, $2)", [order.id, order.city])
  ///   try await checkouts.start(id: FlowID(order.id), with: order, in: transaction)
  /// }
  /// ```
  ///
  /// The order and its flow are stored together or not at all. The flow begins when both are: until then nothing of it
  /// runs, is announced or is shown.
  ///
  /// A transaction holds the rows that it has written, so `body` should end soon, and change each flow once at most.
  /// Requests of other flows are independent of the transaction, unless they say `in:`.
  ///
  /// - Parameter body: A closure that gets the transaction. If it throws, all is rolled back. It is called once.
  /// - Returns: The result of `body`, once all is stored and the flows go on.
  /// - Throws: The error of `body`. ``FlowStoreError``: `conflict` if another transaction was in the way and nothing is
  ///   stored; `outcomeUnknown` if it is not known whether anything is.
  @discardableResult
  public func transaction<Result>(_ body: (Transaction) async throws -> Result) async throws -> Result {
    var changes: PendingChanges?
    do {
      let result = try await withTransaction { transaction in
        transaction.changes.settlesItself()
        changes = transaction.changes
        return try await PendingChanges.$current.withValue(transaction.changes) { try await body(transaction) }
      }
      await changes?.settle()
      return result
    } catch {
      await changes?.settle()
      throw error
    }
  }
}
