// Labels that steps give a flow, by which an operator or a page finds it.
extension FlowMachine {
  /// The limit of a label's key, and of its value, in UTF-8 bytes.
  private static let labelBytes = 512

  /// The key of the label by which a host finds flows that began with another definition.
  package static let reservedLabel = "actorflow.definition"

  /// The reason for which no step and no start may set the reserved label, as the end of a sentence.
  package static let reservation = "is reserved for the host; choose another key"

  /// Sets or removes a label of the flow. In a replay, the calls that the visit has made before change nothing: the
  /// label may have another value by now.
  ///
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func label(
    _ name: String, _ value: String?, at stay: Stay, by caller: CallingTask = .unknown
  ) throws {
    let place = try activePlace(of: stay.visit, on: stay.track, to: "set a label")
    try check(name, value, at: place)
    guard journal == .persisting else { return needsNoCommit() }
    let kind = JournalKey.Name.label(name, by: caller.asker)
    let key = look(at: stay.track) { $0.focus.attempt.nextKey(kind) }
    self[stay.track].focus.attempt.count(key, by: caller)
    guard key.number > look(at: stay.track, { $0.focus.memory?.labelCalls[kind] ?? 0 }) else { return needsNoCommit() }
    if self[stay.track].focus.memory == nil { self[stay.track].focus.memory = PlaceMemory() }
    self[stay.track].focus.memory?.labelCalls[kind] = key.number
    // A key that Swift calls equal to an older one would keep the older one's bytes.
    labelChanges.removeValue(forKey: name)
    labelChanges[name] = .some(value)
    noteFollowed(on: stay.track)
  }

  private func check(_ name: String, _ value: String?, at place: Place) throws(FlowError) {
    guard name != Self.reservedLabel else {
      throw error(
        .notStorable, "the label's key \"\(name)\" \(Self.reservation)", step: place.visit.info.id)
    }
    for (text, role) in [(name, "key"), (value ?? "", "value")] {
      if text.utf8.count > Self.labelBytes {
        throw error(
          .tooLarge, "a label's \(role) has at most \(Self.labelBytes) bytes, not \(text.utf8.count)",
          step: place.visit.info.id)
      }
      if text.utf8.contains(0) {
        throw error(
          .notStorable, "a label's \(role) contains U+0000, which databases cannot store; leave the character out",
          step: place.visit.info.id)
      }
    }
  }
}
