import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The store of a host. It remembers the errors of its calls, and finds out the unknown outcomes of writes.
final class HostStore: Sendable {
  private let store: any FlowStore
  /// The store as one that gives leases, if several hosts may share it.
  private let leasing: (any LeasingFlowStore)?
  private let clock: any WallClock
  private let last = Lock<FlowHost.Health.Failure?>(nil)
  private let mayLeaseMore = Lock(false)
  private let observation: HostObservation?
  private let codec: (any BodyCodec)?
  private let listeners = StoreListeners()

  init(_ store: any FlowStore, clock: any WallClock, _ observation: HostObservation?, codec: (any BodyCodec)?) {
    (self.store, self.clock, self.observation, self.codec) = (store, clock, observation, codec)
    leasing = store as? any LeasingFlowStore
  }

  /// Whether the store keeps the values of a flow apart from its body.
  var keepsValuesApart: Bool { store.keepsValuesApart }

  /// Whether a write may replace the history of a flow.
  var canReplaceHistory: Bool { store.canReplaceHistory }

  /// Whether the store can tell which flows have changed.
  var canListChanges: Bool { store.canListChanges }

  /// Refuses a transaction of another store. A store in parts has none, because its epochs are others than those of its
  /// parts.
  func refuse(_ transaction: any FlowTransaction, of id: FlowID) throws(FlowError) {
    guard !(store is any StoreInParts) else {
      throw FlowError(
        .badOptions, "flows of a sharded store cannot be changed in a transaction; make the change without `in:`",
        flow: id)
    }
    guard !transaction.belongs(to: store) else { return }
    throw FlowError(
      .badOptions, "the transaction is not one of the host's store; begin it with the store that the host has", flow: id
    )
  }

  /// The damage that the store knows of.
  var damage: StoreDamage? { store.damage }

  /// Whether several hosts may share the store.
  var givesLeases: Bool { leasing != nil }

  /// The latest error of a call that the store could not do.
  var lastFailure: FlowHost.Health.Failure? { last.withLock { $0 } }

  private func noting<Value: Sendable>(
    _ id: FlowID? = nil, _ call: () async throws -> Value
  ) async throws -> Value {
    do { return try await call() } catch {
      if FlowStoreError.isFailure(error) { note(error, id) }
      throw error
    }
  }

  private func note(_ error: any Error, _ id: FlowID?) {
    let failure = FlowHost.Health.Failure(error: error, at: clock.now, flow: id)
    last.withLock { $0 = failure }
    observation?.report(.storeFailed(HostEvent.Failure(error)), of: HostObservation.Subject(flow: id))
  }
}

// MARK: - Listening

extension HostStore {
  /// Returns an event that is signaled when a flow may have been written. Give it back with ``forget(_:of:)``.
  func listen(to id: FlowID) -> AsyncEvent {
    let listener = AsyncEvent()
    listeners.add(listener, to: id)
    return listener
  }

  func forget(_ listener: AsyncEvent, of id: FlowID) { listeners.remove(listener, of: id) }

  /// Returns an event that is signaled when any flow may have been written. Give it back with ``forgetAll(_:)``.
  func listenToAll() -> AsyncEvent {
    let listener = AsyncEvent()
    listeners.add(listener, to: nil)
    return listener
  }

  func forgetAll(_ listener: AsyncEvent) { listeners.remove(listener, of: nil) }

  /// Wakes the tasks that wait for writes of a flow.
  func wake(_ id: FlowID) { listeners.wake(id) }
}

// MARK: - Reading

extension HostStore {
  func load(_ id: FlowID) async throws -> StoredFlow? { try await noting(id) { try await store.load(id) } }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await noting { try await store.list(query, after: cursor, limit: limit) }
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await noting { try await store.tasks(query, after: cursor, limit: limit) }
  }

  func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
    try await noting { try await store.count(query, upTo: limit) }
  }

  func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
    try await noting { try await store.count(query, upTo: limit) }
  }

  func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    try await noting { try await store.changed(query, after: cursor, limit: limit) }
  }

  func lastChange() async throws -> String { try await noting { try await store.lastChange() } }

  /// Returns a flow's history as it is stored: what has passed the codec stays so.
  func storedHistory(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await noting(id) { try await store.history(of: id, after: sequence, limit: limit) }
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    let entries = try await storedHistory(of: id, after: sequence, limit: limit)
    guard entries.contains(where: \.isSealed) else { return entries }
    // The flow is gone if it was deleted meanwhile.
    guard let snapshot = try await load(id)?.snapshot else { return [] }
    let coding = FlowCoding(codec: codec, flow: CodedFlow(id: id, key: snapshot.keyReference))
    return try entries.map { try $0.opened(with: coding) }
  }
}

// MARK: - Writing

extension HostStore {
  /// Writes a flow, and finds out whether it was written. A write with an unknown outcome is repeated under the same
  /// ``CommitID``.
  ///
  /// - Parameters:
  ///   - trace: The trace context of the flow, for observers.
  ///   - inPlain: Whether the history does not pass the codec: the key of the flow was erased, or the history has passed it
  ///     already.
  /// - Throws: The error of the codec, before anything is written. A ``FlowStoreError``. Once an attempt had an unknown
  ///   outcome, the code is `outcomeUnknown`, because the refusal of a later attempt says nothing of the earlier one.
  func commit(_ write: FlowWrite, of trace: TraceContext, inPlain: Bool = false) async throws -> StoredFlow {
    let id = write.id
    let write = inPlain ? write : try sealed(write)
    let start = observation == nil ? nil : clock.now
    var attempts = Attempts(clock)
    while true {
      do {
        let stored = try await noting(id) {
          do { return try await store.commit(write) } catch { throw FlowStoreError.ofWrite(error, to: id) }
        }
        wake(id)
        if let start { observation?.report(write, of: trace, as: stored.revision, since: start) }
        return stored
      } catch let error as FlowStoreError {
        if await !attempts.goOn(after: error) {
          throw attempts.error(error, "it is unknown whether the flow \(id.shown) was written")
        }
      }
    }
  }

  /// Writes a flow in a transaction of the caller, once.
  ///
  /// - Parameter wait: A closure that returns when the transaction is committed. Its errors are thrown.
  /// - Throws: A `FlowError` with the code `badOptions` for a transaction of another store, or the error of the codec,
  ///   before anything is written. A ``FlowStoreError``.
  func commit(
    _ write: FlowWrite, of trace: TraceContext, in pending: PendingWrite, _ wait: (StoredFlow) async throws -> Void
  ) async throws -> StoredFlow {
    try refuse(pending.transaction, of: write.id)
    let write = try sealed(write)
    let start = observation == nil ? nil : clock.now
    let stored = try await noting(write.id) {
      do { return try await pending.write(write) } catch { throw FlowStoreError.ofWrite(error, to: write.id) }
    }
    try await wait(stored)
    wake(write.id)
    if let start { observation?.report(write, of: trace, as: stored.revision, since: start) }
    return stored
  }

  /// Returns a write whose history has passed the codec. Hosts that write formats before 9 cannot read that.
  private func sealed(_ write: FlowWrite) throws -> FlowWrite {
    // Most hosts have no codec, and most entries no answer: nothing is copied for these.
    guard codec != nil || write.history.contains(where: { $0.answer != nil || $0.isSealed }) else { return write }
    let flow = CodedFlow(id: write.id, key: write.snapshot.keyReference)
    let coding = FlowCoding(codec: write.snapshot.format >= 9 ? codec : nil, flow: flow)
    var write = write
    for index in write.history.indices { write.history[index] = try write.history[index].sealed(with: coding) }
    return write
  }

  /// Removes a flow, and finds out whether it was removed.
  ///
  /// - Throws: A ``FlowStoreError``, as ``commit(_:of:)`` does.
  func delete(_ flow: StoredFlow, fence: Fence?) async throws {
    let id = flow.id
    var attempts = Attempts(clock)
    while true {
      do {
        try await noting(id) {
          do { try await store.delete(id, expecting: flow.revision, fence: fence) } catch {
            throw FlowStoreError.ofWrite(error, to: id)
          }
        }
        return wake(id)
      } catch let error as FlowStoreError {
        if await attempts.goOn(after: error) { continue }
        guard attempts.isUnknown else { throw error }
        // A removed flow has no revision and no lease, so a repeated removal is refused for one or the other.
        switch error.code {
        case .notFound: return
        case .conflict, .fenced:
          let unknown = attempts.error(error, "it is unknown whether the flow \(id.shown) was removed")
          let found: StoredFlow?
          do { found = try await load(id) } catch { throw unknown }
          guard let found else { return }
          // The flow is unchanged: it was not removed, and another host has it.
          let isSame = found.revision == flow.revision && found.changedAt == flow.changedAt
          throw isSame ? error : unknown
        default: throw attempts.error(error, "it is unknown whether the flow \(id.shown) was removed")
        }
      }
    }
  }
}

// MARK: - Notes

extension HostStore {
  func note(_ key: String) async throws -> StoreNote? { try await noting { try await store.note(key) } }

  /// Writes a note, and finds out whether it was written.
  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    var attempts = Attempts(clock)
    while true {
      do { return try await noting { try await store.setNote(note, under: key, replacing: old) } } catch let error
        as FlowStoreError
      {
        if await attempts.goOn(after: error) { continue }
        // An earlier attempt may have written it.
        if error.code == .conflict, attempts.isUnknown, try await self.note(key) == note?.stored { return }
        throw attempts.error(error, "it is unknown whether the note \(key) was written")
      }
    }
  }
}

// MARK: - Leases

extension HostStore {
  /// Attaches the host, and finds out whether it was attached.
  ///
  /// - Throws: A ``FlowStoreError``: `fenced` if another process has attached under the name.
  func attach(_ owner: String, for time: Duration, after old: Epoch?) async throws -> Epoch {
    let leasing = try leases
    let attempt = CommitID()
    return try await settling("the host \(owner) cannot attach to the store at present") {
      try await leasing.attach(owner: owner, for: time, as: attempt, after: old)
    }
  }

  func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
    let leasing = try leases
    return try await noting { try await leasing.beat(epoch, for: time) }
  }

  func detach(_ epoch: Epoch) async throws {
    try await noting { try await leasing?.detach(epoch) }
  }

  /// Leases a flow, and finds out whether it was leased.
  ///
  /// - Throws: A ``FlowStoreError``, never `outcomeUnknown`, because nothing of the flow was written.
  func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
    let leasing = try leases
    return try await settling("the flow \(id.shown) cannot be leased at present", of: id) {
      try await leasing.acquire(id, under: epoch)
    }
  }

  /// Leases a flow that has one of these versions, and finds out whether it was leased.
  ///
  /// - Returns: `nil` if the flow has another version.
  /// - Throws: As ``acquire(_:under:)``.
  func acquire(
    _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
  ) async throws -> LeasedFlow? {
    let leasing = try leases
    return try await settling("the flow \(id.shown) cannot be leased at present", of: id) {
      try await leasing.acquire(id, under: epoch, serving: serving)
    }
  }

  func release(_ lease: FlowLease) async throws {
    try await notingLoss { try await noting(lease.id) { try await leasing?.release(lease) } }
  }

  func claimDue(
    under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
  ) async throws -> [LeasedFlow] {
    let leasing = try leases
    let claims = try await notingLoss {
      try await noting { try await leasing.claimDue(under: epoch, serving: serving, limit: limit) }
    }
    noteFailuresOfParts()
    return claims
  }

  /// Notes the errors of the parts of the store that the claim has left out.
  private func noteFailuresOfParts() {
    guard let parts = store as? any StoreInParts else { return }
    for (_, error) in parts.failures.sorted(by: { $0.key < $1.key }) {
      note(error, nil)
      if !FlowStoreError.isRefusal(error) { noteLoss() }
    }
  }

  func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
    let leasing = try leases
    return try await noting { try await leasing.leased(to: epoch, after: cursor, limit: limit) }
  }

  func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
    let leasing = try leases
    return try await noting { try await leasing.nextDue(serving: serving) }
  }

  func wanted(under epoch: Epoch) async throws -> [FlowID] {
    let leasing = try leases
    return try await noting { try await leasing.wanted(under: epoch) }
  }

  var changes: AsyncStream<StoreChange>? { leasing?.changes }

  private var leases: any LeasingFlowStore {
    get throws {
      guard let leasing else { throw FlowStoreError(.unavailable, "the store gives no leases") }
      return leasing
    }
  }

  /// Repeats a call whose outcome is unknown. The call has the same effect however often it is made.
  private func settling<Value: Sendable>(
    _ problem: String, of id: FlowID? = nil, _ call: () async throws -> Value
  ) async throws -> Value {
    var attempts = Attempts(clock)
    while true {
      do { return try await notingLoss { try await noting(id, call) } } catch let error as FlowStoreError {
        if await attempts.goOn(after: error) { continue }
        guard attempts.isUnknown, error.code == .outcomeUnknown else { throw error }
        throw FlowStoreError(.unavailable, problem, underlying: error)
      }
    }
  }

  /// Notes that the store may lease flows to this host that the host does not know of, if the reply to a call is lost.
  private func notingLoss<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
    do { return try await call() } catch {
      if !FlowStoreError.isRefusal(error) { mayLeaseMore.withLock { $0 = true } }
      throw error
    }
  }

  /// Returns whether the store may lease flows to this host that the host does not know of, and forgets it.
  func takeLoss() -> Bool {
    mayLeaseMore.withLock { known in
      defer { known = false }
      return known
    }
  }

  func noteLoss() { mayLeaseMore.withLock { $0 = true } }
}

// MARK: - Unknown outcomes

/// The attempts at one write: nine at most, within two seconds. The second follows the first at once, the others follow
/// after growing pauses.
private struct Attempts {
  private static let most = 9
  private static let pauses = Backoff.exponential(from: .milliseconds(10), limit: .milliseconds(800))
  private let clock: any WallClock
  private var count = 1
  /// Whether an attempt may have been done although it was not acknowledged.
  private(set) var isUnknown = false

  init(_ clock: any WallClock) { self.clock = clock }

  /// Waits until it is time for another attempt. Returns false if this error is final.
  mutating func goOn(after error: FlowStoreError) async -> Bool {
    if error.code == .outcomeUnknown { isUnknown = true }
    guard isUnknown, error.code == .outcomeUnknown || error.code == .unavailable, count < Self.most else {
      return false
    }
    if count > 1 { await HostContext.pause(Self.pauses.delay(after: count - 1), by: clock) }
    count += 1
    return true
  }

  /// Returns the error to throw when an attempt failed with `error` and no other attempt follows.
  func error(_ error: FlowStoreError, _ what: String) -> FlowStoreError {
    guard isUnknown else { return error }
    return FlowStoreError(
      .outcomeUnknown,
      "\(what), after \(count) \(count == 1 ? "attempt" : "attempts"); read the flow before you repeat the request",
      underlying: error)
  }
}

extension FlowStoreError {
  /// Returns whether an error says that the store could not do a call. A refusal is not such an error.
  static func isFailure(_ error: any Error) -> Bool {
    if error is CancellationError { return false }
    guard let error = error as? FlowStoreError else { return true }
    switch error.code {
    case .conflict, .fenced, .leased, .notFound, .tooLarge: return false
    default: return true
    }
  }

  /// Returns whether an error says that certainly nothing was written or leased.
  static func isRefusal(_ error: any Error) -> Bool {
    guard let error = error as? FlowStoreError else { return false }
    switch error.code {
    case .conflict, .fenced, .leased, .notFound, .tooLarge, .unavailable: return true
    default: return false
    }
  }

  /// Returns the error of a write. An error of another type breaks the protocol, and leaves the outcome unknown.
  static func ofWrite(_ error: any Error, to id: FlowID) -> FlowStoreError {
    error as? FlowStoreError
      ?? FlowStoreError(
        .outcomeUnknown, "the store threw an error of another type when the flow \(id.shown) was written",
        underlying: error)
  }
}
