#if SQLite
  import ActorFlow
  import ActorFlowHosting

  /// The streams of a store's changes. Each has a bounded buffer: hosts may miss changes.
  final class ChangeStreams: Sendable {
    private struct State {
      var next = 0
      var streams: [Int: AsyncStream<StoreChange>.Continuation] = [:]
      var isFinished = false
    }
    private let state = Lock(State())

    func stream() -> AsyncStream<StoreChange> {
      let (stream, continuation) = AsyncStream.makeStream(
        of: StoreChange.self, bufferingPolicy: .bufferingNewest(256))
      let number = state.withLock { state -> Int? in
        guard !state.isFinished else { return nil }
        state.next += 1
        state.streams[state.next] = continuation
        return state.next
      }
      if let number {
        continuation.onTermination = { [weak self] _ in
          self?.state.withLock { _ = $0.streams.removeValue(forKey: number) }
        }
      } else {
        continuation.finish()
      }
      return stream
    }

    var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    func yield(_ changes: [StoreChange]) {
      // Outside the lock: a stream's termination takes it.
      for stream in state.withLock({ Array($0.streams.values) }) {
        for change in changes { stream.yield(change) }
      }
    }

    func finish() {
      let streams = state.withLock { state in
        defer { state.streams = [:] }
        state.isFinished = true
        return Array(state.streams.values)
      }
      for stream in streams { stream.finish() }
    }
  }
#endif
