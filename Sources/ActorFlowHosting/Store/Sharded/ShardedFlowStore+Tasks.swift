import ActorFlow

// The one kind of unstructured task of a sharded store, and the reason why it cannot be structured: a stream of changes
// is returned from a property, and goes on after that. The task reads the streams of the shards, and is cancelled when
// the reader of the stream is gone. It sees no task-local value of the reader.
extension ShardedFlowStore {
  /// Merges the changes of the shards into one stream, which forgets the oldest if its reader falls behind; `nil` if no
  /// shard has a stream.
  func merged(_ streams: [AsyncStream<StoreChange>?]) -> AsyncStream<StoreChange>? {
    let sources = streams.enumerated().compactMap { number, stream in stream.map { (number, $0) } }
    guard !sources.isEmpty else { return nil }
    let (stream, continuation) = AsyncStream<StoreChange>.makeStream(bufferingPolicy: .bufferingNewest(4_096))
    let reading = Task.detached { [epochs, placement] in
      await withDiscardingTaskGroup { group in
        for (number, source) in sources {
          group.addTask {
            for await change in source {
              // A claim passes over a flow that does not belong there, and would be made again at once.
              if case .due(let id, _, _) = change, placement.shard(of: id) != number { continue }
              if let change = epochs.translated(change, in: number) { continuation.yield(change) }
            }
          }
        }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in reading.cancel() }
    return stream
  }
}
