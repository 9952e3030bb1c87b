public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store that keeps each flow in a file of its own: the durable default, without a database.
///
/// A commit writes a new file, syncs it, renames it over the old one and syncs the directory, so a flow is found as it was
/// before or after, whatever happens between. The history of a flow stands in a second file; what a commit adds to it
/// is synced before the rename, and counts from the rename on. Commits of different flows overlap. A part of a history
/// is read without the rest of it.
///
/// Lists and tasks are read from an index in memory, which is built when the store is opened. One store has a directory
/// at a time, in this process or another; the system takes the lock back when the process dies. A store whose lock file
/// is removed or replaced while it is open writes nothing any more: its writes are `locked`, until it is closed and opened
/// again. It gives no leases, so the fence of a write is not looked at.
///
/// A file that cannot be read does not stop the opening. It is an error for its flow alone, stands in no list, and is
/// never written over; ``unreadable()`` names it. When it can be read again, the first load takes it up.
///
/// The two files of a flow belong together. If a flow's file is missing while its history is there, the flow is
/// `corrupted` until the file is put back, or the history is removed as well. A history under another flow's name is
/// `corrupted`, too, and that flow takes no commit that would add to it. A history that an earlier version of this module
/// wrote is bound to its flow from the first entry on that this version adds.
public final class FileFlowStore: FlowStore {
  struct State: Sendable {
    /// Where the files of a flow are: the path below the directory, without an ending.
    var stems: [FlowID: String] = [:]
    /// Which flows have names that do not tell their ids.
    var hashed: [String: FlowID] = [:]
    /// What could not be read when the store was opened.
    var unreadable: [String: FlowStoreError] = [:]
    /// Flows whose last rename may not be on the disk.
    var unsynced: Set<FlowID> = []
    /// The paths of flows whose history has its pending name.
    var pending: Set<String> = []
    var lock: DirectoryLock?
    var running = 0
    var closers: [CheckedContinuation<Void, Never>] = []
    var isClosed = false
  }

  let root: String
  let clock: any WallClock
  let disk: Disk
  let queue = DiskQueue()
  /// Tells this opener's temporary files from those of another.
  let mark = String(UInt32.random(in: .min ... .max), radix: 36)
  let state: Lock<State>
  /// Has a lock of its own: it is held longer, and by who only reads.
  let index: Lock<FlowIndex>

  /// Opens the store of a directory, which is made if it is missing; its parent must be there.
  ///
  /// - Parameters:
  ///   - directory: a path.
  ///   - clock: tells when a flow was changed.
  /// - Throws: ``FlowStoreError``: `locked` while somebody else has it open, with who that is; `unavailable` if the
  ///   directory cannot be used. It is also `locked` for a moment where a program died that was just starting another
  ///   one, or dropped its store without ``close()``: the process that is being started has the lock's file until it
  ///   becomes that program. So close a store before you open it again, and try again for a second when a program starts.
  public convenience init(directory: String, clock: any WallClock = .system) async throws {
    try await self.init(directory: directory, clock: clock, disk: Disk())
  }

  package init(directory: String, clock: any WallClock, disk: Disk) async throws {
    root = directory
    self.clock = clock
    self.disk = disk
    let (state, index) = try await queue.run(on: "") { () throws(FlowStoreError) in
      try Self.opened(directory, disk)
    }
    self.state = Lock(state)
    self.index = Lock(index)
  }

  /// Waits for what is under way, and gives the directory up. Whatever is asked of the store after is `unavailable`.
  public func close() async {
    await withCheckedContinuation { closer in
      let closed = state.withLock { state -> Bool in
        state.isClosed = true
        state.closers.append(closer)
        return state.running == 0
      }
      if closed { finishClosing() }
    }
  }

  private func finishClosing() {
    let (closers, lock) = state.withLock { state in
      defer { state.closers = [] }
      return (state.closers, state.lock)
    }
    lock?.giveBack()
    for closer in closers { closer.resume() }
  }

  /// The files that could not be read when the store was opened, nor since, each with why, by their path in the
  /// directory of flows.
  public func unreadable() async -> [String: FlowStoreError] {
    state.withLock { state in
      Dictionary(uniqueKeysWithValues: state.unreadable.map { ($0.key + FileName.flow, $0.value) })
    }
  }

  /// What the store has of a flow; nil if there is no such flow.
  public func load(_ id: FlowID) async throws -> StoredFlow? {
    try await work(on: id) { store throws(FlowStoreError) in try store.read(id)?.file.flow }
  }

  /// Writes a flow's next snapshot, and what its history gained.
  public func commit(
    _ snapshot: FlowSnapshot, to id: FlowID, expecting revision: Revision, fence: Fence?, as commit: CommitID,
    appending history: [HistoryEntry]
  ) async throws -> StoredFlow {
    let bytes = snapshot.encoded()
    try FlowSnapshot.checkSize(bytes.count)
    let flow = StoredFlow(id: id, revision: revision.next, snapshot: snapshot.stored, changedAt: clock.now.stored)
    let write = Write(
      flow: flow, commit: commit, snapshot: bytes, history: history)
    return try await work(on: id) { store throws(FlowStoreError) in try store.perform(write, expecting: revision) }
  }

  /// Removes a flow with its history and its questions.
  public func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await work(on: id) { store throws(FlowStoreError) in try store.remove(id, expecting: revision) }
  }

  /// The flows that fit, by id.
  public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try checkOpen()
    return try index.withLock { index throws(FlowStoreError) in
      try index.list(query, after: cursor, limit: limit)
    }
  }

  /// The open questions that fit, by flow.
  public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try checkOpen()
    return try index.withLock { index throws(FlowStoreError) in
      try index.tasks(query, after: cursor, limit: limit)
    }
  }

  /// A flow's history, oldest first.
  public func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await work(on: id) { store throws(FlowStoreError) in
      try store.history(of: id, after: sequence, limit: limit)
    }
  }

  private func checkOpen() throws(FlowStoreError) {
    if state.withLock({ $0.isClosed }) { throw closed }
  }

  private var closed: FlowStoreError { FlowStoreError(.unavailable, "the store of \(root) is closed") }

  /// Does what blocks, one after another for one flow.
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
