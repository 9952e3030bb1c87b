public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store in memory, for tests and for flows that need not outlive the process.
///
/// The store meets every promise of a ``LeasingFlowStore`` except durability. Any number of hosts in the process may
/// share it. No function waits for anything.
public final class MemoryFlowStore: LeasingFlowStore {
  struct Record: Sendable {
    var flow: StoredFlow
    var commit: CommitID
    var history: [HistoryEntry]
    /// The number of the commit among those of all flows.
    var change: UInt64
  }

  struct State: Sendable {
    var records: [FlowID: Record] = [:]
    var leases = LeaseTable()
    var index = FlowIndex()
    var due = DueIndex()
    var notes = StoreNotes()
    /// The number of commits of all flows.
    var lastChange: UInt64 = 0
    /// The flows by their latest commits, once a caller has asked for them.
    var changes: ChangeOrder?
  }

  let state = Lock(State())
  let clock: any WallClock
  let streams = StoreChangeStreams()

  /// Creates an empty store that measures leases by a clock.
  public init(clock: any WallClock = .system) {
    self.clock = clock
  }

  /// True: a write brings only the values that are new.
  public var keepsValuesApart: Bool { true }

  /// True: flows can be redacted.
  public var canReplaceHistory: Bool { true }

  /// True: each commit has a number.
  public var canListChanges: Bool { true }

  /// Returns a stored flow, or `nil` if there is no such flow.
  public func load(_ id: FlowID) async throws -> StoredFlow? {
    state.withLock { $0.records[id]?.flow }
  }

  /// Writes a flow's next snapshot, and appends to its history.
  public func commit(_ write: FlowWrite) async throws -> StoredFlow {
    try write.snapshot.checkSize()
    let (id, commit, now) = (write.id, write.commit, clock.now.microseconds)
    var next = StoredFlow(
      id: id, revision: write.expecting.next, snapshot: write.snapshot.stored, changedAt: Date(microseconds: now))
    let entries = write.history.map(\.stored)
    let (flow, news) = try state.withLock { state throws(FlowStoreError) in
      if let record = state.records[id], record.commit == commit { return (record.flow, [StoreChange]()) }
      try state.leases.check(write.fence, of: id, at: now)
      try (state.records[id]?.flow.revision ?? .none).check(isExpected: write.expecting, of: id)
      let stored = state.records[id]?.flow.snapshot.values ?? []
      try write.checkValues(areAmong: Set(stored.map(\.number)))
      next.snapshot.takeValues(write.storedValues, from: stored)
      state.lastChange += 1
      if state.records[id] == nil {
        state.records[id] = Record(flow: next, commit: commit, history: entries, change: state.lastChange)
      } else {
        state.records[id]?.flow = next
        state.records[id]?.commit = commit
        state.records[id]?.change = state.lastChange
        if write.replacesHistory { state.records[id]?.history = [] }
        state.records[id]?.history += entries
      }
      state.index.put(next)
      state.changes?.put(id, state.lastChange)
      if write.releases, let fence = write.fence { state.leases.giveBack(fence, of: id) }
      return (next, state.noteDue(of: [id]))
    }
    streams.tell(news)
    return flow
  }

  /// Removes a flow with its history, its lease and its questions.
  public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    let now = clock.now.microseconds
    let news = try state.withLock { state throws(FlowStoreError) in
      try state.leases.check(fence, of: id, at: now)
      guard let record = state.records[id] else { throw FlowStoreError.noFlow(id) }
      try record.flow.revision.check(isExpected: revision, of: id)
      state.records[id] = nil
      state.leases.forget(id)
      state.index.remove(id)
      state.changes?.remove(id)
      state.due.remove(TextKey(id.description))
      return state.noteDue(of: [id])
    }
    streams.tell(news)
  }

  /// Returns a page of the flows that match a query, ordered by id.
  public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try state.withLock { state throws(FlowStoreError) in try state.index.list(query, after: cursor, limit: limit) }
  }

  /// Returns a page of the open questions that match a query, in the order of the query.
  public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try state.withLock { state throws(FlowStoreError) in try state.index.tasks(query, after: cursor, limit: limit) }
  }

  /// Counts the flows that match a query, up to a limit.
  public func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
    state.withLock { $0.index.count(query, upTo: limit) }
  }

  /// Counts the open questions that match a query, up to a limit.
  public func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
    state.withLock { $0.index.count(query, upTo: limit) }
  }

  /// Returns a page of the flows that have changed, in the order of their latest commits.
  public func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    try state.withLock { state throws(FlowStoreError) in
      let changes = state.changes ?? ChangeOrder(state.records.lazy.map { ($0.key, $0.value.change) })
      state.changes = changes
      return try changes.page(of: query, after: cursor, last: state.lastChange, limit: limit) {
        state.index.summary(of: $0)
      }
    }
  }

  /// Returns the cursor behind all changes.
  public func lastChange() async throws -> String { state.withLock { ChangeOrder.end($0.lastChange) } }

  /// Returns the entries of a flow's history, oldest first.
  public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    state.withLock { state in
      guard let history = state.records[id]?.history else { return [] }
      return Array(history.drop { $0.sequence <= sequence }.prefix(max(1, limit)))
    }
  }
}

extension FlowSnapshot {
  /// Takes the values of these numbers from those that are stored, so that a write cannot change them.
  fileprivate mutating func takeValues(_ numbers: Set<Int>, from stored: [FlowValue]) {
    guard !numbers.isEmpty else { return }
    let found = Dictionary(stored.map { ($0.number, $0.bytes) }) { first, _ in first }
    for index in values.indices where numbers.contains(values[index].number) {
      if let bytes = found[values[index].number] { values[index].bytes = bytes }
    }
  }
}

extension MemoryFlowStore {
  /// Returns the note under a key.
  public func note(_ key: String) async throws -> StoreNote? { state.withLock { $0.notes[key] } }

  /// Writes, replaces or removes the note under a key.
  public func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    let now = clock.now
    try state.withLock { state throws(FlowStoreError) in
      try state.notes.check(key, is: old)
      state.notes.set(note?.stored, under: key)
      _ = state.notes.sweep(at: now)
    }
  }
}
