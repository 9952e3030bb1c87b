/// The compensated effects, in words for the customer. The steps write them in their `backUp`.
package actor RollbackLog {
  private var entries: [String] = []

  /// An empty log.
  package init() {}

  /// Adds a compensated effect.
  package func note(_ entry: String) {
    entries.append(entry)
  }

  /// Returns the compensated effects since the last call, oldest first.
  package func takeEntries() -> [String] {
    defer { entries = [] }
    return entries
  }
}
