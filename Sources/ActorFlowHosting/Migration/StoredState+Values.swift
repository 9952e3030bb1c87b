import ActorFlow

// The answers, records and states that moves change. A step in focus has them beside its place, in the track's focus.
extension StoredState {
  /// Replaces the answers, or received signals, under a key of the journals of a step.
  ///
  /// - Throws: A `FlowError` with the code `typeMismatch` that names the step and the key, if an answer is not an `Old`
  ///   or if `change` throws.
  mutating func changeAnswer<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, key: String, _ change: (Old) throws -> New
  ) throws {
    try changeFocus(of: step) { focus, path, state in
      for index in focus.answers.indices where focus.answers[index].key.isMeant(by: key) {
        guard case .answered(let old, let facts) = focus.answers[index].entry else { continue }
        let new = try state.converted(old, "answer", focus.answers[index].key.text, path, change)
        focus.answers[index].entry = .answered(new, facts)
      }
    }
  }

  /// Removes the answers, or received signals, under a key of the journals of a step.
  ///
  /// Later questions of the same name keep their order: each gets the number that it has if nothing asks for the removed
  /// ones.
  mutating func forgetAnswer(of step: StepID, key: String) {
    for place in places(step) where isTop(place) {
      machine.change(place.track) { $0.forgetAnswers { $0.isMeant(by: key) } }
    }
  }

  /// Replaces the records of `once` under a key, at all places of a step, also where its `backUp` threw and may be
  /// retried. A record of unknown outcome has no value, and gets only the name of the new type.
  ///
  /// - Throws: As ``changeAnswer(of:key:_:)``.
  mutating func changeRecord<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, key: String, _ change: (Old) throws -> New
  ) throws {
    try changeMemory(of: step) { records, _, path, state in
      for index in records.indices where records[index].key.hasBytes(of: key) {
        records[index].value = try records[index].value.map { try state.converted($0, "record", key, path, change) }
        records[index].type = "\(New.self)"
      }
    }
  }

  /// Replaces the state of a rendered step, or the states of its children of a type, at all places of the step.
  ///
  /// - Parameter child: The name of the type of the children; `nil` for the step's own state.
  /// - Throws: As ``changeAnswer(of:key:_:)``.
  mutating func changeState<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, child: String?, _ change: (Old) throws -> New
  ) throws {
    try changeMemory(of: step) { _, tree, path, state in
      guard let nodes = tree?.nodes else { return }
      for index in nodes.indices where child == nil ? index == 0 : index > 0 && nodes[index].type == child {
        tree?.nodes[index].state = try state.converted(nodes[index].state, "state", child, path, change)
      }
    }
  }

  // MARK: - Places

  private func isTop(_ place: PlaceIndex) -> Bool { place.index == machine.tracks[place.track].places.count - 1 }

  private mutating func changeFocus(
    of step: StepID, _ change: (inout PackedFocus, StepID, StoredState) throws -> Void
  ) throws {
    for place in places(step) where isTop(place) {
      var focus = machine.tracks[place.track].focus
      try change(&focus, machine[place].visit.step, self)
      machine.change(place.track) { $0.focus = focus }
    }
  }

  private mutating func changeMemory(
    of step: StepID, _ change: (inout [PackedRecord], inout PackedTree?, StepID, StoredState) throws -> Void
  ) throws {
    try changeFocus(of: step) { try change(&$0.records, &$0.tree, $1, $2) }
    for place in places(step) {
      var changed = machine[place]
      try change(&changed.records, &changed.tree, changed.visit.step, self)
      machine[place] = changed
    }
    var failed = machine.failedPlaces.filter { step.means($0.visit.step) }
    for index in failed.indices {
      var changed = failed[index]
      try change(&changed.records, &changed.tree, changed.visit.step, self)
      failed[index] = changed
    }
    machine.changeFailedPlaces { place in
      if let old = place, step.means(old.visit.step), !failed.isEmpty { place = failed.removeFirst() }
    }
  }

  private func converted<Old: Decodable & Sendable, New: Encodable & Sendable>(
    _ value: PackedValue, _ kind: String, _ key: String?, _ step: StepID, _ change: (Old) throws -> New
  ) throws -> PackedValue {
    let place = "the \(kind)\(key.map { " \"\($0)\"" } ?? "") of \(step.path)"
    let old: Old
    do { old = try StepBody.cast(stored(value), to: Old.self) } catch {
      let reason = DecodingReason((error as? FlowError)?.underlying ?? error)
      throw FlowError(
        .typeMismatch,
        "\(place) is stored as \(value.type) and cannot be read as \(Old.self): \(reason); let the closure of "
          + "`Move.\(kind)` take the type that was stored", step: step)
    }
    do { return try PackedValue(change(old), with: values) } catch {
      throw FlowError(
        .typeMismatch,
        "the closure of `Move.\(kind)` threw for \(place): \((error as? FlowError)?.message ?? "\(error)"); let it "
          + "return a value, or leave the flow on its version", step: step, underlying: [error])
    }
  }
}

extension PackedTrack {
  /// Removes the answers under these keys, and closes the gaps in the numbers.
  fileprivate mutating func forgetAnswers(_ isForgotten: (JournalKey) -> Bool) {
    var gone: [JournalKey] = []
    focus.answers.removeAll { answer in
      guard case .answered = answer.entry, isForgotten(answer.key) else { return false }
      gone.append(answer.key)
      return true
    }
    guard !gone.isEmpty else { return }
    func moved(_ key: JournalKey) -> JournalKey {
      let gaps = gone.count { $0.name == key.name && $0.number < key.number }
      return JournalKey(name: key.name, number: key.number - gaps)
    }
    for index in focus.answers.indices { focus.answers[index].key = moved(focus.answers[index].key) }
    focus.answers.sort { $0.key < $1.key }
    focus.keysOfChildren = focus.keysOfChildren?.filter { !gone.contains($0) }.map(moved)
    if let key = question?.key { question?.key = moved(key) }
    for index in waits.indices { waits[index].key = moved(waits[index].key) }
  }
}
