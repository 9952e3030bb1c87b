import ActorFlow

/// A text that one task leaves for another.
final class Held: Sendable {
  private let state = Lock<String?>(nil)
  var word: String? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
