/// The works of `once` around the current code, innermost first.
///
/// Work that calls `once` with the key it runs for would wait for itself, and could not be cancelled. The chain is a
/// task-local, so it also reaches the work's child tasks.
final class OnceWork: Sendable {
  @TaskLocal static var current: OnceWork?

  private let key: String
  private let scope: RecordScope
  private let coordinator: UInt64
  private let outer: OnceWork?

  init(_ key: String, _ scope: RecordScope, _ coordinator: UInt64, in outer: OnceWork?) {
    self.key = key
    self.scope = scope
    self.coordinator = coordinator
    self.outer = outer
  }

  /// The keys that the current code is work for, in this place.
  static func keys(of coordinator: UInt64, _ scope: RecordScope) -> [String] {
    var keys: [String] = []
    var link = current
    while let here = link {
      if here.coordinator == coordinator, here.scope == scope { keys.append(here.key) }
      link = here.outer
    }
    return keys
  }
}

/// Which work waits for which other work at one place, so that a circle is refused before it closes.
struct OnceWaits: Sendable {
  /// The keys whose work waits, the key it waits for, and the waiter.
  var edges: [(holding: [String], key: String, cell: OneShot)] = []

  /// Whether work for `key` waits, directly or by others, for work for one of `holding`.
  func wouldClose(from key: String, to holding: [String]) -> Bool {
    guard !holding.isEmpty else { return false }
    var reached: Set = [key]
    var grew = true
    while grew {
      grew = false
      for edge in edges where !reached.contains(edge.key) && edge.holding.contains(where: reached.contains) {
        reached.insert(edge.key)
        grew = true
      }
    }
    return holding.contains(where: reached.contains)
  }
}
