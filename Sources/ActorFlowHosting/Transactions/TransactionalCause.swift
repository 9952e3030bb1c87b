import ActorFlow

/// The cause of a commit that may be made in a transaction of the caller.
protocol TransactionalCause: CommitCause {
  /// The place where the commit is made; `nil` for the store's own transaction.
  var pending: PendingWrite? { get }
}
