internal import ActorFlowHosting
internal import TemporalProtocol

/// The end of a workflow whose flow had not ended: others have terminated or cancelled it, or its time is over.
///
/// No worker gets a task of such a workflow, so its flow never goes on.
enum ForeignEnd: Sendable {
  case terminated, cancelled, timedOut, failed, completed

  /// The end that an event is, if it is one.
  init?(_ event: TemporalEventType) {
    switch event {
    case .workflowExecutionTerminated: self = .terminated
    case .workflowExecutionCanceled: self = .cancelled
    case .workflowExecutionTimedOut: self = .timedOut
    case .workflowExecutionFailed: self = .failed
    case .workflowExecutionCompleted: self = .completed
    default: return nil
    }
  }

  /// The end of a workflow that is described so, if it has ended.
  init?(_ status: TemporalWorkflowExecutionStatus) {
    switch status {
    case .terminated: self = .terminated
    case .canceled: self = .cancelled
    case .timedOut: self = .timedOut
    case .failed: self = .failed
    case .completed: self = .completed
    default: return nil
    }
  }

  /// The status that is shown of the flow.
  var status: FlowSnapshot.Status {
    switch self {
    case .terminated, .completed: .abandoned
    case .cancelled: .cancelled
    case .timedOut, .failed: .failed
    }
  }

  /// The end as a word for a message.
  var word: String {
    switch self {
    case .terminated: "terminated"
    case .cancelled: "cancelled"
    case .timedOut: "timed out"
    case .failed: "failed"
    case .completed: "completed"
    }
  }

  /// The statuses of flows that may have ended so, and the terms by which Temporal finds their workflows.
  static let statuses: Set<FlowSnapshot.Status> = [.abandoned, .cancelled, .failed]
  static let query =
    "(ExecutionStatus IN ('Terminated', 'Canceled', 'TimedOut', 'Failed', 'Completed')"
    + " AND \(SearchAttribute.status.rawValue) NOT IN ('finished', 'failed', 'abandoned', 'cancelled'))"

  /// Returns the flow with this end, unless it has ended by itself.
  func ending(_ flow: StoredFlow) -> StoredFlow {
    var flow = flow
    flow.snapshot = ending(flow.snapshot)
    return flow
  }

  /// Returns the snapshot with this end, unless it has one.
  func ending(_ snapshot: FlowSnapshot) -> FlowSnapshot {
    guard !snapshot.status.isTerminal else { return snapshot }
    var snapshot = snapshot
    (snapshot.status, snapshot.steps, snapshot.tasks, snapshot.wakeAt) = (status, [], [], nil)
    return snapshot
  }
}
