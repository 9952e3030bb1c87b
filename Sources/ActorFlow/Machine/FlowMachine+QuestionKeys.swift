// The keys under which a visit's journal holds the answers to its questions.
extension FlowMachine {
  /// Returns the key of the next question, after counting those that the calling task passes over.
  mutating func nextKey(
    of prompt: any Prompt, named name: String?, hasLimit: Bool, by caller: CallingTask, at place: Place,
    on track: TrackID
  ) throws -> JournalKey? {
    while true {
      let key = try journalKey(of: prompt, named: name, at: place, on: track)
      guard let key, passesOver(key, hasLimit: hasLimit, by: caller, on: track) else { return key }
    }
  }

  /// Returns the key of the next question; `nil` if nothing is replayed and the step's author has given no name.
  ///
  /// - Throws: `duplicateKey` if the name was answered in this attempt. A replaying attempt may use it once.
  private mutating func journalKey(
    of prompt: any Prompt, named name: String?, at place: Place, on track: TrackID
  ) throws -> JournalKey? {
    guard let name else {
      return journal == .off ? nil : try typeKey(of: type(of: prompt), at: place, on: track)
    }
    let focus = look(at: track) { $0.focus }
    let key = focus.attempt.nextKey(.given(name))
    // Without replay nothing is counted, so an answer rules out every further use of its name.
    let earlier = journal != .off ? JournalKey(name: key.name, number: key.number - 1) : key
    guard case .answered? = focus.memory?.answers[earlier] else { return key }
    throw error(
      .duplicateKey, "this visit already has an answer under the key \"\(name)\"; one key, one answer",
      step: place.visit.info.id)
  }

  /// Returns the key of the next question of this type that has no name of its own. If the journal has it under an
  /// earlier name, it gets its current one.
  ///
  /// - Throws: `notStorable` if another process would give the type another name; ``UnfitJournal`` if the journal has
  ///   the question under two names.
  private mutating func typeKey(of type: any Prompt.Type, at place: Place, on track: TrackID) throws -> JournalKey {
    let names = PromptNames(of: type, isQualified: qualifiesPrompts)
    guard names.isStable || journal != .persisting else {
      throw error(
        .notStorable,
        "the prompt \(type) is a private or local type, or generic over one, so another process cannot find its answer; "
          + "give it a `static let promptName`, or ask it with a key",
        step: place.visit.info.id)
    }
    let key = look(at: track) { $0.focus.attempt.nextKey(.type(names.current)) }
    let earlier = look(at: track) { track in
      names.earlier.map { track.focus.attempt.nextKey(.type($0)) }.filter { track.hasJournaled($0) }
    }
    self[track].focus.attempt.note(names)
    guard let old = earlier.first else { return key }
    guard earlier.count == 1, !look(at: track, { $0.hasJournaled(key) }) else {
      let keys = (earlier + [key]).map { "\"\($0.text)\"" }.joined(separator: ", ")
      throw UnfitJournal(
        error: error(
          .unmigrated,
          "the journal of the step \(place.visit.info.id) has the question \(names.current) under several names: \(keys). "
            + "Drop the wrong one with `Move.forgetAnswer(of:key:)`",
          step: place.visit.info.id))
    }
    self[track].rename(old, to: key)
    return key
  }
}

extension Track {
  /// Whether the visit has an outcome of this question or wait, or had it open in the snapshot.
  fileprivate func hasJournaled(_ key: JournalKey) -> Bool {
    focus.memory?.answers[key] != nil || reopening?.question?.key == key
  }

  fileprivate mutating func rename(_ old: JournalKey, to key: JournalKey) {
    if let entry = focus.memory?.answers.removeValue(forKey: old) {
      focus.memory?.answers[key] = entry
      focus.memory?.renameAnswerOfStep(from: old.name, to: key.name)
    }
    reopening = reopening?.renaming(old, to: key)
  }
}

extension PlaceMemory {
  fileprivate mutating func renameAnswerOfStep(from old: JournalKey.Name, to new: JournalKey.Name) {
    guard let count = answersOfStep?[old] else { return }
    answersOfStep?[old] = count > 1 ? count - 1 : nil
    answersOfStep?[new, default: 0] += 1
  }
}
