internal import ActorFlow
internal import ActorFlowHosting

// The loss of a task: the server has given it to another worker, or has timed it out.
extension TemporalFlowWorker {
  /// Has the host give up the flow as soon as the session loses its task: the running step is cancelled, and what it
  /// returns is not stored. Returns when the calling task is cancelled.
  ///
  /// The host learns that a lease is lost from a write that is refused as `fenced`. A step may take long to the next
  /// one, so a note is tried, which a flow takes at any moment. The session refuses it, so no note is ever stored.
  func giveUpWhenLost(_ session: TaskSession) async {
    guard await session.isLost.wait() else { return }
    var pauses = CallPauses()
    repeat {
      // The note is refused. It is tried again after other errors, such as of a codec that is away.
      _ = try? await Self.$showsLoss.withValue(true) { try await host.flow(session.id).note("the task is lost") }
    } while (try? await pauses.wait()) != nil
  }

  /// Whether the request at hand is the note that shows the loss of a task. No caller has made it.
  @TaskLocal static var showsLoss = false

  typealias Access = @Sendable (FlowHost.Verb, Principal?, FlowSummary?) async throws -> Void

  /// The guard of the host, which is not asked about that note.
  static func guarding(_ access: Access?) -> Access? {
    guard let access else { return nil }
    return { verb, principal, flow in
      if showsLoss { return }
      try await access(verb, principal, flow)
    }
  }
}
