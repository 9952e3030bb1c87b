import ActorFlow

/// Work of a host that no caller waits for. If it fails, the host reports it, and tries it again later.
@nonexhaustive public enum HostWork: Hashable, Sendable, Codable {
  /// Polling the store for flows that are due.
  case polling
  /// Activating a flow that can go on.
  case activating
  /// Storing a new status: that the flow is suspended, fits no version or fits one again, or has ended.
  case marking
  /// Storing moves that no commit has included yet.
  case flushing
  /// Removing flows that are older than the retention of their definition.
  case removing
}

extension HostContext {
  /// Notes that work failed that no caller waits for: for health, and for the observers.
  ///
  /// A cancellation is no failure, because the host is stopping, and neither is a refusal because another host has the
  /// flow.
  func note(_ error: any Error, in work: HostWork, of flow: FlowID? = nil, _ definition: Definition? = nil) {
    guard !(error is CancellationError), !FlowStoreError.isTakenOver(error) else { return }
    noteWorkFailure(FlowHost.Health.Failure(error: error, at: clock.now, flow: flow))
    let subject = HostObservation.Subject(flow: flow, definition: definition?.name, version: definition?.version)
    observation?.report(.workFailed(work, HostEvent.Failure(error)), of: subject)
  }
}
