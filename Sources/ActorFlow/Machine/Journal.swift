/// What became of a question, as a replay needs to know it.
package enum JournalEntry: Sendable {
  case answered(any Sendable)
  /// The step itself cancelled the asking task, so it will do so again.
  case withdrawn
  /// The time for it was over.
  case overdue
}

/// One call of `proceed`, as the journal sees it. A replay is a new attempt: it counts its questions anew, and so comes
/// to the same keys.
struct Attempt: Sendable {
  /// Whether an earlier attempt of the same visit came before.
  var isReplay = false
  private var asked: [JournalKey.Name: Int] = [:]

  init(isReplay: Bool = false) {
    self.isReplay = isReplay
  }

  /// The key of the question that is asked next under `name`.
  func nextKey(_ name: JournalKey.Name) -> JournalKey {
    JournalKey(name: name, number: asked[name, default: 0] + 1)
  }

  mutating func count(_ key: JournalKey) {
    asked[key.name] = key.number
  }
}
