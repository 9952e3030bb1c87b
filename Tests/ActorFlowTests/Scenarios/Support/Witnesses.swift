import ActorFlow

/// Suspends until the task is cancelled, as any library's wait would, and retains `object` until then.
func waitForever(holding object: some AnyObject & Sendable) async throws {
  let (stream, continuation) = AsyncStream<Never>.makeStream()
  for await _ in stream {}
  continuation.finish()
  try withExtendedLifetime(object) { try Task.checkCancellation() }
}

/// Counts how many of the objects that hold one of its tokens are alive.
final class LiveCounter: Sendable {
  final class Token: Sendable {
    private let counter: LiveCounter
    fileprivate init(_ counter: LiveCounter) {
      self.counter = counter
      counter.change(by: 1)
    }
    deinit { counter.change(by: -1) }
  }

  private let counts = Lock((now: 0, ever: 0))

  var now: Int { counts.withLock { $0.now } }
  var ever: Int { counts.withLock { $0.ever } }

  func token() -> Token { Token(self) }

  private func change(by difference: Int) {
    counts.withLock { counts in
      counts.now += difference
      if difference > 0 { counts.ever += difference }
    }
  }
}

/// A reference to an object that may be released.
final class WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?
  init(_ object: Object) { self.object = object }
}

/// Values that a step leaves for the test, in order.
final class Collected<Value: Sendable>: Sendable {
  private let values = Lock<[Value]>([])
  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
  var last: Value? { all.last }
}
