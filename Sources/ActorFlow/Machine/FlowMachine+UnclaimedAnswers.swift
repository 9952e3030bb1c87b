/// The journal of a visit does not fit the code of its step any more.
package struct UnfitJournal: Error {
  package let error: FlowError
}

// Answers that a step got in an earlier process and that it does not ask for any more.
//
// A step's own task does one thing after the other. In a replay it comes back to all its answers before it asks or waits
// for something new, unless its code has changed. Child tasks may come back in any order and at any time. So only the
// answers of the step's own task are counted, by name, and only this task is refused.
extension FlowMachine {
  /// Refuses a new question or wait of the step's own task if this task has not come back to all its answers. Otherwise
  /// they would be lost when the step is left, and be asked for again.
  ///
  /// Counted are the calls under each name, not their keys: if a child task uses the same name, the first to come gets
  /// the first answer.
  ///
  /// - Throws: ``UnfitJournal``.
  mutating func refuseUnclaimed(asking new: JournalKey, on track: TrackID) throws {
    guard journal == .persisting, let calls = look(at: track, { $0.focus.attempt.callsOfStep }) else { return }
    let focus = focus(of: track)
    let owed = Set((focus.memory?.answersOfStep ?? [:]).filter { calls[$0.key, default: 0] < $0.value }.keys)
    let unclaimed = (focus.memory?.answers ?? [:]).compactMap { key, entry -> JournalKey? in
      guard case .answered = entry, key.name != new.name, owed.contains(key.name), focus.attempt.isUnclaimed(key) else {
        return nil
      }
      return key
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

  /// Counts an answer, or a received signal, for the replays of a persisted flow.
  mutating func countAnswer(under key: JournalKey, of caller: CallingTask, on track: TrackID) {
    guard journal == .persisting, caller == .step else { return }
    self[track].focus.memory?.answersOfStep?[key.name, default: 0] += 1
  }

  /// Notes that a question of the step's own task was closed without an entry in the journal, because its reminder threw
  /// or because its answer was awaited elsewhere. A replay may ask it as something new although answers come after it,
  /// so nothing can be concluded in this visit.
  mutating func mayAskAgain(on track: TrackID) {
    guard journal == .persisting else { return }
    if self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.answersOfStep = nil
  }
}

// A snapshot has the answers of child tasks, because most steps have none.
extension PlaceMemory {
  /// The number of answers under each name, whichever task has got them.
  private var answersByName: [JournalKey.Name: Int] {
    var counts: [JournalKey.Name: Int] = [:]
    for (key, entry) in answers {
      if case .answered = entry { counts[key.name, default: 0] += 1 }
    }
    return counts
  }

  /// The number of answers under a name that child tasks have got, as the number of a key; `nil` if that is not known.
  var answersOfChildren: [JournalKey]? {
    answersOfStep.map { ofStep in
      answersByName.compactMap { name, count in
        let others = count - ofStep[name, default: 0]
        return others > 0 ? JournalKey(name: name, number: others) : nil
      }.sorted()
    }
  }

  /// Counts the answers of the step's own task: all but those of the child tasks.
  mutating func countAnswers(without ofChildren: [JournalKey]?) {
    guard let ofChildren else { return answersOfStep = nil }
    var counts = answersByName
    for key in ofChildren {
      let count = counts[key.name, default: 0]
      counts[key.name] = count - min(max(key.number, 0), count)
    }
    answersOfStep = counts.filter { $0.value > 0 }
  }
}
