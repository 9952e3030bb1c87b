import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The context that all flows of a host share.
final class HostContext: Sendable {
  let store: HostStore
  let clock: any WallClock
  let options: FlowHost.Options
  let values = JSONValueCodec()
  /// The observers; `nil` if there are none.
  let observation: HostObservation?
  /// Signaled when a flow may have to be activated earlier than `run()` expects.
  let wakeUp = AsyncEvent()
  /// Signaled when the host is to find out at once whether its epoch has ended.
  let beatNow = AsyncEvent()
  private let leases = Lock(Leases())
  private let knownFormat = Lock<UInt8?>(nil)
  private let waking = Lock(Waking())
  private let timers = Lock(TimerIndex())
  private let watchers = Watchers()
  private let lastFailure = Lock<FlowHost.Health.Failure?>(nil)

  /// The state of the sleep of ``FlowHost/run()``.
  private struct Waking: Sendable {
    /// The date at which a flow is to be activated for a reason other than a timer.
    var wish: Date?
    /// The date until which the host sleeps.
    var end: Date?
  }

  init(store: any FlowStore, clock: any WallClock, owner: String, options: FlowHost.Options) {
    (self.clock, self.options) = (clock, options)
    observation = HostObservation(options, of: owner, clock: clock)
    self.store = HostStore(store, clock: clock, observation, codec: options.codec)
  }

  // MARK: - Leases

  private struct Leases: Sendable {
    var isInDoubt = false
    var keeper: (@Sendable () async -> Void)?
    /// The date at which the next beat is due.
    var nextBeat = Date.distantFuture
  }

  /// Sets the closure that beats if a beat is due and no task does it.
  func keepsLeases(until nextBeat: Date, with keeper: @escaping @Sendable () async -> Void) {
    leases.withLock { ($0.keeper, $0.nextBeat) = (keeper, nextBeat) }
  }

  /// Beats if a beat is due and no task does it: a host without ``FlowHost/run()`` beats when it is used.
  func keepLeases() async {
    let now = clock.now
    await leases.withLock { $0.nextBeat <= now ? $0.keeper : nil }?()
  }

  /// Notes that a write was refused because of its fence, so that the host's epoch may have ended.
  func doubtEpoch() {
    leases.withLock { $0.isInDoubt = true }
    beatNow.signal()
  }

  /// Returns whether the host's epoch may have ended, and forgets it.
  func takeDoubt() -> Bool {
    leases.withLock { leases in
      defer { leases.isInDoubt = false }
      return leases.isInDoubt
    }
  }

  var isInDoubt: Bool { leases.withLock { $0.isInDoubt } }

  // MARK: - State

  /// Writes a state into a snapshot, with its large values apart from the body if the store keeps them so. The snapshot
  /// has the key reference of the flow.
  ///
  /// - Throws: The error of the codec. State and snapshot are unchanged then.
  func write(_ state: inout HostedState, to snapshot: inout FlowSnapshot, of id: FlowID) throws {
    try state.write(
      to: &snapshot, apart: store.keepsValuesApart ? options.leastApart : nil, with: coding(of: id, snapshot))
  }

  /// Reads the state of a stored flow.
  ///
  /// - Throws: ``FlowStoreError``, or the error of the codec: ``ErasedKey`` if the flow can never be read again.
  func state(of stored: StoredFlow) throws -> HostedState {
    guard !stored.snapshot.isStateRemoved else { throw ErasedKey() }
    return try HostedState(of: stored.snapshot, with: coding(of: stored.id, stored.snapshot))
  }

  /// Returns a history entry as it is stored with a snapshot.
  ///
  /// - Throws: The error of the codec.
  func sealed(_ entry: HistoryEntry, of id: FlowID, _ snapshot: FlowSnapshot) throws -> HistoryEntry {
    // Hosts that write formats before 9 cannot read what has passed the codec.
    try entry.sealed(with: snapshot.format >= 9 ? coding(of: id, snapshot) : .plain)
  }

  private func coding(of id: FlowID, _ snapshot: FlowSnapshot) -> FlowCoding {
    FlowCoding(codec: options.codec, flow: CodedFlow(id: id, key: snapshot.keyReference))
  }

  /// Returns the format in which flows are stored from now on: that of the options, or else that of the store's flows.
  /// The store is asked once at most.
  ///
  /// A store whose flows have several formats was raised before, by the options. Some of its flows are looked at, so
  /// that one of the newest format is probably among them.
  ///
  /// - Parameter row: A flow of the store, if one is at hand.
  func writtenFormat(like row: FlowSnapshot? = nil) async throws -> UInt8 {
    if let format = options.writesFormat { return UInt8(format) }
    if let known = knownFormat.withLock({ $0 }) { return known }
    var format = UInt8(clamping: row?.format ?? 0)
    if format < MachineSnapshot.format {
      let flows = try await store.list(FlowQuery(), after: nil, limit: 16).flows
      let isEmpty = flows.isEmpty && row == nil
      format = isEmpty ? MachineSnapshot.format : max(format, MachineSnapshot.oldestWritten)
      for flow in flows where format < MachineSnapshot.format {
        // A row that cannot be read tells nothing of the format. A request or an activation of it reports the error.
        guard let stored = try? await store.load(flow.id) else { continue }
        format = max(format, UInt8(clamping: stored.snapshot.format))
      }
    }
    knownFormat.withLock { $0 = format }
    return format
  }

  // MARK: - Time

  /// Notes when a flow that is not in memory here is to be activated, or `nil` for never.
  func changed(_ id: FlowID, wakeAt: Date?) {
    let isTimer = timers.withLock { timers in
      timers.note(id, at: wakeAt)
      return timers.horizon != nil
    }
    guard let wakeAt else { return }
    wake(at: wakeAt, isTimer: isTimer && wakeAt > clock.now)
  }

  /// Makes the host poll again after this pause, because the store may have more due flows than were seen.
  func poll(after pause: Duration = .zero) {
    timers.withLock { $0.expire() }
    wake(at: clock.date(after: pause), isTimer: false)
  }

  /// The pause before a flow is activated again after the store did not take its write.
  var failurePause: Duration { min(options.pollInterval, .seconds(5)) }

  private func wake(at time: Date, isTimer: Bool) {
    let isEarlier = waking.withLock { waking in
      if !isTimer { waking.wish = min(waking.wish ?? time, time) }
      return waking.end.map { time < $0 } ?? true
    }
    if isEarlier { wakeUp.signal() }
  }

  /// Begins to activate the flows that are due by now. The host need not be woken for them any more; later dates stay.
  func wakes(at now: Date) {
    waking.withLock { waking in
      if let wish = waking.wish, wish.microseconds <= now.microseconds { waking.wish = nil }
      waking.end = nil
    }
    wakeUp.reset()
    timers.withLock { $0.drop(until: now) }
  }

  /// Begins to sleep. `wakeUp` is signaled if a flow is to be activated earlier.
  ///
  /// - Parameters:
  ///   - time: The date until which there is nothing else to do.
  ///   - orTimers: Whether to wake for timers.
  /// - Returns: The date to wake at: `time`, or an earlier one.
  func sleeps(until time: Date, orTimers: Bool) -> Date {
    let timer = orTimers ? timers.withLock { $0.first } : nil
    return waking.withLock { waking in
      let end = min(time, waking.wish ?? time, timer ?? time)
      waking.end = end
      return end
    }
  }

  /// The date up to which all timers are known, or `nil` if the store is to be read.
  var horizon: Date? { timers.withLock { $0.horizon } }

  func beginReadingTimers() { timers.withLock { $0.beginReading() } }

  func endReadingTimers(_ read: [FlowID: Date], after now: Date, until horizon: Date) {
    timers.withLock { timers in
      timers.endReading(read, until: horizon)
      timers.drop(until: now)
    }
  }

  // MARK: - Failures

  /// The latest error of work that no caller waits for.
  var lastWorkFailure: FlowHost.Health.Failure? { lastFailure.withLock { $0 } }

  func noteWorkFailure(_ failure: FlowHost.Health.Failure) { lastFailure.withLock { $0 = failure } }

  // MARK: - Watching

  func announce(_ events: [NavigationEvent], of id: FlowID, isLast: Bool) {
    watchers.tell(events, of: id, isLast: isLast)
  }

  func watch(_ id: FlowID) -> AsyncStream<NavigationEvent> { watchers.watch(id) }

  /// Ends the event streams of a flow, or those of all flows for `nil`.
  func announceEnd(of id: FlowID?) { watchers.end(id) }
}

/// The event streams of a host's flows.
private final class Watchers: Sendable {
  private typealias Continuation = AsyncStream<NavigationEvent>.Continuation
  private let all = Lock<(last: Int, flows: [FlowID: [Int: Continuation]])>((0, [:]))

  func watch(_ id: FlowID) -> AsyncStream<NavigationEvent> {
    // A reader that falls behind misses the oldest events, which shows in the numbers.
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
