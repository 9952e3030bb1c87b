import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// Bars that do not depend on the speed of the machine: syncs of the log, and bytes on the disk.
@Suite("Syncs and bytes of the log", .timeLimit(.minutes(15))) struct LogCountTests {
  private let clock = ManualWallClock()
  private let files = SimulatedFiles(seed: 1)

  /// Counts the syncs of segments, and lets a sync return when every flow that can reach a commit has queued it.
  private final class Syncs: Sendable {
    private let state = Lock((count: 0, flows: 0))
    private let store = Lock<FileFlowStore?>(nil)

    var count: Int { state.withLock { $0.count } }

    func begin(_ store: FileFlowStore, waitingFor flows: Int = 0) {
      self.store.withLock { $0 = store }
      state.withLock { $0 = (0, flows) }
    }

    func end() { store.withLock { $0 = nil } }

    /// Notes that a flow reaches no commit any more.
    func leave() { state.withLock { $0.flows -= 1 } }

    func fault(_ operation: DiskOperation) -> DiskFault? {
      guard operation.kind == .sync, operation.path.hasSuffix(".segment") else { return nil }
      state.withLock { $0.count += 1 }
      guard let store = store.withLock({ $0 }) else { return nil }
      while store.state.withLock({ $0.queue.waiting.count + $0.queue.inFlight.count }) < state.withLock({ $0.flows }) {
        sched_yield()
      }
      return nil
    }
  }

  private let syncs = Syncs()

  private func open() async throws -> FileFlowStore {
    try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files, fault: syncs.fault))
  }

  private static let questions = 6

  private func asking() -> Flow<String, String> {
    Flow("asking") {
      for number in 0..<Self.questions { Step("\(number)") { Asker() } }
    }
  }

  private func asks() -> Flow<String, String> {
    Flow("asks") {
      for number in 0..<Self.questions { Ask("\(number)") { (text: String) in Form(text: text) } }
    }
  }

  /// Starts flows of a definition, answers all questions of all flows but the last one, and returns the syncs for each
  /// answer.
  private func syncsPerAnswer(
    _ name: String, _ flow: Flow<String, String>, flows count: Int, together: Bool = false
  ) async throws -> Double {
    let store = try await open()
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(flow)
    let ids = (0..<count).map { FlowID("\(name) \($0)") }
    for id in ids {
      try await flows.start(id: id, with: "")
      #expect(try await host.flow(id).settled().questions.count == 1)
    }
    syncs.begin(store, waitingFor: together ? count : 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in ids {
        group.addTask {
          defer { syncs.leave() }
          for _ in 1..<Self.questions { try await host.answerNext(id, "\"a\"") }
        }
      }
      try await group.waitForAll()
    }
    syncs.end()
    let found = Double(syncs.count) / Double(count * (Self.questions - 1))
    for id in ids { try await host.answerNext(id, "\"a\"") }
    for id in ids {
      guard case .finished = try await flows.outcome(of: id) else {
        Issue.record("\(id) has not ended")
        break
      }
    }
    try await host.catchUp()
    await store.close()
    return found
  }

  @Test("an answer takes two syncs, and one in a chain of asks")
  func oneFlow() async throws {
    #expect(try await syncsPerAnswer("asking", asking(), flows: 1) == 2)
    #expect(try await syncsPerAnswer("asks", asks(), flows: 1) == 1)
  }

  @Test("32 flows that are answered at once share their syncs: at most 0.2 for each answer")
  func manyFlows() async throws {
    let found = try await syncsPerAnswer("asking", asking(), flows: 32, together: true)
    #expect(found <= 0.2, "\(found)")
  }

  @Test(
    "a hosted flow that waits at its first question has at most 700 bytes on the disk, and 970 until it is rewritten")
  func bytes() async throws {
    let store = try await open()
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(asking())
    let before = files.used
    for number in 0..<20 {
      try await flows.start(id: FlowID("order-\(1_000 + number)"), with: "")
      #expect(try await host.flow(FlowID("order-\(1_000 + number)")).settled().questions.count == 1)
    }
    // Two commits: the start, and the question.
    let written = (files.used - before) / 20
    #expect(written <= 970, "\(written)")
    try await host.catchUp()
    _ = try await store.onWriter { store throws(FlowStoreError) in
      _ = try store.changeFiles { files, lock throws(FlowStoreError) in try files.roll(lock) }
      for segment in store.files.withLock({ $0.sealed }) { try store.compact(segment) }
    }
    let left = (files.used - before) / 20
    #expect(left <= 700, "\(left)")
    #expect(try await host.flow("order-1007").view().questions.count == 1)
    await store.close()
  }

  @Test("a batch is one group with one sync, and each write has a result of its own")
  func batch() async throws {
    let store = try await open()
    try await store.commit("old", 1)
    let repeated = FlowWrite(
      .numbered(2), to: "old", expecting: Revision(1), as: CommitID(), appending: [.numbered(2)])
    _ = try await store.commit(repeated)
    var large = FlowSnapshot.numbered(1)
    large.body = [UInt8](repeating: 1, count: FlowSnapshot.maximumBytes)
    syncs.begin(store)
    func write(_ id: FlowID, _ revision: Int) -> FlowWrite {
      FlowWrite(.numbered(revision), to: id, expecting: Revision(revision - 1), appending: [.numbered(revision)])
    }
    let results = await store.commit([
      write("a", 1), write("old", 2), repeated, FlowWrite(large, to: "large", expecting: .none), write("a", 2),
      write("b", 1), write("b", 1), write("c", 3),
    ])
    syncs.end()
    #expect(syncs.count == 1)
    let found = results.map { result -> String in
      switch result {
      case .success(let flow): "\(flow.id) \(flow.revision.number)"
      case .failure(let error): "\(error.code)"
      }
    }
    #expect(found == ["a 1", "conflict", "old 2", "tooLarge", "a 2", "b 1", "conflict", "conflict"])
    #expect(try await store.history(of: "a", after: 0, limit: 9) == [.numbered(1), .numbered(2)])
    #expect(try await store.load("b")?.snapshot == .numbered(1))
    await store.close()
    let closed = await store.commit([write("d", 1), write("e", 1)])
    #expect(closed.count == 2)
    for result in closed { #expect(throws: FlowStoreError.self) { try result.get() } }
    let again = try await open()
    #expect(try await again.load("a")?.revision == Revision(2))
    #expect(try await again.load("large") == nil)
    await again.close()
  }
}
