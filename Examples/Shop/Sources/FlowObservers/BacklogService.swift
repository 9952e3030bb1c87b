import ActorFlow
public import ActorFlowHosting
public import ServiceLifecycle

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records again and again what waits in a host's store, for any of its hosts. One of them is enough.
public struct BacklogService: Service {
  private let host: FlowHost
  private let metrics: FlowMetrics
  private let pause: Duration
  private let clock: any WallClock

  /// Creates a service that reads the backlog of a host's store.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - metrics: The metrics that take the numbers.
  ///   - pause: The time between two readings.
  ///   - clock: The clock of the host.
  public init(
    _ host: FlowHost, _ metrics: FlowMetrics, every pause: Duration = .seconds(60), clock: any WallClock = .system
  ) {
    (self.host, self.metrics, self.pause, self.clock) = (host, metrics, pause, clock)
  }

  /// Reads the backlog at once, and after each pause, until a graceful shutdown or the cancellation of the calling task.
  ///
  /// If the store does not answer, the numbers stay as they are until the next reading. The function throws no error.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        if let backlog = try? await host.backlog() { metrics.record(backlog, at: clock.now) }
        do { try await clock.sleep(until: clock.now.addingTimeInterval(pause / .seconds(1))) } catch { return }
      }
    }
  }
}
