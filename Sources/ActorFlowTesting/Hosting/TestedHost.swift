import ActorFlow
import ActorFlowHosting

/// A host of a ``HostTester``, under one name, with the hosts that took its place after crashes and deploys.
struct TestedHost {
  let name: String
  var host: FlowHost
  /// Cuts the host off from the store.
  var cutOff: @Sendable () -> Void
  /// The registrations to repeat on each new host of this name, in order.
  var registrations: [@Sendable (FlowHost, String) async throws -> Void] = []
  /// Whether the host runs: it was neither stopped, nor has it crashed.
  var isRunning = true
  /// Whether the host is paused: it renews no lease, and does nothing by itself.
  var isPaused = false

  /// Creates a host, and a closure that cuts the host off from the store.
  init(
    _ name: String, on store: any FlowStore, clock: ManualWallClock, options: FlowHost.Options
  ) throws {
    self.name = name
    (host, cutOff) = try Self.host(name, on: store, clock: clock, options: options)
  }

  /// Starts a new host of this name, without its registrations.
  mutating func restart(on store: any FlowStore, clock: ManualWallClock, options: FlowHost.Options) throws {
    cutOff()
    (host, cutOff) = try Self.host(name, on: store, clock: clock, options: options)
    (isRunning, isPaused) = (true, false)
  }

  private static func host(
    _ name: String, on store: any FlowStore, clock: ManualWallClock, options: FlowHost.Options
  ) throws -> (FlowHost, @Sendable () -> Void) {
    func host(_ store: some FlowStore) throws -> (FlowHost, @Sendable () -> Void) {
      let wire = FaultyStore(store)
      // A new host has the owner name of the one before, so it need not wait for the leases of that one.
      let host = try FlowHost(store: wire, clock: clock, owner: name, options: options)
      return (
        host,
        { wire.plan { _ in .fail(FlowStoreError(.fenced, "the host has crashed, or was replaced by a new one")) } }
      )
    }
    return try host(store)
  }
}
