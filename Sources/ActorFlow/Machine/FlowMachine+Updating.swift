// Questions whose prompts change while they are open.
extension FlowMachine {
  /// A step replaces what its open question shows. Changes nothing where the visit is replayed and this was shown before.
  package mutating func update<P: Prompt>(
    _ prompt: P, visit: VisitID, on track: TrackID = .main, persisted: PersistedPrompt? = nil
  ) throws {
    let place = try activePlace(of: visit, on: track, to: "update")
    guard let asking = asking(on: track) else {
      // What cannot be read back is asked as it was first, so that this would be lost.
      if P.self is any Decodable.Type, let digest = persisted?.prompt.digest, replayBeforeAsking(digest, on: track) {
        return
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
    guard let packed = persisted?.prompt else { return replace(old, by: prompt, packed: nil, on: track) }
    guard self[track].asking?.updates.replay(packed.digest) == false else { return }
    self[track].asking?.updates.note(packed.digest, after: asking.packed)
    replace(old, by: prompt, packed: packed, on: track)
  }

  /// A question that was open when the machine was put away is asked again, with another prompt or the one it showed.
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
    let question = Question(
      id: old.id, step: old.step, visit: old.visit, prompt: prompt, revision: old.revision + 1)
    discard(old)
    self[track].asking?.question = question
    self[track].asking?.packed = packed
    publish(.updated(question))
  }
}

/// With what a question was updated while it was open.
///
/// A step that runs again because its flow was put away asks what it asked first, and may then update it in the same
/// way. The world has seen that: the question shows what it showed last, until the step comes with something else.
struct Updates: Sendable {
  /// Of what was asked first, then of each update. Empty if there was none.
  private(set) var digests: [UInt64] = []
  /// How many of them this attempt has come by.
  private var replayed = 0
  /// More are not remembered; then each update counts.
  private static let most = 100

  init() {}

  /// - Parameter replayed: How many updates came before the question was asked again.
  init(_ digests: [UInt64], replayed: Int) {
    self.digests = digests
    self.replayed = replayed + 1
  }

  var isEmpty: Bool { digests.isEmpty }

  /// Whether this update is the next of those that were made before.
  mutating func replay(_ digest: UInt64) -> Bool {
    guard replayed < digests.count else { return false }
    // With another one the step goes its own way.
    let isSame = digests[replayed] == digest
    replayed = isSame ? replayed + 1 : digests.count
    return isSame
  }

  /// The question is updated.
  mutating func note(_ digest: UInt64, after shown: PackedPrompt?) {
    if digests.isEmpty, let shown { digests = [shown.digest] }
    digests = digests.count < Self.most ? digests + [digest] : Array(digests.prefix(1))
    replayed = digests.count
  }
}
