public import ActorFlow

/// A store that several hosts may share: it leases flows to hosts, and refuses writes under superseded leases.
///
/// Times are measured by the store's clock, so the hosts' clocks need not agree.
public protocol LeasingFlowStore: FlowStore {
  /// Leases a flow to an owner.
  ///
  /// The new fence is greater than any before; an older lease of the same owner ends. The flow need not exist yet: it
  /// may be started under its lease.
  ///
  /// - Throws: ``FlowStoreError``: `leased` while another owner's lease is valid.
  func acquire(_ id: FlowID, owner: String, for time: Duration) async throws -> FlowLease

  /// Moves the end of a lease to `time` from now; the fence stays.
  ///
  /// An expired lease is renewed as well, if no later one was given.
  ///
  /// - Throws: ``FlowStoreError``: `fenced` if the lease was released, a later one was given, or the flow was deleted.
  func renew(_ lease: FlowLease, for time: Duration) async throws -> FlowLease

  /// Releases a lease, so that others may take the flow at once.
  ///
  /// Releasing a lost lease has no effect and is no error.
  func release(_ lease: FlowLease) async throws

  /// Leases flows that have work to do and no valid lease, those that are due longest first.
  ///
  /// A flow has work to do if it is runnable, or if it waits and its timer is due. Flows of a host that is gone are
  /// included. Suspended, unmigrated and ended flows are never leased. If several callers ask at once, each flow goes to one.
  ///
  /// - Parameters:
  ///   - owner: The caller, who becomes the owner of the leases.
  ///   - serving: The definitions, each with its versions, that the caller can run; no other flows are leased.
  ///   - time: The duration of each lease.
  ///   - limit: The greatest number of flows to lease.
  func claimDue(
    owner: String, serving: [String: ClosedRange<Int>], for time: Duration, limit: Int
  ) async throws -> [FlowLease]
}
