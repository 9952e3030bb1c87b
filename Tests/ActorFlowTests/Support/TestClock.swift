import ActorFlow

/// A clock that stands still until a test moves it, and that knows when it was looked at: a coordinator looks at it in
/// the turn that files a request.
final class TestClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let time = Lock(Instant(offset: .zero))
  private let counted = Lock(0)
  private let watchers = Lock<[(count: Int, CheckedContinuation<Void, Never>)]>([])

  var now: Instant {
    let count = counted.withLock { count in
      count += 1
      return count
    }
    let resumed = watchers.withLock { watchers in
      let resumed = watchers.filter { $0.count <= count }
      watchers.removeAll { $0.count <= count }
      return resumed
    }
    for watcher in resumed { watcher.1.resume() }
    return time.withLock { $0 }
  }

  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

  /// How often somebody has looked.
  var lookCount: Int { counted.withLock { $0 } }

  /// Waits until somebody has looked for the `count`th time.
  func looked(_ count: Int) async {
    await withCheckedContinuation { continuation in
      watchers.withLock { $0.append((count, continuation)) }
      guard lookCount >= count else { return }
      let resumed = watchers.withLock { watchers in
        let resumed = watchers.filter { $0.count <= count }
        watchers.removeAll { $0.count <= count }
        return resumed
      }
      for watcher in resumed { watcher.1.resume() }
    }
  }

  /// Nobody's sleep ends here: what a test waits for is never time.
  func sleep(until deadline: Instant, tolerance: Duration?) async throws { throw CancellationError() }
}
