public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A store that several hosts may share: it leases flows to hosts, and refuses writes of hosts that have lost them.
///
/// Leases are a host's. A host attaches and gets an ``Epoch``, which it keeps alive with beats. A lease of a flow names
/// the host and its epoch, and the fence of a write is the number of the epoch. So a write is allowed only if the flow
/// is leased under that very epoch, and the epoch has not ended.
///
/// An epoch ends when its host detaches, when another process attaches under its name, or when a host wants a flow of
/// an epoch whose beat is overdue. In the last case the store ends the epoch first, by compare-and-swap: a beat that
/// comes in time wins. The end of an epoch ends all its leases at once; in a ``ShardedFlowStore``, those of one shard.
///
/// Times are measured by the store's clock, so the hosts' clocks need not agree. A beat is overdue from ``Epoch/until``
/// on: at that very microsecond another host may take the flows.
public protocol LeasingFlowStore: FlowStore {
  /// Attaches a host under a name, and ends the epoch that the name had.
  ///
  /// The number of the new epoch is greater than that of any epoch before, of any name.
  ///
  /// - Parameters:
  ///   - owner: The name of the host.
  ///   - time: The time until the first beat is overdue.
  ///   - attempt: The id of this call. A repetition with the id that the name's present epoch was made with returns
  ///     that epoch, and moves its time like a beat.
  ///   - old: The epoch that this host had, if it had one; `nil` for a host that has just been started.
  /// - Throws: ``FlowStoreError``: `fenced` if `old` is given and the name's present epoch is a later one. Another
  ///   process has attached under the name.
  func attach(owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?) async throws -> Epoch

  /// Moves the time at which the next beat is overdue to `time` from now; leases and fence stay.
  ///
  /// The beat of an epoch that is overdue and has not ended is accepted.
  ///
  /// - Throws: ``FlowStoreError``: `fenced` if the epoch has ended.
  func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch

  /// Ends an epoch, so that others may take its flows at once.
  ///
  /// Detaching from an epoch that has ended has no effect and is no error.
  func detach(_ epoch: Epoch) async throws

  /// Leases a flow to a host, and returns it as it is stored.
  ///
  /// The flow need not exist yet: it may be started under its lease. A flow that is leased under this epoch is returned
  /// again. A lease under an epoch whose beat is overdue ends with that epoch.
  ///
  /// If the call is refused with `leased`, it leaves a wish: the holder finds the flow with ``wanted(under:)``, and may
  /// learn of it by ``changes``. The wish ends with the lease that it is for.
  ///
  /// - Throws: ``FlowStoreError``: `leased` while another host's lease is valid; `fenced` if the epoch has ended;
  ///   `corrupted` or `unsupportedFormat` if the flow cannot be read: then it is not leased.
  func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow

  /// Leases a flow to a host that can run these versions, and returns it as it is stored.
  ///
  /// Otherwise as ``acquire(_:under:)``. A flow of another definition or version is not leased, and no wish is left, so
  /// that a host that can run it is not kept from it. A flow that does not exist yet is leased.
  ///
  /// The default implementation loads the flow before it leases it. A store that does both in one call spares its hosts
  /// one with each request.
  ///
  /// - Parameters:
  ///   - id: The flow.
  ///   - epoch: The epoch under which the flow is leased.
  ///   - serving: The definitions, each with its versions, that the caller can run.
  /// - Returns: The leased flow; `nil` if the stored flow has another definition or version, also if another host
  ///   holds it.
  /// - Throws: As ``acquire(_:under:)``.
  func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow?

  /// Releases a lease, so that others may take the flow at once.
  ///
  /// Releasing a lost lease has no effect and is no error.
  func release(_ lease: FlowLease) async throws

  /// Leases flows that have work to do and no valid lease, those that are due longest first.
  ///
  /// A flow has work to do if it is runnable, or if it waits and its timer is due, also exactly now. Flows of a host
  /// whose beat is overdue are included: if one of them is due and served, that host's epoch ends first. Suspended,
  /// unmigrated and ended flows are never leased, nor is a flow that cannot be read. If several callers ask at once,
  /// each flow goes to one.
  ///
  /// - Parameters:
  ///   - epoch: The epoch under which the flows are leased.
  ///   - serving: The definitions, each with its versions, that the caller can run; no other flows are leased.
  ///   - limit: The greatest number of flows to lease. A number below 1 leases no flow and ends no epoch.
  /// - Throws: ``FlowStoreError``: `fenced` if the epoch has ended.
  func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow]

  /// Returns a page of the flows that are leased under an epoch; an empty one if the epoch has ended.
  ///
  /// A host compares the list with the flows that it has in memory, and releases the others: the reply to a call that
  /// leased them may have been lost.
  ///
  /// - Parameters:
  ///   - epoch: The epoch.
  ///   - cursor: The cursor of the previous page; `nil` for the first page.
  ///   - limit: The greatest number of flows to return; a number below 1 counts as 1.
  /// - Throws: ``FlowStoreError``; `notFound` if the cursor is not from this store.
  func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage

  /// Returns the earliest time at which a flow that waits and is not leased becomes due, by the store's clock, or `nil`
  /// if there is none.
  ///
  /// Flows that are due already do not count: ``claimDue(under:serving:limit:)`` returns them.
  ///
  /// - Parameter serving: The definitions, each with its versions, that the caller can run; no other flows count.
  func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date?

  /// Returns the flows that are leased under an epoch and that another host wishes for; none if the epoch has ended.
  ///
  /// A running host asks with every poll. The default implementation returns no flow: hosts then get a flow when its
  /// holder passivates it.
  func wanted(under epoch: Epoch) async throws -> [FlowID]

  /// A new stream of the store's changes from now on, made by any host; `nil` if the store cannot tell.
  ///
  /// A running host reads one stream. Changes may be missed, repeated or out of date: they wake a host, and the host
  /// asks the store. Without the stream a host finds everything with its next poll. The default is `nil`.
  var changes: AsyncStream<StoreChange>? { get }
}

extension LeasingFlowStore {
  /// Loads the flow, and leases it unless it has another definition or version.
  public func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow? {
    if let flow = try await load(id)?.snapshot, !serving.includes(flow.definition, flow.version) { return nil }
    return try await acquire(id, under: epoch)
  }

  /// Returns no flow, for a store that remembers no wishes.
  public func wanted(under epoch: Epoch) async throws -> [FlowID] { [] }

  /// No stream, for a store that cannot tell of changes.
  public var changes: AsyncStream<StoreChange>? { nil }
}

extension LeasingFlowStore {
  /// Attaches a host that has just been started; see ``attach(owner:for:as:after:)``.
  public func attach(owner: String, for time: Duration) async throws -> Epoch {
    try await attach(owner: owner, for: time, as: CommitID(), after: nil)
  }
}
