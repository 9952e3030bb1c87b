public import ActorFlow

extension Signal where Value == WorkflowOutcome {
  /// The signal as which outcomes of workflows come to a flow.
  public static var workflowClosed: Signal<WorkflowOutcome> { Signal("temporal.closed") }
}

extension StepContext {
  /// Waits for the outcome of a workflow, which an ``OutcomeDelivery`` or a ``CallbackReceiver`` sends.
  ///
  /// The flow gets a label by which the delivery finds it, and may leave memory. So a step waits for days, over restarts
  /// and deploys.
  ///
  /// - Parameter run: The run that the step has started. Its ids become a label of the flow.
  /// - Throws: As `wait(for:)` and `label(_:_:)` of the context do.
  public func outcome(of run: WorkflowRun) async throws -> WorkflowOutcome {
    try await label(HandoverLabel.query.key, HandoverLabel.query.value)
    try await label(HandoverLabel.key(of: run), run.workflow)
    let outcome = try await wait(for: .workflowClosed, matching: { $0.run == run })
    try await label(HandoverLabel.key(of: run), nil)
    return outcome
  }
}

extension RollbackContext {
  /// Requests the cancellation of the workflow that the step has started under `key`, if it has.
  ///
  /// If the process died while the step was starting it, the server is asked whether there is a workflow of that key. The
  /// workflow decides how it ends; the rollback does not wait for that.
  ///
  /// - Parameters:
  ///   - key: The key of the `once` or `attempt` that has started the workflow.
  ///   - id: The workflow's id, if it was started with one; only asked for if the process died in the start.
  ///   - temporal: The server.
  ///   - reason: The reason, for the history of the workflow.
  /// - Throws: A ``HandoverError``; as `once` does.
  public func cancelWorkflow(
    _ key: String, id: String? = nil, on temporal: TemporalHandover, reason: String = "the flow has backed up"
  ) async throws {
    let run: WorkflowRun
    switch await record(key, as: WorkflowRun.self) {
    case .none: return
    case .done(let started): run = started
    case .interrupted(let startKey):
      let id = id ?? TemporalHandover.workflowID(for: startKey)
      guard let found = try await temporal.run(of: id, startedWith: startKey) else { return }
      run = found
    }
    _ = try await once("\(key).cancel") { try await temporal.requestCancellation(of: run, key: $0, reason: reason) }
  }
}

/// The labels by which flows that wait for outcomes are found.
enum HandoverLabel {
  /// The label of all flows that have waited for an outcome.
  static let query = (key: "temporal", value: "handover")
  private static let prefix = "temporal.run."

  /// The key of the label of one run, whose value is the workflow's id.
  static func key(of run: WorkflowRun) -> String { prefix + run.id }

  /// Returns the runs whose outcomes a flow waits for, in a fixed order.
  static func runs(in labels: [String: String]) -> [WorkflowRun] {
    labels.filter { $0.key.hasPrefix(prefix) }
      .map { WorkflowRun(workflow: $0.value, id: String($0.key.dropFirst(prefix.count))) }
      .sorted { $0.id < $1.id }
  }
}
