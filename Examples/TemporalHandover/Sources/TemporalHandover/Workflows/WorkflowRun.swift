/// A run of a workflow on a Temporal server, to record with `once`.
public struct WorkflowRun: Codable, Hashable, Sendable {
  /// The workflow's id.
  public let workflow: String
  /// The id of the first run of the chain. A workflow that continues as new, or is retried, goes on in further runs under
  /// the same workflow id.
  public let id: String

  /// Creates the name of a run.
  public init(workflow: String, id: String) {
    self.workflow = workflow
    self.id = id
  }
}
