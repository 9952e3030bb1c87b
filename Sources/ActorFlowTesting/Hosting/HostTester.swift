import ActorFlow
public import ActorFlowHosting

/// Drives hosted flows in a test, through days that pass in no time, crashes, and deploys of new versions.
///
/// ``testHost(on:clock:options:exhaustive:patience:fileID:line:_:)`` makes a tester and passes it to a closure:
///
/// ```swift
/// try await testHost { tester in
///   let contracts = try await tester.deploy(contract)
///   try await contracts.start(id: "c-1", with: draft)
///   try await tester.advance(by: .seconds(2 * 86_400))
///   try await tester.crash()
///   try await tester.answer(ContractForm.self, of: "c-1", with: true)
///   #expect(try await contracts.finish("c-1") == "signed")
/// }
/// ```
///
/// A request (start, ``answer(_:with:by:revision:key:fileID:line:)``, ``send(_:to:of:key:by:fileID:line:)``…) returns
/// when no flow can go on by itself. By then everything that follows from the request has happened and is in the store,
/// reminders have run, and no flow is in memory. A request throws what the host throws. The helpers that look at flows
/// or move time (``question(_:of:at:fileID:line:)``, ``view(of:fileID:line:)``, ``advance(by:fileID:line:)``…) first
/// wait in the same way, so no test has to poll. Nothing sleeps, and no real time is read. If a step does not return
/// within the tester's ``Patience``, the test fails, and the failure names the flow.
///
/// To act while a step is executing, send the request to the ``host``, which returns when the request is in the store.
///
/// ``addHost(_:deploying:fileID:line:)`` adds hosts that share the store by leases. They have one clock, and what is true
/// for one host is true for all: a request returns when no flow can go on at any of them.
///
/// Each flow is passivated whenever it waits, which exposes steps that hold state in their actor.
///
/// At its end the test fails if it has left anything unasserted: an open question that it did not look at, a signal or
/// a time that a flow waits for, a flow that is stopped by a failure or cannot be activated, or an ending. The failure
/// names all of them. A rollback with errors is part of an ending; to assert it, check `rollbackFailed` of the view.
/// Pass `exhaustive: false` to turn this check off.
///
/// A tester is not Sendable: it belongs to the test's own task. Other tasks use its ``host``. A helper that takes a
/// tester must run where its caller runs. Declare the helper `nonisolated(nonsending)`, unless the package has the
/// upcoming feature `NonisolatedNonsendingByDefault`. Otherwise the compiler says that sending the tester risks data
/// races:
///
/// ```swift
/// nonisolated(nonsending) func sign(_ id: FlowID, with tester: HostTester) async throws {
///   try await tester.answer(ContractForm.self, of: id, with: true)
/// }
/// ```
///
/// This also holds for a helper with a closure that captures or receives a tester or a ``DeployedFlow``. Declare the
/// closure `nonisolated(nonsending)`, too:
///
/// ```swift
/// nonisolated(nonsending) func refusal(
///   of request: nonisolated(nonsending) () async throws -> Void
/// ) async -> FlowError.Code? {
///   do { try await request() } catch { return (error as? FlowError)?.code }
///   return nil
/// }
/// ```
public final class HostTester {
  /// The clock of the host. Move it with ``advance(by:fileID:line:)``: moved directly, it fires only timers in memory.
  public let clock: ManualWallClock
  /// The store of the flows, which outlives crashes and deploys.
  public let store: any FlowStore
  /// The current host, which a crash or a deploy replaces: the first one, or within ``on(_:fileID:line:_:)`` the chosen
  /// one.
  public var host: FlowHost { hosts[current].host }

  let options: FlowHost.Options
  let isExhaustive: Bool
  let patience: Patience
  /// The hosts by their names, in the order in which they were added; at least one.
  var hosts: [TestedHost]
  /// The place of the host that gets all requests; `nil` if the hosts take turns.
  var chosen: Int?
  /// The number of requests so far for which the hosts took turns.
  var turn = -1
  /// The name of the host that was last asked for a flow, or has activated it last.
  var ranBy: [FlowID: String] = [:]
  /// The flows that the tester does not wait for.
  var left: Set<FlowID> = []
  /// The time until which leases of hosts that crashed or are paused may be valid.
  var leasesEnd = Duration.zero
  /// Hosts that crashed; their steps may not have returned yet.
  var crashed: [FlowHost] = []
  /// The flows that could not be activated when the tester last waited, with their errors.
  var refused: [FlowID: Refusal] = [:]
  /// The keys of the facts that the test has asserted.
  var asserted: Set<String> = []

  init(
    on store: any FlowStore, clock: ManualWallClock, options: FlowHost.Options, exhaustive: Bool, patience: Patience
  ) throws {
    var options = options
    options.keepHot = .zero
    (self.clock, self.store, self.options, self.patience) = (clock, store, options, patience)
    isExhaustive = exhaustive
    hosts = [try TestedHost("tester", on: store, clock: clock, options: options)]
  }
}

@available(*, unavailable, message: "a tester belongs to the test's own task; other tasks use its host")
extension HostTester: Sendable {}
