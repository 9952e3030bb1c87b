public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store with a file for each flow: the durable default without a database.
///
/// A commit writes a new file, syncs it, renames it over the old one and syncs the directory. So whenever a crash
/// happens, the flow is found as it was before or after the commit. The history of a flow is in a second file. The
/// entries that a commit adds are synced before the rename, and count from the rename on. Commits of different flows
/// overlap. A part of a history is read without the rest of it.
///
/// Lists and tasks are read from an index in memory, which is built when the store is opened. A directory is open in
/// one store at a time, in this process or another; the system releases the lock when the process dies. If the lock
/// file is removed or replaced while the store is open, every write throws `locked` and writes nothing, until the store
/// is closed and opened again. The store gives no leases, so it ignores the fence of a write.
///
/// A file that cannot be read does not stop the opening. Only calls for its flow throw an error; no list shows the
/// flow, and the file is never overwritten. ``unreadable()`` names the file. As soon as the file can be read again, the
/// first load lists the flow again.
///
/// The two files of a flow belong together. If a flow's file is missing while its history is there, the flow is
/// `corrupted` until the file is put back, or the history is removed as well. A history under another flow's name is
/// `corrupted`, too, and that flow refuses commits that would add to it. A history that an earlier version of this
/// module wrote is bound to its flow from the first entry that this version adds.
public final class FileFlowStore: FlowStore {
  struct State: Sendable {
    /// The path of each flow's files below the directory of flows, without an ending.
    var stems: [FlowID: String] = [:]
    /// The flows whose paths do not contain their ids.
    var hashed: [String: FlowID] = [:]
    /// The errors of the files that could not be read, by path.
    var unreadable: [String: FlowStoreError] = [:]
    /// Flows whose last rename may not be on the disk.
    var unsynced: Set<FlowID> = []
    /// The paths of flows whose history has its pending name.
    var pending: Set<String> = []
    var notes = StoreNotes()
    /// The errors of the notes that could not be read, by their files' names.
    var unreadableNotes: [String: FlowStoreError] = [:]
    /// Whether there is a directory of notes.
    var hasNotes = false
    var lock: DirectoryLock?
    var running = 0
    var closers: [OneShot] = []
    var isClosed = false
  }

  let root: String
  let clock: any WallClock
  let disk: Disk
  let queue = DiskQueue()
  /// The part of temporary names that tells this opener's files from those of another.
  let mark = String(UInt32.random(in: .min ... .max), radix: 36)
  let state: Lock<State>
  /// Locked separately, because it is locked for longer, and also by calls that only read.
  let index: Lock<FlowIndex>

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
  ///   message; `unavailable` if the directory cannot be used.
  public convenience init(directory: String, clock: any WallClock = .system) async throws {
    try await self.init(directory: directory, clock: clock, disk: Disk())
  }

  package init(directory: String, clock: any WallClock, disk: Disk) async throws {
    root = directory
    self.clock = clock
    self.disk = disk
    let (state, index) = try await queue.run(on: "") { () throws(FlowStoreError) in
      try Self.opened(directory, clock, disk)
    }
    self.state = Lock(state)
    self.index = Lock(index)
  }

  /// Waits for the calls under way, and releases the directory.
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
    let (closers, lock) = state.withLock { state in
      defer { state.closers = [] }
      return (state.closers, state.lock)
    }
    lock?.giveBack()
    for closer in closers { closer.fulfil(.success(())) }
  }

  /// The files that could not be read when the store was opened, nor since, each with its error.
  ///
  /// The keys are paths below the directory of flows.
  public func unreadable() async -> [String: FlowStoreError] {
    state.withLock { state in
      Dictionary(uniqueKeysWithValues: state.unreadable.map { ($0.key + FileName.flow, $0.value) })
    }
  }

  /// Returns a stored flow, or `nil` if there is no such flow.
  public func load(_ id: FlowID) async throws -> StoredFlow? {
    try await work(on: id) { store throws(FlowStoreError) in try store.read(id)?.file.flow }
  }

  /// Writes a flow's next snapshot, and appends to its history.
  public func commit(_ write: FlowWrite) async throws -> StoredFlow {
    let bytes = write.snapshot.encoded()
    try FlowSnapshot.checkSize(bytes.count)
    let (id, revision) = (write.id, write.expecting)
    let flow = StoredFlow(id: id, revision: revision.next, snapshot: write.snapshot.stored, changedAt: clock.now.stored)
    let encoded = Write(flow: flow, commit: write.commit, snapshot: bytes, history: write.history)
    return try await work(on: id) { store throws(FlowStoreError) in try store.perform(encoded, expecting: revision) }
  }

  /// Removes a flow with its history and its questions.
  public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await work(on: id) { store throws(FlowStoreError) in try store.remove(id, expecting: revision) }
  }

  /// Returns a page of the flows that match a query, ordered by id.
  public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try checkOpen()
    return try index.withLock { index throws(FlowStoreError) in
      try index.list(query, after: cursor, limit: limit)
    }
  }

  /// Returns a page of the open questions that match a query, ordered by flow.
  public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try checkOpen()
    return try index.withLock { index throws(FlowStoreError) in
      try index.tasks(query, after: cursor, limit: limit)
    }
  }

  /// Returns the entries of a flow's history, oldest first.
  public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await work(on: id) { store throws(FlowStoreError) in
      try store.history(of: id, after: sequence, limit: limit)
    }
  }

  /// Returns the note under a key. A note whose file is damaged throws `corrupted` until another is set.
  public func note(_ key: String) async throws -> StoreNote? {
    try await work(on: FlowID(key)) { store throws(FlowStoreError) in try store.readNote(key) }
  }

  /// Writes, replaces or removes the note under a key.
  public func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await work(on: FlowID(key)) { store throws(FlowStoreError) in
      try store.write(note?.stored, under: key, replacing: old)
    }
  }

  private func checkOpen() throws(FlowStoreError) {
    if state.withLock({ $0.isClosed }) { throw closed }
  }

  private var closed: FlowStoreError { FlowStoreError(.unavailable, "the store of \(root) is closed") }

  /// Does blocking work, in order for each flow; throws if the store is closed.
  private func work<Value: Sendable>(
    on id: FlowID, _ body: @escaping @Sendable (FileFlowStore) throws(FlowStoreError) -> Value
  ) async throws -> Value {
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
    return try await queue.run(on: id) { () throws(FlowStoreError) in try body(self) }
  }
}
