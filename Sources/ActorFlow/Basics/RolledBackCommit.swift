/// The error of a commit that was rolled back with the transaction of a caller, or never written there. The input is
/// refused, and the flow is as it was before: unlike after any other error of a commit, it goes on.
package struct RolledBackCommit: Error {
  /// The reason, if it is not the end of the transaction.
  package let reason: (any Error)?

  package init(because reason: (any Error)? = nil) { self.reason = reason }
}
