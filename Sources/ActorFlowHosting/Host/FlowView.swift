public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A flow as its store has it: where it stands and what it asks. Looking wakes nothing.
public struct FlowView: Sendable {
  /// The flow's id.
  public let id: FlowID
  /// The definition's name.
  public let definition: String
  /// The definition's version.
  public let version: Int
  /// What it waits for, or how it ended. It is `runnable` as long as a step is at work, also one that was left and does
  /// not heed its cancellation: then ``steps`` names it, and its history says `leaving`.
  public let status: FlowSnapshot.Status
  /// Why it was abandoned; nil if it was not.
  public let reason: String?
  /// What made it fail or stand still; nil if nothing did.
  public let failure: String?
  /// Whether a `backUp` threw when it was rolled back.
  public let rollbackFailed: Bool
  /// The steps in focus.
  public let steps: [StepID]
  /// The steps that led to where it stands, the latest first; of branches those of the fork only. After a finish those
  /// that still stand on the stack, as in memory.
  public let stack: [StepID]
  /// What it asks.
  public let questions: [OpenQuestion]
  /// The signals it waits for.
  public let signals: [String]
  /// What was attached to find it by.
  public let labels: [String: String]
  /// When the earliest timer is due.
  public let wakeAt: Date?
  /// When it was started.
  public let startedAt: Date
  /// When it was committed last.
  public let changedAt: Date
  /// How often it was committed.
  public let revision: Revision

  /// A question of a flow at rest: its prompt as JSON, or as its type for who knows it.
  public struct OpenQuestion: Sendable, Identifiable {
    /// Answer with this id.
    public let id: Question.ID
    /// The step that asks.
    public let step: StepID
    /// The name of the prompt's type.
    public let prompt: String
    /// What is shown, as JSON.
    public let json: [UInt8]
    /// 1 when asked, one more after each update.
    public let revision: Int
    /// Who is to answer; empty if anybody may.
    public let assignees: [String]
    /// When an answer is expected, if it is.
    public let due: Date?
    /// When it was asked.
    public let askedAt: Date

    /// What is shown, as its type.
    ///
    /// - Throws: `DecodingError` if it is another type.
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
  /// The flow's own track, and those of its branches.
  var tracks: [PackedTrack] { [main] + branches }

  /// The steps that the world sees on the flow's own stack, the latest first.
  fileprivate var stack: [StepID] {
    guard ending == nil else { return lastStack.reversed().map(\.step) }
    let places = main.places.reversed().filter { !$0.isInner }.map(\.visit.step)
    // Without a place the last visit is in focus.
    return places.isEmpty ? [main.visit?.step].compactMap(\.self) : places
  }
}
