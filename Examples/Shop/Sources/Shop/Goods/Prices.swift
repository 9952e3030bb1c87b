import Synchronization

/// The prices of the day, which change while people look at them.
public final class Prices: Sendable {
  private struct State {
    var cents: [Article: Int]
    var watchers: [Int: AsyncStream<[Article: Int]>.Continuation] = [:]
    var lastWatcher = 0
  }

  private let state: Mutex<State>

  /// The opening prices.
  public init() {
    state = Mutex(State(cents: Dictionary(uniqueKeysWithValues: Article.allCases.map { ($0, $0.openingPrice) })))
  }

  /// The current prices, in cents.
  public var current: [Article: Int] { state.withLock(\.cents) }

  /// Sets the price of an article, in cents.
  public func set(_ article: Article, to cents: Int) {
    state.withLock { state in
      guard state.cents[article] != cents else { return }
      state.cents[article] = cents
      for watcher in state.watchers.values { watcher.yield(state.cents) }
    }
  }

  /// Returns the current prices, and those after each change. A slow reader gets the latest ones only.
  func changes() -> AsyncStream<[Article: Int]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [Article: Int].self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = continuation
      continuation.yield(state.cents)
      return state.lastWatcher
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.watchers.removeValue(forKey: number) }
    }
    return stream
  }
}
