// The keys under which a visit's journal holds the answers to its questions.
extension FlowMachine {
  /// Returns the key of the next question, after counting those that the calling task passes over.
  mutating func nextKey(
    of prompt: any Prompt, named name: String?, hasLimit: Bool, by caller: CallingTask, at place: Place,
    on track: TrackID
  ) throws -> JournalKey? {
    while true {
      let key = try journalKey(of: prompt, named: name, by: caller, at: place, on: track)
      guard let key, passesOver(key, hasLimit: hasLimit, by: caller, on: track) else { return key }
    }
  }

  /// Returns the key of the next question; `nil` if nothing is replayed and the step's author has given no name.
  ///
  /// - Throws: `duplicateKey` if the name was answered in this attempt. A replaying attempt may use it once.
  private mutating func journalKey(
    of prompt: any Prompt, named name: String?, by caller: CallingTask, at place: Place, on track: TrackID
  ) throws -> JournalKey? {
    guard let name else {
      return journal == .off ? nil : try typeKey(of: type(of: prompt), by: caller, at: place, on: track)
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
  /// earlier name of the prompt, it gets its current one.
  ///
  /// - Throws: `notStorable` if another process would give the type another name; ``UnfitJournal`` if the journal has
  ///   the question under two names.
  private mutating func typeKey(
    of type: any Prompt.Type, by caller: CallingTask, at place: Place, on track: TrackID
  ) throws -> JournalKey {
    let names = PromptNames(of: type, isQualified: qualifiesKeys)
    guard names.isStable || journal != .persisting else {
      throw error(
        .notStorable,
        "the prompt \(type) is a private or local type, or generic over one, so another process cannot find its answer; "
          + "give it a `static let promptName`, or ask it with a key",
        step: place.visit.info.id)
    }
    self[track].focus.attempt.note(names)
    let current = journaledKey(.type(names.current), by: caller, on: track)
    let earlier = names.earlier.map { journaledKey(.type($0), by: caller, on: track) }.filter(\.isJournaled)
    guard let (old, _) = earlier.first else { return current.key }
    guard earlier.count == 1, !current.isJournaled else {
      let keys = (earlier + [current]).map { "\"\($0.key.text)\"" }.joined(separator: ", ")
      throw UnfitJournal(
        error: error(
          .unmigrated,
          "the journal of the step \(place.visit.info.id) has the question \(names.current) under several names: \(keys). "
            + "Drop the wrong one with `Move.forgetAnswer(of:key:)`",
          step: place.visit.info.id))
    }
    let key = look(at: track) { $0.focus.attempt.nextKey(.type(names.current, by: old.name.asker)) }
    self[track].rename(old, to: key)
    return key
  }

  /// Returns the key of the next wait for a signal.
  func signalKey(_ signal: String, by caller: CallingTask, on track: TrackID) -> JournalKey {
    journaledKey(.signal(signal), by: caller, on: track).key
  }

  /// Returns the key that comes next for the calling task under a name, and whether the journal has it. Earlier formats
  /// stored keys that do not tell their asker; whichever task comes first gets those.
  private func journaledKey(
    _ name: JournalKey.Name, by caller: CallingTask, on track: TrackID
  ) -> (key: JournalKey, isJournaled: Bool) {
    look(at: track) { track in
      let key = track.focus.attempt.nextKey(name.asked(by: qualifiesKeys ? caller.asker : nil))
      guard track.focus.attempt.isReplay else { return (key, false) }
      if track.hasJournaled(key) { return (key, true) }
      let shared = track.focus.attempt.nextKey(name)
      return track.hasJournaled(shared) ? (shared, true) : (key, false)
    }
  }
}

extension Track {
  /// Whether the visit has an outcome of this question or wait, or had it open in the snapshot.
  fileprivate func hasJournaled(_ key: JournalKey) -> Bool {
    if focus.memory?.answers[key] != nil { return true }
    guard let reopening else { return false }
    return reopening.question?.key == key || reopening.waits.contains { $0.key == key }
  }

  fileprivate mutating func rename(_ old: JournalKey, to key: JournalKey) {
    if let entry = focus.memory?.answers.removeValue(forKey: old) { focus.memory?.answers[key] = entry }
    reopening = reopening?.renaming(old, to: key)
  }
}
