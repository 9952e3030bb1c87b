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
  /// its cancellation: then ``steps`` names it, and the history says `leaving`. With `failed`, a step failed: the flow
  /// is suspended, or has ended. With `unmigrated`, no registered version fits the flow.
  public let status: FlowSnapshot.Status
  /// The reason why the flow was abandoned, or `nil` if it was not.
  public let reason: String?
  /// The error that suspended or ended the flow, or the reason why it is `unmigrated`; `nil` if there is none.
  public let failure: String?
  /// Whether a `backUp` threw when the flow was rolled back.
  public let rollbackFailed: Bool
  /// The steps in focus.
  public let steps: [StepID]
  /// The steps that led to the flow's position, latest first; while branches run, only those up to their fork. After a
  /// finish, the steps that are still on the stack, as in memory.
  public let stack: [StepID]
  /// The open questions.
  public let questions: [OpenQuestion]
  /// The names of the signals that the flow waits for.
  public let signals: [String]
  /// The labels by which the flow is found: those of its start, and those that its steps have set since.
  public let labels: [String: String]
  /// The time at which the earliest timer is due, if there is one.
  public let wakeAt: Date?
  /// The time at which the flow was started.
  public let startedAt: Date
  /// The time of the last commit.
  public let changedAt: Date
  /// The number of commits so far.
  public let revision: Revision

  /// An open question of a stored flow, with its prompt as JSON. Code that knows the prompt's type can decode it.
  public struct OpenQuestion: Sendable, Identifiable {
    /// The id to answer with.
    public let id: Question.ID
    /// The step that asks.
    public let step: StepID
    /// The name of the prompt's type.
    public let prompt: String
    /// The prompt as JSON.
    public let json: [UInt8]
    /// The number of the prompt's version: 1 when asked, one more after each update.
    public let revision: Int
    /// The people who are to answer; empty if everyone may.
    public let assignees: [String]
    /// The time by which an answer is expected, if there is one.
    public let due: Date?
    /// The time at which the question was asked.
    public let askedAt: Date

    /// Returns the prompt, decoded as its type.
    ///
    /// - Throws: `DecodingError` if the prompt is of another type.
    public func prompt<P: Prompt & Decodable>(as type: P.Type) throws -> P {
      try JSONValueCodec().decode(json, as: type)
    }
  }
}

extension FlowView {
  init(_ stored: StoredFlow, _ state: HostedState) {
    let (snapshot, machine) = (stored.snapshot, state.machine)
    id = stored.id
    definition = snapshot.definition
    version = snapshot.version
    status = state.status(indexedAs: snapshot.status)
    if case .abandoned(let reason)? = machine.ending { self.reason = reason } else { reason = nil }
    let failed = machine.ending == nil || machine.ending == .failed ? machine.failure : nil
    failure = (machine.ending == nil ? state.parked : nil) ?? (machine.fault?.error ?? failed)?.message
    rollbackFailed = snapshot.rollbackFailed
    steps = snapshot.steps
    stack = machine.stack
    let tasks = Dictionary(snapshot.tasks.map { ($0.question, $0) }) { first, _ in first }
    questions = machine.tracks.compactMap { track in
      guard let question = track.question, let step = track.places.last?.visit.step else { return nil }
      let id = Question.ID(flow: stored.id, run: machine.run, number: question.number, token: question.token)
      let task = tasks[id.description]
      return OpenQuestion(
        id: id, step: step, prompt: question.prompt.type, json: question.prompt.bytes, revision: question.revision,
        assignees: task?.assignees ?? [], due: task?.due, askedAt: task?.askedAt ?? stored.changedAt)
    }
    signals = machine.tracks.flatMap { $0.waits.map(\.signal) }
    labels = snapshot.labels.filter { $0.key != Definition.label }
    wakeAt = snapshot.wakeAt
    startedAt = state.startedAt
    changedAt = stored.changedAt
    revision = stored.revision
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
