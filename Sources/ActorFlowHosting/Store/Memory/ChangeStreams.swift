import ActorFlow

/// The streams of a store's changes, one for each host that reads them.
final class ChangeStreams: Sendable {
  private typealias Continuation = AsyncStream<StoreChange>.Continuation
  private let all = Lock<(last: Int, streams: [Int: Continuation])>((0, [:]))

  /// Returns a new stream of all changes from now on. A reader that falls behind misses the oldest changes, and finds
  /// them with its next poll.
  func stream() -> AsyncStream<StoreChange> {
    let (stream, continuation) = AsyncStream<StoreChange>.makeStream(bufferingPolicy: .bufferingNewest(4_096))
    let number = all.withLock { all in
      all.last += 1
      all.streams[all.last] = continuation
      return all.last
    }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  func tell(_ changes: [StoreChange]) {
    guard !changes.isEmpty else { return }
    let streams = all.withLock { Array($0.streams.values) }
    for stream in streams { for change in changes { stream.yield(change) } }
  }

  private func forget(_ number: Int) {
    let gone = all.withLock { $0.streams.removeValue(forKey: number) }
    _ = gone  // released here, outside the lock
  }
}
