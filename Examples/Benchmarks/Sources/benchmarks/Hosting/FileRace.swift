import ActorFlow
import ActorFlowHosting
import Foundation
import Synchronization

/// Hosted flows on files, against the same files written bare.
struct FileRace {
  let flows: Int
  private let questions = 8

  /// Flows answered in a second, divided by the number possible if only the same files were written, synced and
  /// renamed: as many commits of the same sizes, as many flows at once, in as many directories. Both sides take turns;
  /// a value for each round. An unmeasured round before records the writes.
  @concurrent func ratios(rounds: Int) async throws -> [Double] {
    let commits = try await inFolder { folder in
      let store = RecordingStore(try await FileFlowStore(directory: folder), directory: folder)
      _ = try await answering(on: store) { try store.begin($0) }
      await store.close()
      return store.commits
    }
    var ratios: [Double] = []
    for _ in 0..<rounds {
      let hosted = try await inFolder { folder in
        let store = try await FileFlowStore(directory: folder)
        let time = try await answering(on: store)
        await store.close()
        return time
      }
      let bare = try await inFolder { folder in
        let files = BareFiles(root: folder)
        try files.prepare(commits)
        return try await nanosecondsOf { try await files.write(commits) }
      }
      ratios.append(bare / hosted)
    }
    return ratios
  }

  private func inFolder<Result: Sendable>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path)
  }

  /// The time until every question of every flow is answered, in nanoseconds.
  private func answering(on store: any FlowStore, before: ([FlowID]) throws -> Void = { _ in }) async throws -> Double {
    let host = FlowHost(store: store)
    let hosted = try await host.register(Flows.asking(questions))
    let ids = (0..<flows).map { FlowID("f-\($0)") }
    for id in ids {
      try await hosted.start(id: id, with: 0)
      _ = try await host.question(of: id)
    }
    try await host.catchUp()
    try before(ids)
    sync()
    let count = questions
    let time = try await nanosecondsOf {
      try await withThrowingTaskGroup { group in
        for id in ids {
          group.addTask {
            try await host.answer(id, times: count)
            _ = try await host.flow(id).settled()
          }
        }
        try await group.waitForAll()
      }
    }
    for id in ids {
      let outcome = try await hosted.outcome(of: id)
      try WrongResult.check(outcome == .finished(count), "the flow \(id) became \(outcome)")
    }
    try await host.catchUp()
    return time
  }
}

/// A store on files that records after each commit the files it left on the disk.
final class RecordingStore: FlowStore {
  private struct State {
    var stems: [FlowID: String] = [:]
    var histories: [FlowID: Int] = [:]
    var commits: [FlowID: [FileCommit]] = [:]
  }
  private let store: FileFlowStore
  private let root: String
  private let state = Mutex(State())

  init(_ store: FileFlowStore, directory: String) {
    self.store = store
    root = directory + "/flows"
  }

  func close() async { await store.close() }

  /// The recorded commits, flow by flow.
  var commits: [[FileCommit]] { state.withLock { Array($0.commits.values) } }

  /// Finds the flows' files, and records from now on.
  func begin(_ ids: [FlowID]) throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".flow") }
    let stems = Dictionary(
      uniqueKeysWithValues: names.map { name in
        let stem = String(name.dropLast(5))
        return (FlowID(String(stem.drop { $0 != "/" }.dropFirst())), stem)
      })
    for id in ids {
      guard let stem = stems[id] else { throw WrongResult(description: "no file of \(id)") }
      let history = try size("\(root)/\(stem).history")
      state.withLock { state in
        state.stems[id] = stem
        state.histories[id] = history
      }
    }
  }

  private func size(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw WrongResult(description: "\(path) is missing") }
    return Int(status.st_size)
  }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    let (id, flow) = (write.id, try await store.commit(write))
    guard let stem = state.withLock({ $0.stems[id] }) else { return flow }
    let (bytes, end) = (try size("\(root)/\(stem).flow"), try size("\(root)/\(stem).history"))
    state.withLock { state in
      let start = state.histories.updateValue(end, forKey: id) ?? end
      state.commits[id, default: []].append(
        FileCommit(stem: stem, historyOffset: start, historyBytes: end - start, flowBytes: bytes))
    }
    return flow
  }

  func load(_ id: FlowID) async throws -> StoredFlow? { try await store.load(id) }

  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    try await store.delete(id, expecting: revision, fence: fence)
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await store.list(query, after: cursor, limit: limit)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await store.tasks(query, after: cursor, limit: limit)
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await store.history(of: id, after: sequence, limit: limit)
  }

  func note(_ key: String) async throws -> StoreNote? { try await store.note(key) }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await store.setNote(note, under: key, replacing: old)
  }
}
