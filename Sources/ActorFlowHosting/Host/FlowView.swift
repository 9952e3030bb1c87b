public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A flow as its store has it: its position and its questions. Reading it activates nothing.
public struct FlowView: Sendable {
  /// The flow's id.
  public let id: FlowID
  /// The definition's name.
  public let definition: String
  /// The definition's version.
  public let version: Int
  /// The flow's status. A flow is `runnable` as long as a step is at work, also a step that was left and does not heed
  /// its cancellation: then ``steps`` names it, and the history says `leaving`. With `suspended`, a step failed, and
  /// the flow can be retried. With `failed`, it has ended because a step failed. With `unmigrated`, no registered
  /// version fits it. With `erased`, the key of its data was erased, and the view has only what its row says.
  public let status: FlowSnapshot.Status
  /// The reason why the flow was abandoned, or `nil` if it was not.
  public let reason: String?
  /// The error that suspended or ended the flow, or the reason why it is `unmigrated`; `nil` if there is none.
  public let failure: String?
  /// Whether a `backUp` has thrown that can be called again, in a flow that is open or has ended.
  public let rollbackFailed: Bool
  /// The steps in focus.
  public let steps: [StepID]
  /// The steps that led to the flow's position, latest first; while branches run, only those up to their fork. After a
  /// finish, the steps that are still on the stack, as in memory.
  public let stack: [StepID]
  /// The open questions, oldest first, as in the position of an event.
  public let questions: [StoredQuestion]
  /// The names of the signals that the flow waits for, oldest wait first, as in ``waits``.
  public let signals: [String]
  /// The labels by which the flow is found: those of its start, and those that its steps have set since.
  public let labels: [String: String]
  /// The trace context that the flow was started with.
  public let trace: TraceContext
  /// The time at which the earliest timer is due, if there is one.
  public let wakeAt: Date?
  /// The time at which the flow was started.
  public let startedAt: Date
  /// The time of the last commit.
  public let changedAt: Date
  /// The number of commits so far.
  public let revision: Revision
  /// Whether the flow was redacted: see ``HostedFlow/redact(keeping:naming:reason:by:)``.
  public let isRedacted: Bool
  private let state: State
}

extension FlowView {
  /// - Parameter isErased: Whether the state could not be read, because its key was erased.
  init(_ stored: StoredFlow, _ state: HostedState, isErased: Bool = false) {
    let (snapshot, machine) = (stored.snapshot, state.machine)
    id = stored.id
    definition = snapshot.definition
    version = snapshot.version
    status = isErased ? .erased : state.status(indexedAs: snapshot.status)
    if case .abandoned(let reason)? = machine.ending { self.reason = reason } else { reason = nil }
    let failed = machine.ending == nil || machine.ending == .failed ? machine.failure : nil
    failure = (machine.ending == nil ? state.unmigrated : nil) ?? (machine.fault?.error ?? failed)?.message
    rollbackFailed = snapshot.rollbackFailed
    steps = snapshot.steps
    stack = machine.stack
    let tasks = Dictionary(snapshot.tasks.map { ($0.question, $0) }) { first, _ in first }
    let asked = machine.tracks.compactMap { track -> (StepID, PackedQuestion)? in
      guard let question = track.question, let step = track.places.last?.visit.step else { return nil }
      return (step, question)
    }
    // The order in which branches asked, not that of the branches: a page must not change at a restart.
    questions = asked.sorted { $0.1.number < $1.1.number }.map { step, question in
      let id = Question.ID(flow: stored.id, run: machine.run, number: question.number, token: question.token)
      let task = tasks[id.description]
      return StoredQuestion(
        id: id, step: step, prompt: question.name, json: question.prompt.bytes, revision: question.revision,
        assignees: question.assignees ?? task?.assignees ?? [], due: task?.due,
        askedAt: task?.askedAt ?? stored.changedAt, isReassigned: question.assignees != nil)
    }
    signals = machine.tracks.flatMap(\.waits).sorted { $0.number < $1.number }.map(\.signal)
    labels = snapshot.labels.filter { $0.key != Definition.label }
    trace = state.trace
    wakeAt = snapshot.wakeAt
    startedAt = state.startedAt
    changedAt = stored.changedAt
    revision = stored.revision
    isRedacted = state.isRedacted
    self.state = State(machine)
  }

  /// The stored state. Descriptions of a view and dumps do not show it, because it has answers and the secret digits of
  /// questions.
  private final class State: Sendable, CustomReflectable, CustomStringConvertible {
    let machine: MachineSnapshot

    init(_ machine: MachineSnapshot) {
      self.machine = machine
    }

    var description: String { "state" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
  }
}

// MARK: - The position

extension FlowView {
  /// Whether ``HostedFlow/backUp(to:from:reason:by:key:)`` has a target. If branches are open, it may ask for the
  /// question of one of them. False for a flow that is suspended: it refuses a back until it is retried, or its step is
  /// completed or entered anew.
  ///
  /// Another request may come first, so a back can be refused all the same.
  public var canBackUp: Bool {
    switch status {
    case .suspended, .unmigrated, .erased: false
    default: position.canBackUp
    }
  }

  /// The branches of the fork on top of the stack, with the steps in them; empty if the step in focus is not a fork.
  public var branches: [Branch] { position.branches }

  /// The signals that steps wait for, oldest first.
  public var waits: [Wait] { position.waits }

  /// The `backUp`s that threw, in the order of the calls: when a back or a handled failure left their steps, when
  /// branches were superseded, and when the flow was rolled back to its end.
  ///
  /// The step that a back lands on is none of them: it keeps its records, and owes its `backUp` once more.
  ///
  /// ``HostedFlow/compensateAgain(_:reason:by:key:)`` calls them again, each with the records of its step, also while the
  /// flow is open. Flows that have some are those with ``FlowSummary/rollbackFailed`` in a list.
  public var undoFailures: [UndoFailure] {
    state.machine.undoFailures.map { failure in
      UndoFailure(
        step: failure.place?.visit.step ?? failure.error.step, error: failure.error.message,
        isOwed: failure.place != nil)
    }
  }

  /// A `backUp` that threw.
  public struct UndoFailure: Sendable, Hashable {
    /// The step, by its path; `nil` if a move to another version has removed it and its error names none.
    public let step: StepID?
    /// The message of the error.
    public let error: String
    /// Whether it can be called again. Not if a move to another version has removed the step.
    public let isOwed: Bool
  }

  /// The output of a flow that has finished, as JSON; `nil` for any other flow, and for an output of type `Void`.
  public var output: [UInt8]? { state.machine.output.flatMap { $0.bytes.isEmpty ? nil : $0.bytes } }

  /// The number of the latest entry of the flow's history.
  package var sequence: Int { state.machine.sequence }

  /// The position, made when it is asked for. Visits have no presentation.
  var position: Position { state.machine.position(of: id) }
}

extension Flow {
  /// Returns the flow as a drawing, with the position of a hosted flow marked in it, as
  /// ``ActorFlow/Flow/diagram(_:of:)-(_,Position?)`` does.
  ///
  /// - Parameters:
  ///   - format: The language of the diagram.
  ///   - view: The flow to mark: the steps that were visited, those that are current, and those that wait for an answer
  ///     or a signal, in all open branches. Steps that this definition does not have are ignored.
  public func diagram(_ format: DiagramFormat, of view: FlowView) -> String { diagram(format, of: view.position) }
}

extension PackedQuestion {
  /// The name of the prompt: qualified, if the flow's format has qualified names.
  fileprivate var name: String {
    if let promptName { return promptName }
    if case .type(let name, _)? = key?.name { return name }
    return prompt.type
  }
}

extension MachineSnapshot {
  /// The flow's main track, and the tracks of its branches.
  var tracks: [PackedTrack] { [main] + branches }

  /// The visible steps on the flow's main stack, latest first.
  fileprivate var stack: [StepID] {
    guard ending == nil else { return lastStack.reversed().map(\.step) }
    let places = main.places.reversed().filter { !$0.isInner }.map(\.visit.step)
    // Without a place the last visit is in focus.
    return places.isEmpty ? [main.visit?.step].compactMap(\.self) : places
  }
}
