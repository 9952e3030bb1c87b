/// The journal of a visit does not fit the code of its step any more.
package struct UnfitJournal: Error {
  package let error: FlowError
}

// Answers that a step got in an earlier process and that it does not ask for any more.
//
// A step's own task does one thing after the other. In a replay it comes back to all its answers before it asks or waits
// for something new, unless its code has changed. Child tasks may come back in any order and at any time. So only this
// task is refused, and only for answers of its own.
extension FlowMachine {
  /// Refuses a new question or wait of the step's own task if this task has not come back to all its answers. Otherwise
  /// they would be lost when the step is left, and be asked for again.
  ///
  /// - Throws: ``UnfitJournal``.
  mutating func refuseUnclaimed(asking new: JournalKey, on track: TrackID) throws {
    guard journal == .persisting, look(at: track, { $0.focus.attempt.owesAnswers }) else { return }
    let focus = focus(of: track)
    let unclaimed = (focus.memory?.answersOfStep ?? []).filter {
      $0.name != new.name && focus.attempt.isUnclaimed($0)
    }
    guard let first = unclaimed.min() else { return self[track].focus.attempt.settleAnswers() }
    let step = visit(of: track)?.info.id ?? ""
    let keys = unclaimed.sorted().map { "\"\($0.text)\"" }.joined(separator: ", ")
    throw UnfitJournal(
      error: error(
        .unmigrated,
        "the step \(step) asks for \"\(new.text)\", and its journal has answers that it has not asked for again: "
          + "\(keys). Its code has changed since they were given, and they are kept. Let the step ask for them under "
          + "the same names, or drop them with `Move.forgetAnswer(of: \"\(step)\", key: \"\(first.text)\")`",
        step: step))
  }

  /// Notes, for the replays of a persisted flow, that a child task has got an answer under a name that the step's author
  /// chose: such a key does not tell its asker.
  mutating func noteAnswer(under key: JournalKey, of caller: CallingTask, on track: TrackID) {
    guard journal == .persisting, caller == .child, case .given = key.name else { return }
    self[track].focus.memory?.keysOfChildren?.insert(key)
  }

  /// Notes that a question of the step's own task was closed without an entry in the journal, because its reminder threw
  /// or because its answer was awaited elsewhere. A replay may ask it as something new although answers come after it,
  /// so nothing can be concluded in this visit.
  mutating func mayAskAgain(on track: TrackID) {
    guard journal == .persisting else { return }
    if self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.keysOfChildren = nil
  }
}

extension PlaceMemory {
  /// The keys of the answers that the step's own task has got. Empty if that is not known.
  var answersOfStep: [JournalKey] {
    guard let keysOfChildren else { return [] }
    return answers.compactMap { key, entry in
      guard case .answered = entry, key.name.asker != .child, !keysOfChildren.contains(key) else { return nil }
      return key
    }
  }
}
