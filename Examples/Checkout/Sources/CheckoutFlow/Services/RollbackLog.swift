/// What was undone, in words, for whoever tells the customer. The steps write it in their `backUp`.
package actor RollbackLog {
  private var entries: [String] = []

  /// An empty log.
  package init() {}

  /// Notes that something was undone.
  package func note(_ entry: String) {
    entries.append(entry)
  }

  /// What was undone since the last call, oldest first.
  package func takeEntries() -> [String] {
    defer { entries = [] }
    return entries
  }
}
