import ActorFlow
import ActorFlowHosting
import Foundation

/// A text as the tables compare it: by its bytes.
struct TableKey: Hashable, Comparable, Sendable {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  static func < (left: TableKey, right: TableKey) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

/// The rows of a ``TableStore``.
struct Tables: Sendable {
  struct FlowRow: Sendable {
    var flow: StoredFlow
    var commits: [CommitID]
  }

  struct TaskRow: Sendable {
    var flow: TableKey
    var definition: String
    var task: OpenTask
  }

  struct LabelRow: Sendable, Equatable {
    var flow: TableKey
    var key: String
    var value: String
  }

  var flows: [TableKey: FlowRow] = [:]
  var history: [TableKey: [HistoryEntry]] = [:]
  var tasks: [TaskRow] = []
  var labels: [LabelRow] = []
  var notes: [TableKey: StoreNote] = [:]
}

/// The disk under the tables: transactions are done at once, and survive a crash when they were synced.
final class TableDisk: Sendable {
  struct Crashed: Error {}

  private struct State: Sendable {
    var tables = Tables()
    var synced = Tables()
    /// The number of crashes, so that a store of the time before knows that it is gone.
    var crashes = 0
    var syncs = 0
    /// The number of syncs that are done before the next one waits; `nil` if none is to wait.
    var held: Int?
    var waiting: [OneShot] = []
  }

  private let state = Lock(State())
  private let reached = AsyncEvent()

  var syncs: Int { state.withLock { $0.syncs } }
  var crashes: Int { state.withLock { $0.crashes } }

  /// Performs one transaction, or nothing if `body` throws.
  func change<Value>(
    since crashes: Int, _ body: (inout Tables) throws -> Value
  ) throws -> Value {
    try state.withLock { state in
      guard state.crashes == crashes else { throw Crashed() }
      var tables = state.tables
      let value = try body(&tables)
      state.tables = tables
      return value
    }
  }

  func sync(since crashes: Int) async throws {
    await Task.yield()
    let waiter = OneShot()
    let waits = state.withLock { state in
      guard let held = state.held, state.crashes == crashes else { return false }
      state.held = held - 1
      if held <= 0 { state.waiting.append(waiter) }
      return held <= 0
    }
    if waits {
      reached.signal()
      await waiter.end()
    }
    try state.withLock { state in
      guard state.crashes == crashes else { throw Crashed() }
      state.synced = state.tables
      state.syncs += 1
    }
  }

  /// Forgets what was not synced, and ends the calls under way.
  func crash() {
    let waiting = state.withLock { state in
      state.crashes += 1
      state.tables = state.synced
      state.held = nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.fulfil(.success(())) }
  }

  /// Lets the sync after this number of syncs wait.
  func hold(after count: Int) {
    reached.reset()
    state.withLock { $0.held = count }
  }

  func waitForHeldSync() async throws {
    await reached.wait()
    try Task.checkCancellation()
  }

  func release() {
    let waiting = state.withLock { state in
      state.held = nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.fulfil(.success(())) }
  }
}
