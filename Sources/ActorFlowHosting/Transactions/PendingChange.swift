import ActorFlow

/// A change of a flow that was made in a transaction, and is not stored before that is committed.
///
/// In the usual form, ``TransactionalFlowStore/transaction(_:)``, it needs no attention. With a transaction of a client
/// of your own, call ``settle()`` when that has ended, however it has ended:
///
/// ```swift
/// let change = try await host.flow("order-17").answer(question, with: address, in: transaction)
/// var failure: (any Error)?
/// do { try await client.commit() } catch { failure = error }
/// if case .rolledBack = try await change.settle() { throw failure ?? NotStored() }
/// ```
///
/// While the change is pending, the flow stands still and other requests for it wait. If it is not settled within
/// ``FlowHost/Options/pendingTime``, or when this handle is gone, the host asks the database once and then gives the flow
/// up: if the transaction is committed later, the flow goes on when a poll finds it due.
public final class PendingChange: Sendable {
  /// The flow as it will be if the transaction is committed.
  public let view: FlowView
  private let write: PendingWrite

  init(_ write: PendingWrite, _ view: FlowView) { (self.write, self.view) = (write, view) }

  deinit { if !write.transaction.changes.settleThemselves { write.dismiss() } }

  /// Finds out whether the change is stored, and lets the flow go on. Waits while the transaction has not ended.
  ///
  /// The database is asked, so it does not matter what the caller knows of the transaction: the reply to its commit may
  /// have been lost. Settling twice has no effect.
  ///
  /// - Returns: What has become of the change.
  /// - Throws: The store's error if that cannot be found out at present; errors of the change after it was stored, as
  ///   that of a back whose `backUp` has failed; `CancellationError`.
  @discardableResult
  public func settle() async throws -> Settlement {
    guard let view = try await write.settle() else { return .rolledBack }
    return .committed(view)
  }

  /// The end of a change that was made in a transaction.
  public enum Settlement: Sendable {
    /// The change is stored, and the flow goes on from there.
    case committed(FlowView)
    /// Nothing of the change is stored, and the flow is as it was before.
    case rolledBack
  }
}
