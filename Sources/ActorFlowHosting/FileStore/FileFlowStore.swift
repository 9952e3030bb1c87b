public import ActorFlow
import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store on files: the durable default without a database.
///
/// All writes are appended to one log. The writes that wait at the same time form a group, which is written with one
/// sync and then acknowledged. So whenever a crash happens, each flow is found as it was before or after its commit. The
/// log is a directory of segments. A segment of which less than half is needed is rewritten, and its space is free
/// again. A history is in the log as well, and a part of it is read without the rest.
///
/// Lists and tasks are read from an index in memory. ``close()`` writes a snapshot of it beside the log, as does a store
/// that has written much since the last one. When the store is opened, only the snapshot and the part of the log behind
/// it are read; if the snapshot is missing or damaged, the whole log is read. A directory is open in one store at a
/// time, in this process or another; the system releases the lock when the process dies. If the lock file is removed or
/// replaced while the store is open, every write throws `locked` and writes nothing, until the store is closed and
/// opened again. The store gives no leases, so it ignores the fence of a write.
///
/// Each group names its flows twice. If a group is damaged and anything valid is behind it, its flows are `corrupted`,
/// unless they were written later and need none of its values. All others are as they were: no list shows a damaged
/// flow, and nothing is written over it. ``unreadable()`` names them. Damage to a part that the snapshot covers is found
/// when a flow is read, or its segment is rewritten; from then on the whole log is read at each opening.
/// ``giveUp(_:)`` deletes a flow, and ``acceptLosses()`` accepts what a group has lost whose flows are not known. If a
/// segment or the whole log was removed, the store is not opened. The end of the last group may be missing after a crash;
/// then nothing of the group was acknowledged. What is left of it is put into a file of ``tornTails()``.
///
/// A directory with the files of an earlier version, two for each flow, is converted when it is opened. The old files
/// stay until ``removeConvertedFiles()``.
public final class FileFlowStore: FlowStore {
  struct State: Sendable {
    var log = LogState()
    var queue = WriteQueue()
    /// The segments that are read.
    var segments: [UInt32: Segment] = [:]
    var tornTails: [String] = []
    /// The number of the group from which segments are rewritten again after that has failed.
    var compactsFrom: UInt64 = 0
    var lock: DirectoryLock?
    var running = 0
    var closers: [OneShot] = []
    var isClosed = false
  }

  let root: String
  let clock: any WallClock
  let disk: Disk
  let segmentBytes: Int
  /// Whether the log was not read as a whole when the store was opened, because a snapshot of the index was there.
  package let beganWithSnapshot: Bool
  /// The threads that read.
  let queue = DiskQueue()
  /// The thread that writes.
  let writer = DispatchQueue(label: "ActorFlow.log")
  let state: Lock<State>
  /// Locked separately, because it is locked for longer, and also by calls that only read.
  let index: Lock<FlowIndex>
  /// Locked by the thread that writes, while it waits for the disk.
  let files: Lock<LogFiles>

  /// Opens the store in a directory, and creates the directory if it is missing.
  ///
  /// The parent directory must exist. The store may also be `locked` for a moment if a program died, or dropped its
  /// store without ``close()``, while it was starting another program: the new process has the lock file open until it
  /// becomes that program. So close a store before you open it again, and retry for a second when a program starts.
  ///
  /// - Parameters:
  ///   - directory: The path of the directory.
  ///   - clock: The clock that says when a flow was changed.
  /// - Throws: ``FlowStoreError``: `locked` while the directory is open in another store, with its process in the
  ///   message; `unavailable` if the directory cannot be used; `corrupted` if the log, its manifest or a segment is
  ///   missing or damaged beyond reading; `unsupportedFormat` if a newer version has written to it.
  public convenience init(directory: String, clock: any WallClock = .system) async throws {
    try await self.init(directory: directory, clock: clock, disk: Disk())
  }

  package init(
    directory: String, clock: any WallClock, disk: Disk, segmentBytes: Int = FileFlowStore.usualSegmentBytes
  ) async throws {
    root = directory
    self.clock = clock
    self.disk = disk
    self.segmentBytes = segmentBytes
    let opened = try await queue.run(on: "") { () throws(FlowStoreError) in
      try Self.opened(directory, clock, disk, segmentBytes: segmentBytes)
    }
    beganWithSnapshot = opened.beganWithSnapshot
    state = Lock(opened.state)
    index = Lock(opened.index)
    files = Lock(opened.files)
  }

  /// The size in bytes at which a segment is full.
  package static let usualSegmentBytes = LogFiles.segmentBytes

  /// Waits for the calls under way, writes a snapshot of the index, and releases the directory.
  ///
  /// Later reads and writes throw `unavailable`.
  public func close() async {
    let closer = OneShot()
    let hasEnded = state.withLock { state in
      state.isClosed = true
      state.closers.append(closer)
      return state.running == 0
    }
    if hasEnded { finishClosing() }
    await closer.end()
  }

  private func finishClosing() {
    writer.async {
      // If it fails, the next opening reads the log as after a crash.
      let isSealed = (try? self.changeFiles { files, lock throws(FlowStoreError) in try? files.close(lock) }) != nil
      if isSealed, self.files.withLock({ $0.unsaved > 0 }) || self.state.withLock({ $0.log.hasDamage }) {
        self.saveIndex()
      }
      let (closers, lock) = self.state.withLock { state in
        defer { state.closers = [] }
        return (state.closers, state.lock)
      }
      lock?.giveBack()
      for closer in closers { closer.fulfil(.success(())) }
    }
  }

  /// The flows that cannot be read because the log is damaged, each with its error.
  ///
  /// Flows of which only the history is damaged are in ``unreadableHistories()``.
  ///
  /// The keys are ids of flows. If damage may concern any flow, there is an entry for the log, with its directory as the
  /// key. A flow of an earlier version's file may be known by the name of the file only.
  public func unreadable() async -> [String: FlowStoreError] {
    state.withLock { state in
      var found = state.log.lostNames
      for (id, loss) in state.log.lost { found[id.description] = loss.error }
      if let loss = state.log.lostGroup { found["\(root)/\(Self.logDirectory)"] = loss.error }
      return found
    }
  }

  /// The extent of the log's damage: the numbers of what ``unreadable()`` and ``unreadableHistories()`` name.
  public var damage: StoreDamage? {
    state.withLock { state in
      let damage = StoreDamage(
        flows: state.log.lost.count + state.log.lostNames.count,
        histories: state.log.lostHistories.count,
        mayHaveUnknown: state.log.lostGroup != nil)
      return damage == StoreDamage() ? nil : damage
    }
  }

  /// The paths of the files with what crashes and damage have left of groups of the log, oldest first.
  ///
  /// The writes in a torn group were never acknowledged. The store neither reads these files nor removes them, except by
  /// ``erase(_:)``.
  public func tornTails() async -> [String] {
    state.withLock { state in
      state.tornTails.map { "\(root)/\(Self.logDirectory)/\(Self.asideDirectory)/\($0)" }
    }
  }

  /// Deletes a flow that cannot be read, so that its id may be used again; ``unreadable()`` names such flows.
  ///
  /// - Throws: ``FlowStoreError``; `conflict` if the flow is not damaged, otherwise as ``delete(_:expecting:fence:)``.
  public func giveUp(_ id: FlowID) async throws {
    try await work { store throws(FlowStoreError) in _ = try await store.write([.giveUp(id)])[0].get() }
  }

  /// Removes the files of an earlier version that were converted when the directory was first opened.
  ///
  /// Earlier versions cannot open the directory any more. Files that could not be read stay.
  ///
  /// - Throws: ``FlowStoreError``; `unavailable` if the disk fails. Some of the files may be removed then.
  public func removeConvertedFiles() async throws {
    try await work { store throws(FlowStoreError) in
      try await store.onWriter { store throws(FlowStoreError) in
        do { try OldStore(root: store.root, disk: store.disk).removeConverted() } catch {
          throw error as? FlowStoreError
            ?? FlowStoreError(.unavailable, "the files of \(store.root) are not removed", underlying: error)
        }
      }
    }
  }

  /// True: a write brings only the values that are new.
  public var keepsValuesApart: Bool { true }

  /// True: flows can be redacted.
  public var canReplaceHistory: Bool { true }

  /// True: the groups of the log are numbered.
  public var canListChanges: Bool { true }

  /// Returns a stored flow, or `nil` if there is no such flow.
  public func load(_ id: FlowID) async throws -> StoredFlow? {
    try await read(id) { store throws(FlowStoreError) in try store.readFlow(id) }
  }

  /// Writes a flow's next snapshot, and appends to its history.
  public func commit(_ write: FlowWrite) async throws -> StoredFlow {
    let change = try change(of: write)
    return try await work { store throws(FlowStoreError) in
      try await store.stored(change, try await store.write([.commit(change, expecting: write.expecting)])[0])
    }
  }

  /// Performs several writes as one group of the log, with one sync if they have no more than 4 MiB.
  public func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
    let changes = writes.map { write in Result { () throws(FlowStoreError) in try change(of: write) } }
    do throws(FlowStoreError) {
      return try await work { store throws(FlowStoreError) in
        var members: [LogChange] = []
        for (write, change) in zip(writes, changes) {
          if case .success(let commit) = change { members.append(.commit(commit, expecting: write.expecting)) }
        }
        var outcomes = await store.write(members)[...]
        var results: [Result<StoredFlow, FlowStoreError>] = []
        for change in changes {
          do throws(FlowStoreError) {
            let commit = try change.get()
            guard let outcome = outcomes.popFirst() else { continue }
            results.append(.success(try await store.stored(commit, outcome)))
          } catch {
            results.append(.failure(error))
          }
        }
        return results
      }
    } catch {
      return writes.map { _ in .failure(error) }
    }
  }

  private func change(of write: FlowWrite) throws(FlowStoreError) -> LogCommit {
    let bytes = write.snapshot.encodedWithoutValues()
    try FlowSnapshot.checkSize(write.snapshot.values.reduce(bytes.count) { $0 + $1.encodedCount })
    let flow = StoredFlow(
      id: write.id, revision: write.expecting.next, snapshot: write.snapshot.stored, changedAt: clock.now.stored)
    return LogCommit(
      flow, by: write.commit, snapshot: bytes, values: write.newValues, history: write.history,
      replacing: write.replacesHistory, leaving: write.leaves)
  }

  /// The flow that a commit has stored, or had stored before.
  private func stored(
    _ commit: LogCommit, _ outcome: Result<WriteQueue.Ending, FlowStoreError>
  ) async throws(FlowStoreError) -> StoredFlow {
    guard try outcome.get() == .repeated else { return commit.flow }
    let id = commit.flow.id
    return try await queue.run(on: id) { () throws(FlowStoreError) in try self.readFlow(id) } ?? commit.flow
  }

  /// Removes a flow with its history and its questions. Its bytes stay until ``erase(_:)``, or until their segment is
  /// rewritten.
  public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await work { store throws(FlowStoreError) in
      _ = try await store.write([.delete(id, expecting: revision)])[0].get()
    }
  }

  /// Returns a page of the flows that match a query, ordered by id.
  public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try checkOpen()
    return try index.withLock { index throws(FlowStoreError) in
      try index.list(query, after: cursor, limit: limit)
    }
  }

  /// Returns a page of the open questions that match a query, in the order of the query.
  public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try checkOpen()
    return try index.withLock { index throws(FlowStoreError) in
      try index.tasks(query, after: cursor, limit: limit)
    }
  }

  /// Counts the flows that match a query, up to a limit.
  public func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
    try checkOpen()
    return index.withLock { $0.count(query, upTo: limit) }
  }

  /// Counts the open questions that match a query, up to a limit.
  public func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
    try checkOpen()
    return index.withLock { $0.count(query, upTo: limit) }
  }

  /// Returns a page of the flows that have changed, in the order of their latest commits.
  ///
  /// A flow whose segment was rewritten is shown again. The order is made in memory when it is first asked for, about 100
  /// bytes for each flow.
  public func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    try checkOpen()
    return try change { state, index in
      Result { () throws(FlowStoreError) in
        let last = state.log.lastGroup
        return try state.log.changes.page(of: query, after: cursor, last: last, limit: limit) { index.summary(of: $0) }
      }
    }.get()
  }

  /// Returns the cursor behind all changes.
  public func lastChange() async throws -> String {
    try checkOpen()
    return state.withLock { ChangeOrder.end($0.log.lastGroup) }
  }

  /// Returns the entries of a flow's history, oldest first.
  public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await read(id) { store throws(FlowStoreError) in
      try store.readHistory(of: id, after: sequence, limit: limit)
    }
  }

  /// Returns the note under a key. A note whose record is damaged throws `corrupted` until another is set.
  public func note(_ key: String) async throws -> StoreNote? {
    try checkOpen()
    return try state.withLock { state throws(FlowStoreError) in
      if let loss = state.log.lostNotes[key] { throw loss.error }
      return state.log.notes[key]
    }
  }

  /// Writes, replaces or removes the note under a key.
  public func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await work { store throws(FlowStoreError) in
      _ = try await store.write([.note(key, note?.stored, replacing: old)])[0].get()
    }
  }

  private func checkOpen() throws(FlowStoreError) {
    if state.withLock({ $0.isClosed }) { throw closed }
  }

  private var closed: FlowStoreError { FlowStoreError(.unavailable, "the store of \(root) is closed") }

  /// Reads on a thread of its own.
  private func read<Value: Sendable>(
    _ id: FlowID, _ body: @escaping @Sendable (FileFlowStore) throws(FlowStoreError) -> Value
  ) async throws -> Value {
    try await work { store throws(FlowStoreError) in
      try await store.queue.run(on: id) { () throws(FlowStoreError) in try body(store) }
    }
  }

  /// Does work that ``close()`` waits for; throws if the store is closed.
  func work<Value: Sendable>(
    _ body: (FileFlowStore) async throws(FlowStoreError) -> Value
  ) async throws(FlowStoreError) -> Value {
    try state.withLock { state throws(FlowStoreError) in
      guard !state.isClosed else { throw closed }
      state.running += 1
    }
    defer {
      let last = state.withLock { state in
        state.running -= 1
        return state.isClosed && state.running == 0
      }
      if last { finishClosing() }
    }
    return try await body(self)
  }
}
