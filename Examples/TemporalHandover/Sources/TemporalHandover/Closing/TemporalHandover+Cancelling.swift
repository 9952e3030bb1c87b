import Foundation

extension TemporalHandover {
  /// Requests the cancellation of a workflow, whichever of its runs is under way. The workflow decides when and how it
  /// ends: its outcome may be any other than `cancelled`.
  ///
  /// - Parameters:
  ///   - run: The run that was started.
  ///   - key: The idempotency key of the effect.
  ///   - reason: The reason, for the history of the workflow.
  /// - Returns: Whether the workflow was there to be cancelled. False if the server says that it has ended, or does not
  ///   know it; a workflow that has ended may also be answered with true.
  /// - Throws: A ``HandoverError``.
  @discardableResult
  public func requestCancellation(of run: WorkflowRun, key: String, reason: String = "") async throws -> Bool {
    let request = CancelRequest(firstExecutionRunId: run.id, requestId: key, reason: reason)
    let body = Array(try JSONEncoder().encode(request))
    do {
      _ = try await reply(Empty.self, "POST", try path(of: run.workflow) + "/cancel", body: body)
      return true
    } catch let refusal as ServerRefusal {
      if refusal.status == 404 { return false }
      throw refusal.refused("cancel the workflow \"\(run.workflow)\"")
    }
  }

  private struct CancelRequest: Encodable {
    let firstExecutionRunId: String
    let requestId: String
    let reason: String
    let identity = "actorflow"
  }

  private struct Empty: Decodable {}
}
