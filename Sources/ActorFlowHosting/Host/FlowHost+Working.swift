import ActorFlow

// Flows that are claimed outside the host, for a worker that another system drives.
extension FlowHost {
  /// Runs a leased flow until it only waits, is suspended or has ended, and gives the lease back.
  ///
  /// For a worker that gets leases one by one, instead of ``run()``: it claims a flow, passes the lease here, and claims
  /// the next. The flow leaves memory as soon as it is at rest, whatever ``Options/keepHot`` says. Requests at this host
  /// that come meanwhile are done on the flow under the same lease. A flow that has nothing to do is given back
  /// unchanged.
  ///
  /// Cancelling the calling task ends the waiting. The flow goes on, and is given back when it is at rest.
  ///
  /// - Parameter leased: The flow with its lease, as ``LeasingFlowStore/claimDue(under:serving:limit:)`` or
  ///   ``LeasingFlowStore/acquire(_:under:)`` returns it. The host does not keep the lease's epoch alive: beat for it.
  ///   Attach the worker under a name that is no host's, because the host attaches under its own for its requests, and
  ///   a second epoch of one name ends the first.
  /// - Returns: The flow as it was stored last under the lease.
  /// - Throws: A `FlowError`: `noSuchFlow` if the lease is for a flow that does not exist yet; `unmigrated` if no
  ///   registered version fits; `hostStopping` if the host has stopped. A ``FlowStoreError``: `leased` if the flow is in
  ///   memory under another lease; `fenced` or `conflict` if the lease was lost, so that the last changes may be
  ///   missing; the store's error if it did not take a change. `CancellationError` if the calling task is cancelled. The
  ///   lease is given back in each of these cases.
  @discardableResult
  public func work(on leased: LeasedFlow) async throws -> FlowView {
    let lease = leased.lease
    do { try await checkDeployment() } catch {
      await giveBack(lease)
      throw error
    }
    let flow = try await take(lease.id, leased: leased)
    guard flow.lease == lease else {
      await release(flow)
      await giveBack(lease)
      throw FlowStoreError(
        .leased, "the flow \(lease.id.shown) is in memory under another lease; claim it again when it is at rest")
    }
    flow.yield()
    begin(flow)
    await release(flow)
    await flow.isGone()
    try Task.checkCancellation()
    if let failure = flow.committer.failure { throw failure }
    if !flow.committer.hasReleased, let loss = flow.committer.loss { throw loss }
    guard let view = flow.committer.view else { throw noSuchFlow(lease.id) }
    return view
  }
}
