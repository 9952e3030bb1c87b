// Updates of open questions: another prompt under the same question.
extension FlowMachine {
  /// Replaces the prompt that a step's open question shows. Changes nothing if the visit is replayed and this was shown
  /// before.
  ///
  /// - Returns: The question of the snapshot that the step is to ask again first, if a child task comes before it. In
  ///   the first run the question was open already. Nil: the update is done.
  @discardableResult
  package mutating func update<P: Prompt>(
    _ prompt: P, visit: VisitID, on track: TrackID = .main, persisted: PersistedPrompt? = nil,
    by caller: CallingTask = .unknown
  ) throws -> Question.ID? {
    let place = try activePlace(of: visit, on: track, to: "update")
    guard let asking = asking(on: track) else {
      // Only if the prompt can be decoded: others are asked with their first content, so the update would be lost.
      if P.self is any Decodable.Type, let digest = persisted?.prompt.digest, replayBeforeAsking(digest, on: track) {
        return nil
      }
      if caller == .child, let asked = reopening(on: track)?.question {
        return Question.ID(flow: flow, run: run, number: asked.number, token: asked.token)
      }
      throw error(
        .notActive, "no question of this visit is open, so there is nothing to update", step: place.visit.info.id)
    }
    let old = asking.question
    guard old.prompt is P else {
      throw error(
        .wrongPromptType,
        "the open question shows a prompt of type \(type(of: old.prompt)); it cannot become one of type \(P.self)",
        step: place.visit.info.id)
    }
    guard let packed = persisted?.prompt else {
      replace(old, by: prompt, packed: nil, on: track)
      return nil
    }
    guard self[track].asking?.updates.replay(packed.digest) == false else { return nil }
    self[track].asking?.updates.note(packed.digest, after: asking.packed)
    replace(old, by: prompt, packed: packed, on: track)
    return nil
  }

  /// Replaces the prompt of a question from the snapshot if the step asks it again with another one.
  mutating func showAgain(
    _ question: Question, _ prompt: any Prompt, _ persisted: PersistedPrompt?, on track: TrackID
  ) {
    guard let persisted, let asking = asking(on: track), let shown = asking.packed, asking.updates.isEmpty,
      shown.value != persisted.prompt.value
    else { return }
    replace(question, by: prompt, packed: persisted.prompt, on: track)
  }

  private mutating func replace(
    _ old: Question, by prompt: any Prompt, packed: PackedPrompt?, on track: TrackID
  ) {
    let prompt = Self.prompt(prompt, assignedTo: look(at: track) { $0.asking?.assignees })
    let question = Question(
      id: old.id, step: old.step, visit: old.visit, prompt: prompt, revision: old.revision + 1)
    discard(old)
    self[track].asking?.question = question
    self[track].asking?.packed = packed
    publish(.updated(question))
  }
}

/// The digests of the prompts that an open question has shown.
///
/// A step that runs again because its flow was passivated asks its first prompt again, and may then repeat its updates.
/// Observers have seen those: the question shows its latest prompt until the step comes with a different one.
struct Updates: Sendable {
  /// The digest of the first prompt, then of each update. Empty if there was no update.
  private(set) var digests: [UInt64] = []
  /// The number of digests that this attempt has repeated.
  private var replayed = 0
  /// The limit of digests. At the limit all but the first are forgotten, so a replay takes each update for new.
  private static let most = 100

  init() {}

  /// - Parameter replayed: The number of updates that came before the question was asked again.
  init(_ digests: [UInt64], replayed: Int) {
    self.digests = digests
    self.replayed = replayed + 1
  }

  var isEmpty: Bool { digests.isEmpty }

  /// Whether this update repeats the next one of those made before.
  mutating func replay(_ digest: UInt64) -> Bool {
    guard replayed < digests.count else { return false }
    // After a different one, nothing more is taken for a repetition.
    let isSame = digests[replayed] == digest
    replayed = isSame ? replayed + 1 : digests.count
    return isSame
  }

  /// Notes that the question is updated.
  mutating func note(_ digest: UInt64, after shown: PackedPrompt?) {
    if digests.isEmpty, let shown { digests = [shown.digest] }
    digests = digests.count < Self.most ? digests + [digest] : Array(digests.prefix(1))
    replayed = digests.count
  }
}
