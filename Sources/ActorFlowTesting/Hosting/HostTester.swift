import ActorFlow
public import ActorFlowHosting

/// Drives hosted flows in a test: over days that pass in no time, crashes, and deploys of new versions.
///
/// ``testHost(on:clock:options:exhaustive:patience:fileID:line:_:)`` makes one and hands it to a closure:
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
/// A request (start, ``answer(_:with:by:revision:key:fileID:line:)``, ``send(_:to:of:key:by:fileID:line:)``…) returns when
/// no flow can go on by itself: all that follows from it has happened and is in the store, reminders have run, and no flow
/// is in memory. It throws what the host throws. Whatever looks or moves the time (``question(_:of:at:fileID:line:)``,
/// ``view(of:fileID:line:)``, ``advance(by:fileID:line:)``…) first waits in the same way. So no test has to poll. Nothing
/// sleeps, and no real time is read; a flow whose step does not come back within the tester's ``Patience`` makes the test
/// fail, and is named.
///
/// To act while a step is at work, send the request to the ``host``: it returns when it is in the store.
///
/// Each flow is put away whenever it waits, so a step that keeps something in its actor's state is found out.
///
/// At its end the test fails if it has left something unasserted: an open question that it did not look at, a flow that
/// stands still or cannot be taken up, a rollback with errors, an ending. It names all of them. Where that is too much,
/// `exhaustive: false` asserts nothing by itself.
///
/// A tester is not Sendable: it belongs to the test's own task. Other tasks use its ``host``. A helper that takes a tester
/// runs where its caller does; say so, unless the package has the upcoming feature `NonisolatedNonsendingByDefault`, or the
/// compiler says that sending the tester risks data races:
///
/// ```swift
/// nonisolated(nonsending) func sign(_ id: FlowID, with tester: HostTester) async throws {
///   try await tester.answer(ContractForm.self, of: id, with: true)
/// }
/// ```
///
/// So does one that takes a closure which has a tester or a ``DeployedFlow``, or is given one. Say it of the closure, too:
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
  /// The time. Move it with ``advance(by:fileID:line:)``; moved directly, it rings only what is in memory.
  public let clock: ManualWallClock
  /// Where the flows are kept, through crashes and deploys.
  public let store: any FlowStore
  /// The host of this moment. A crash or a deploy makes another one.
  public internal(set) var host: FlowHost

  let options: FlowHost.Options
  let isExhaustive: Bool
  let patience: Patience
  /// What each new host is to have registered, in order.
  var registrations: [@Sendable (FlowHost) async throws -> Void] = []
  /// Cuts the present host off from the store.
  var cutOff: @Sendable () -> Void
  /// Hosts that crashed; their steps may not have come back.
  var crashed: [FlowHost] = []
  /// What could not be taken up at the last look.
  var refused: [FlowID: any Error] = [:]
  /// The keys of the facts that the test has asserted.
  var asserted: Set<String> = []

  init(
    on store: any FlowStore, clock: ManualWallClock, options: FlowHost.Options, exhaustive: Bool, patience: Patience
  ) throws {
    var options = options
    options.keepHot = .zero
    (self.clock, self.store, self.options, self.patience) = (clock, store, options, patience)
    isExhaustive = exhaustive
    (host, cutOff) = try Self.host(on: store, clock: clock, options: options)
  }
}

@available(*, unavailable, message: "a tester belongs to the test's own task; other tasks use its host")
extension HostTester: Sendable {}
