import ActorFlow
import ActorFlowHosting
import Foundation
import Synchronization

/// Hosted flows on files, against a log that is written bare.
struct FileRace {
  let flows: Int
  private let questions = 8

  /// Flows answered in a second, divided by the number possible if only a log were written and synced: as many commits
  /// of the same size, as many flows at once. Both sides take turns; a value for each round. An unmeasured round before
  /// counts the commits and their bytes.
  @concurrent func ratios(rounds: Int) async throws -> [Double] {
    let (commits, bytes) = try await inFolder { folder in
      let store = try await FileFlowStore(directory: folder)
      let start = Mutex(0)
      _ = try await answering(on: store) { _ in
        let size = try size(of: folder)
        start.withLock { $0 = size }
      }
      let revisions = try await store.list(FlowQuery(), after: nil, limit: flows).flows.map(\.revision.number)
      await store.close()
      // The first commits, up to the first question, are not measured.
      let commits = max(1, (revisions.max() ?? 0) - Self.commitsBefore)
      return (commits, max(1, (try size(of: folder) - start.withLock { $0 }) / (commits * flows)))
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
        let log = try BareLog(root: folder)
        return try await nanosecondsOf { try await log.write(flows: flows, commits: commits, bytes: bytes) }
      }
      ratios.append(bare / hosted)
    }
    return ratios
  }

  /// The commits of a flow until it shows its first question.
  private static let commitsBefore = 2

  private func size(of folder: String) throws -> Int {
    let log = folder + "/log"
    return try FileManager.default.contentsOfDirectory(atPath: log).reduce(0) { sum, name in
      let size = try FileManager.default.attributesOfItem(atPath: log + "/" + name)[.size] as? Int
      return sum + (name.hasSuffix(".segment") ? size ?? 0 : 0)
    }
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
