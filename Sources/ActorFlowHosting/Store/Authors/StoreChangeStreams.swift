import ActorFlow

/// The streams of a store's changes, one for each host that reads them, for authors of stores.
///
/// Return ``stream()`` from ``LeasingFlowStore/changes``, and pass each change to ``tell(_:)``.
///
/// Each stream has a bounded buffer. A reader that falls behind misses the oldest changes, and finds them with its next
/// poll. All functions may be called by any number of tasks at once, and wait for nothing.
public final class StoreChangeStreams: Sendable {
  private typealias Continuation = AsyncStream<StoreChange>.Continuation
  private let all = Lock<(last: Int, streams: [Int: Continuation], isFinished: Bool)>((0, [:], false))

  /// Creates a list without streams.
  public init() {}

  /// Whether no host reads a stream at present.
  public var isEmpty: Bool { all.withLock { $0.streams.isEmpty } }

  /// Returns a new stream of all changes from now on; after ``finish()`` a stream that has ended.
  public func stream() -> AsyncStream<StoreChange> {
    let (stream, continuation) = AsyncStream<StoreChange>.makeStream(bufferingPolicy: .bufferingNewest(4_096))
    let number = all.withLock { all -> Int? in
      guard !all.isFinished else { return nil }
      all.last += 1
      all.streams[all.last] = continuation
      return all.last
    }
    if let number {
      continuation.onTermination = { [weak self] _ in self?.forget(number) }
    } else {
      continuation.finish()
    }
    return stream
  }

  /// Gives changes to every stream. Call it after the changes are durable.
  public func tell(_ changes: [StoreChange]) {
    guard !changes.isEmpty else { return }
    let streams = all.withLock { Array($0.streams.values) }
    for stream in streams { for change in changes { stream.yield(change) } }
  }

  /// Ends all streams, when the store is closed.
  public func finish() {
    let streams = all.withLock { all in
      defer { all.streams = [:] }
      all.isFinished = true
      return Array(all.streams.values)
    }
    for stream in streams { stream.finish() }
  }

  private func forget(_ number: Int) {
    let gone = all.withLock { $0.streams.removeValue(forKey: number) }
    _ = gone  // released here, outside the lock
  }
}
