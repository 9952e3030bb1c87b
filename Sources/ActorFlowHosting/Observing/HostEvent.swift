public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event of a host, for its observers.
///
/// Events have ids, names, keys, counts and times. They have no answers, prompts, signals' values or messages of errors,
/// so they may be written into logs. The only free text is the reason of a deletion, which is nowhere else.
public struct HostEvent: Sendable {
  /// The time of the event, by the host's clock.
  public let at: Date
  /// The name of the host, its `owner`.
  public let host: String
  /// The flow that the event is about, or `nil` if it is about no single flow.
  public let flow: FlowID?
  /// The name of the flow's definition, if it is known.
  public let definition: String?
  /// The version of the definition that the flow follows, if it is known.
  public let version: Int?
  /// The trace context of the flow; empty if it is not known.
  public let trace: TraceContext
  /// The kind of event, with its facts.
  public let kind: Kind

  /// The kind of an event, with its facts. Kinds may be added, so switch with a `default`.
  @nonexhaustive public enum Kind: Sendable {
    /// A flow was started, by this principal, and is in the store.
    case started(by: String?)
    /// The `proceed` of a step is about to run. An `Ask` has no code: see ``asked(_:)``.
    case stepBegan(ObservedStep)
    /// The `proceed` of a step has ended, after this time.
    case stepEnded(ObservedStep, Outcome, after: Duration)
    /// The work of a `once` or an `attempt` is about to run, under this key of the step.
    case effectBegan(StepID?, key: String)
    /// The work of a `once` or an `attempt` has ended, after this time.
    case effectEnded(StepID?, key: String, Outcome, after: Duration)
    /// A question was opened.
    case asked(ObservedQuestion)
    /// A question was answered by this principal, after this time since it was asked, on whichever host that was. The time
    /// is `nil` if the store does not say when it was asked.
    case answered(ObservedQuestion, by: String?, after: Duration?)
    /// A flow was written.
    case committed(Commit)
    /// A call of the store failed. A refusal, such as a conflict of two hosts, is no failure.
    case storeFailed(Failure)
    /// Work that no caller waits for has failed. The host tries it again.
    case workFailed(HostWork, Failure)
    /// A timer has fired, later than it was due by this time.
    case timerFired(late: Duration)
    /// The flow is in memory, and its steps run.
    case activated
    /// The flow was taken out of memory, because it only waits, has ended, or is to go on elsewhere.
    case passivated
    /// A step failed, and the flow is suspended until it is retried or abandoned. The step is `nil` if the flow failed
    /// between two steps.
    case suspended(StepID?, Failure)
    /// No registered version fits the flow.
    case unmigrated(Failure)
    /// The key of the flow was erased, and the flow does not go on.
    case erased
    /// The `backUp` of a step, or the `finally` of a component, has ended, after this time.
    case compensationEnded(StepID, Outcome, after: Duration)
    /// The lease has ended, or another host has written the flow. What was decided here since then does not count.
    case leaseLost
    /// A request has returned to its caller, or was refused, or failed, after this time. A request that is repeated under
    /// its key is one of its own. Reported in the task of the caller, so its task-local values are visible.
    case requestEnded(FlowWrite.Request, Outcome, after: Duration)
    /// The flow has ended with this status, and its rollback is over, if there was one.
    case ended(FlowSnapshot.Status)
    /// The flow and its history were removed from the store, by this principal and for this reason. Both are empty if the
    /// caller named none, for ``FlowHost/purge(_:endedBefore:limit:)``, and when the retention of the flow was over.
    case removed(by: String?, reason: String)
    /// An observer's `around` did not keep to its rules; the failure is the error that it threw, if it did.
    case observerFailed(ObserverFault, Failure?)
  }

  /// An error without its message, which may have personal data.
  public struct Failure: Hashable, Sendable, Codable {
    /// The name of the error's type.
    public let type: String
    /// The code, if the error is a `FlowError` or a ``FlowStoreError``.
    public let code: String?
  }

  /// The outcome of code that was observed.
  @nonexhaustive public enum Outcome: Hashable, Sendable, Codable {
    /// The code has returned.
    case returned
    /// The code threw.
    case threw(Failure)
    /// The code threw after its task was cancelled: the step was left, or the flow passivated.
    case cancelled
  }

  /// A write of a flow that is in the store.
  public struct Commit: Hashable, Sendable {
    /// The number of the flow's writes, this one included.
    public let revision: Revision
    /// The number of bytes of the flow's body, and of the values that the write has brought beside it.
    public let bytes: Int
    /// The number of history entries that the write has appended.
    public let entries: Int
    /// The requests that the write has carried.
    public let requests: [FlowWrite.Request]
    /// The time that the store took, with all attempts, by the host's clock.
    public let duration: Duration
  }
}

/// A step that a host runs.
public struct ObservedStep: Hashable, Sendable {
  /// The flow.
  public let flow: FlowID
  /// The name of the flow's definition.
  public let definition: String
  /// The version of the definition.
  public let version: Int
  /// The step's path.
  public let step: StepID
  /// The visit that the step runs for.
  public let visit: VisitID
  /// Whether the visit had an earlier attempt: it is replayed after an activation, or a `.retry` repeats it.
  public let isReplay: Bool
  /// The trace context that the flow was started with.
  public let trace: TraceContext
}

/// An effect that runs: the work of a `once` or an `attempt`.
public struct ObservedEffect: Hashable, Sendable {
  /// The flow.
  public let flow: FlowID
  /// The name of the flow's definition.
  public let definition: String
  /// The version of the definition.
  public let version: Int
  /// The path of the step that the effect belongs to; `nil` if the flow is left meanwhile.
  public let step: StepID?
  /// The key of the effect.
  public let key: String
  /// The trace context that the flow was started with.
  public let trace: TraceContext
}

/// A question that a flow has asked.
public struct ObservedQuestion: Hashable, Sendable {
  /// The number of the question within the flow, that of its `Question.ID`.
  public let number: Int
  /// The step that asks.
  public let step: StepID
  /// The name of the prompt's type.
  public let prompt: String
}

extension HostEvent.Failure {
  init(_ error: any Error) {
    if let stored = error as? StoredFailure {
      self.init(type: stored.type, code: stored.code)
    } else {
      self.init(
        type: "\(Swift.type(of: error))",
        code: (error as? FlowError)?.code.description ?? (error as? FlowStoreError)?.code.description)
    }
  }
}

extension HostEvent.Outcome {
  /// The outcome of code that threw, in the current task.
  init(of error: any Error) { self = Task.isCancelled ? .cancelled : .threw(HostEvent.Failure(error)) }
}
