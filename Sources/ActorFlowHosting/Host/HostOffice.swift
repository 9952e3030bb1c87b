import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What all flows of a host share.
final class HostOffice: Sendable {
  let store: any FlowStore
  let clock: any WallClock
  let options: FlowHost.Options
  let values = JSONValueCodec()
  /// Rung when there may be something to take up earlier than was thought.
  let doorbell = Doorbell()
  private let earliest = Lock<Date?>(nil)
  private let watchers = Watchers()
  private let newLabels = Lock<[FlowID: [String: String]]>([:])

  init(store: any FlowStore, clock: any WallClock, options: FlowHost.Options) {
    (self.store, self.clock, self.options) = (store, clock, options)
  }

  // MARK: - State

  func body(of state: HostedState) throws -> [UInt8] {
    let bytes = state.encoded()
    return try options.codec?.encode(bytes) ?? bytes
  }

  func state(of stored: StoredFlow) throws -> HostedState {
    let bytes = stored.snapshot.body
    return try HostedState(decoding: options.codec?.decode(bytes) ?? bytes)
  }

  /// The labels of a flow that is about to be started.
  func labels(of id: FlowID) -> [String: String] { newLabels.withLock { $0[id] ?? [:] } }
  func setLabels(_ labels: [String: String]?, of id: FlowID) { newLabels.withLock { $0[id] = labels } }

  // MARK: - Time

  /// A flow was committed that wants to be taken up then.
  func changed(wakeAt: Date?) {
    guard let wakeAt else { return }
    let isEarlier = earliest.withLock { earliest in
      guard earliest.map({ wakeAt < $0 }) ?? true else { return false }
      earliest = wakeAt
      return true
    }
    if isEarlier { doorbell.ring() }
  }

  /// From now on it rings for whatever is to be taken up.
  func wakes() { earliest.withLock { $0 = nil } }

  /// From now on it rings only for what is to be taken up earlier.
  func sleeps(until time: Date) { earliest.withLock { $0 = min($0 ?? time, time) } }

  // MARK: - Watching

  func announce(_ events: [NavigationEvent], of id: FlowID, isLast: Bool) {
    watchers.tell(events, of: id, isLast: isLast)
  }

  func watch(_ id: FlowID) -> AsyncStream<NavigationEvent> { watchers.watch(id) }

  /// Nothing comes of this flow any more; nil: of none.
  func announceEnd(of id: FlowID?) { watchers.end(id) }
}

/// Who watches which flow.
private final class Watchers: Sendable {
  private typealias Continuation = AsyncStream<NavigationEvent>.Continuation
  private let all = Lock<(last: Int, flows: [FlowID: [Int: Continuation]])>((0, [:]))

  func watch(_ id: FlowID) -> AsyncStream<NavigationEvent> {
    // A watcher that falls behind misses the oldest, and sees that by the numbers.
    let (stream, continuation) = AsyncStream<NavigationEvent>.makeStream(bufferingPolicy: .bufferingNewest(256))
    let number = all.withLock { all in
      all.last += 1
      all.flows[id, default: [:]][all.last] = continuation
      return all.last
    }
    continuation.onTermination = { [weak self] _ in self?.forget(number, of: id) }
    return stream
  }

  func tell(_ events: [NavigationEvent], of id: FlowID, isLast: Bool) {
    let continuations = all.withLock { all in
      let known = all.flows[id].map { Array($0.values) } ?? []
      if isLast { all.flows[id] = nil }
      return known
    }
    for continuation in continuations {
      for event in events { continuation.yield(event) }
      if isLast { continuation.finish() }
    }
  }

  func end(_ id: FlowID?) {
    let ended = all.withLock { all in
      guard let id else {
        defer { all.flows = [:] }
        return all.flows.values.flatMap { Array($0.values) }
      }
      return all.flows.removeValue(forKey: id).map { Array($0.values) } ?? []
    }
    for continuation in ended { continuation.finish() }
  }

  private func forget(_ number: Int, of id: FlowID) {
    let gone = all.withLock { all in
      defer { if all.flows[id]?.isEmpty == true { all.flows[id] = nil } }
      return all.flows[id]?.removeValue(forKey: number)
    }
    _ = gone  // released here, outside the lock
  }
}
