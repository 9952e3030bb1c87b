import ActorFlow

/// A clock that stands still until a test moves it, and that counts how often it is read: a coordinator reads it in the
/// turn that decides a request.
final class TestClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let time = Lock(Instant(offset: .zero))
  private let counted = Lock(0)

  var now: Instant {
    counted.withLock { $0 += 1 }
    return time.withLock { $0 }
  }

  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

  /// The number of times the clock was read.
  var lookCount: Int { counted.withLock { $0 } }

  /// Throws at once: no sleep ends here, because tests never wait for time.
  func sleep(until deadline: Instant, tolerance: Duration?) async throws { throw CancellationError() }
}
