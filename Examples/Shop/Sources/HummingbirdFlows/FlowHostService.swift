public import ActorFlowHosting
public import ServiceLifecycle

/// Runs a host as a service: it fires timers, and goes on with flows after a crash.
///
/// In a `ServiceGroup` it stands in front of the server, because services shut down in reverse order: first the server
/// takes no more requests, then the host passivates its flows and releases their leases.
public struct FlowHostService: Service {
  private let host: FlowHost
  private let close: @Sendable () async -> Void

  /// Creates a service that runs a host.
  ///
  /// - Parameters:
  ///   - host: The host, which nothing else runs.
  ///   - close: Closes the host's store, after the host has stopped.
  public init(_ host: FlowHost, thenClose close: @escaping @Sendable () async -> Void = {}) {
    (self.host, self.close) = (host, close)
  }

  /// Runs the host until a graceful shutdown or the cancellation of the calling task.
  ///
  /// - Throws: As `FlowHost.run()`.
  public func run() async throws {
    do { try await cancelWhenGracefulShutdown { try await host.run() } } catch {
      await close()
      throw error
    }
    await close()
  }
}
