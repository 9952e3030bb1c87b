public import ActorFlow

/// A store that several hosts may share: it says who may run a flow, and refuses the writes of who no longer may.
///
/// Time is that of the store's clock, so that hosts need not agree on it.
public protocol LeasingFlowStore: FlowStore {
  /// Takes the right to run a flow. The fence is greater than any before; an older lease of the same owner's ends.
  ///
  /// There need be no such flow yet: one may be started under its lease.
  ///
  /// - Throws: ``FlowStoreError``: `leased` while another owner's lease stands.
  func acquire(_ id: FlowID, owner: String, for time: Duration) async throws -> FlowLease

  /// Moves the end of a lease to `time` from now. One that has expired is renewed as well, if nobody was given a later
  /// one. The fence stays.
  ///
  /// - Throws: ``FlowStoreError``: `fenced` if it was released, or a later one was given, or the flow was deleted.
  func renew(_ lease: FlowLease, for time: Duration) async throws -> FlowLease

  /// Gives a lease back: others may take the flow at once. One that was lost frees nothing, and is no error.
  func release(_ lease: FlowLease) async throws

  /// Takes flows that have work to do: runnable ones, and waiting ones whose timer is due, that nobody holds a lease of,
  /// also those of a host that is gone. The ones that are due longest come first.
  ///
  /// Each flow goes to one of the callers that ask at once. Failed, parked and ended flows are never taken.
  ///
  /// - Parameters:
  ///   - owner: who asks.
  ///   - serving: the definitions, each with its versions, that the caller can run; no others are taken.
  ///   - time: how long each lease is for.
  ///   - limit: how many at most.
  func claimDue(
    owner: String, serving: [String: ClosedRange<Int>], for time: Duration, limit: Int
  ) async throws -> [FlowLease]
}
