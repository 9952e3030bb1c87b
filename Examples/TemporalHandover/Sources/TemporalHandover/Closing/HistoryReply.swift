/// A history of which only the event is asked for that ends a run; it has no event while the run is open.
struct HistoryReply: Decodable {
  let history: History?

  struct History: Decodable {
    let events: [Event]?
  }

  /// An event that ends a run. It has one kind of attributes.
  struct Event: Decodable {
    let eventType: String?
    let workflowExecutionCompletedEventAttributes: Completed?
    let workflowExecutionFailedEventAttributes: Failed?
    let workflowExecutionCanceledEventAttributes: Canceled?
    let workflowExecutionTimedOutEventAttributes: TimedOut?
    let workflowExecutionTerminatedEventAttributes: Terminated?
    let workflowExecutionContinuedAsNewEventAttributes: Continued?
  }

  struct Completed: Decodable {
    let result: WirePayloads?
    let newExecutionRunId: String?
  }

  struct Failed: Decodable {
    let failure: WireFailure?
    let newExecutionRunId: String?
  }

  struct Canceled: Decodable {
    let details: WirePayloads?
  }

  struct TimedOut: Decodable {
    let newExecutionRunId: String?
  }

  struct Terminated: Decodable {
    let reason: String?
  }

  struct Continued: Decodable {
    let newExecutionRunId: String?
  }
}

extension HistoryReply.Event {
  /// The end of a run: that of the chain, or the next run.
  enum End {
    case continued(String)
    case closed(WorkflowOutcome.Ending)
  }

  func end(of workflow: String) throws(HandoverError) -> End {
    let next =
      workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId
      ?? workflowExecutionCompletedEventAttributes?.newExecutionRunId
      ?? workflowExecutionFailedEventAttributes?.newExecutionRunId
      ?? workflowExecutionTimedOutEventAttributes?.newExecutionRunId
    if let next, !next.isEmpty { return .continued(next) }
    if let completed = workflowExecutionCompletedEventAttributes {
      return .closed(.completed(completed.result?.values ?? []))
    }
    if let failed = workflowExecutionFailedEventAttributes {
      return .closed(.failed(failed.failure?.value ?? WorkflowFailure(message: "", type: "unknown")))
    }
    if let canceled = workflowExecutionCanceledEventAttributes {
      return .closed(.cancelled(canceled.details?.values ?? []))
    }
    if workflowExecutionTimedOutEventAttributes != nil { return .closed(.timedOut) }
    if let terminated = workflowExecutionTerminatedEventAttributes {
      return .closed(.terminated(reason: String((terminated.reason ?? "").prefix(1_000))))
    }
    throw HandoverError(
      .malformedReply,
      "the event \(eventType ?? "without a type") does not say how the workflow \"\(workflow)\" has ended")
  }
}
