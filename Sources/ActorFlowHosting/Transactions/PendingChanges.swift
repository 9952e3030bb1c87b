import ActorFlow

/// The changes of flows that were made in one transaction and wait for its end.
///
/// A ``FlowTransaction`` has one. The usual form of a transaction, ``TransactionalFlowStore/transaction(_:)``, settles
/// them by itself.
public final class PendingChanges: Sendable {
  /// The changes of the transaction that the current code is in.
  @TaskLocal static var current: PendingChanges?

  private struct State: Sendable {
    var changes: [FlowID: PendingWrite] = [:]
    var settlesItself = false
  }
  private let state = Lock(State())

  /// Creates the changes of a new transaction.
  public init() {}

  /// Settles all changes, as ``PendingChange/settle()`` does. What cannot be found out at present is found out later.
  public func settle() async {
    for change in state.withLock({ Array($0.changes.values) }) {
      // The host finds the flow again by its due entry; the error says no more than that.
      _ = try? await change.settle()
    }
  }

  /// Notes that the transaction settles its changes, so that their handles need not be kept.
  func settlesItself() { state.withLock { $0.settlesItself = true } }

  var settleThemselves: Bool { state.withLock { $0.settlesItself } }

  /// Adds the change of a flow.
  ///
  /// - Throws: A `FlowError` with the code `inTransaction` if the transaction has one of this flow already: the second
  ///   would wait for the first, and the first for the transaction.
  func add(_ change: PendingWrite, of id: FlowID) throws {
    try state.withLock { state in
      guard state.changes[id] == nil else { throw Self.hasChange(id) }
      state.changes[id] = change
    }
  }

  func remove(_ change: PendingWrite, of id: FlowID) {
    state.withLock { state in
      if state.changes[id] === change { state.changes[id] = nil }
    }
  }

  /// Refuses a request without a transaction, made in a transaction that has changed the same flow.
  static func refuseBeside(_ id: FlowID) throws {
    guard let current, current.state.withLock({ $0.changes[id] != nil }) else { return }
    throw hasChange(id)
  }

  private static func hasChange(_ id: FlowID) -> FlowError {
    FlowError(
      .inTransaction,
      "the transaction has changed this flow already, and the change is not settled before the transaction ends; make "
        + "the next request after it", flow: id)
  }
}
