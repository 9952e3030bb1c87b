import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("Writes of the log", .timeLimit(.minutes(15))) struct LogWritingTests {
  private let clock = ManualWallClock()

  private func open(
    _ files: SimulatedFiles, segmentBytes: Int = FileFlowStore.usualSegmentBytes,
    fault: (@Sendable (DiskOperation) -> DiskFault?)? = nil
  ) async throws -> FileFlowStore {
    try await FileFlowStore(
      directory: "/store", clock: clock, disk: Disk(files, fault: fault), segmentBytes: segmentBytes)
  }

  private func code(_ work: () async throws -> Void) async -> FlowStoreError.Code? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? FlowStoreError)?.code
    }
  }

  /// Lets a sync of the log return only when this number of writes waits or is on its way.
  private final class Gate: Sendable {
    private struct State: Sendable {
      var entered = 0
      var isOpen = true
    }
    private let state = Lock(State())
    private let condition = NSCondition()

    func close() { state.withLock { $0.isOpen = false } }

    func open() {
      condition.lock()
      state.withLock { $0.isOpen = true }
      condition.broadcast()
      condition.unlock()
    }

    func pass() {
      condition.lock()
      while !state.withLock({ $0.isOpen }) { condition.wait() }
      condition.unlock()
    }
  }

  @Test("writes that wait while another is synced are one group with one sync")
  func group() async throws {
    let files = SimulatedFiles(seed: 1)
    let gate = Gate()
    let armed = Counter()
    let (groups, entered) = (Counter(), AsyncEvents())
    let store = try await open(files) { operation in
      if operation.kind == .sync, operation.path.hasSuffix(".segment"), armed.count > 0 {
        groups.add()
        entered.add()
        gate.pass()
      }
      return nil
    }
    armed.add()
    gate.close()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await store.commit("first", 1) }
      await entered.wait()
      for number in 0..<32 { group.addTask { try await store.commit(FlowID("\(number)"), 1) } }
      while store.state.withLock({ $0.queue.waiting.count }) < 32 { await Task.yield() }
      gate.open()
      try await group.waitForAll()
    }
    #expect(groups.count == 2)
    await store.close()
  }

  @Test("a deletion that waits with the commit that it removes removes it, also for the next process")
  func deletedAtOnce() async throws {
    let files = SimulatedFiles(seed: 1)
    let gate = Gate()
    let (armed, entered) = (Counter(), AsyncEvents())
    let store = try await open(files) { operation in
      if operation.kind == .sync, operation.path.hasSuffix(".segment"), armed.count > 0 {
        entered.add()
        gate.pass()
      }
      return nil
    }
    armed.add()
    gate.close()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await store.commit("first", 1) }
      await entered.wait()
      group.addTask { try await store.commit("flow", 1) }
      while store.state.withLock({ $0.queue.waiting.count }) < 1 { await Task.yield() }
      // The caller may know the revision from a reply that was lost.
      group.addTask { try await store.delete("flow", expecting: Revision(1), fence: nil) }
      while store.state.withLock({ $0.queue.waiting.count }) < 2 { await Task.yield() }
      gate.open()
      try await group.waitForAll()
    }
    #expect(try await store.load("flow") == nil)
    await store.close()
    let again = try await open(files)
    #expect(try await again.load("flow") == nil)
    #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["first"])
    await again.close()
  }

  private final class Counter: Sendable {
    private let state = Lock(0)
    var count: Int { state.withLock { $0 } }
    func add() { state.withLock { $0 += 1 } }
  }

  /// Lets a task wait until a thread has been somewhere.
  private final class AsyncEvents: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    func add() { continuation.yield() }

    func wait() async {
      var iterator = stream.makeAsyncIterator()
      _ = await iterator.next()
    }
  }

  @Test("a waiting flow takes less than 700 bytes, and a commit writes its own snapshot and history only")
  func bytes() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    let before = files.used
    for number in 0..<20 { try await store.commit(FlowID("order-\(1_000 + number)"), 1) }
    let each = (files.used - before) / 20
    #expect(each < 700, "\(each) bytes")
    for revision in 2...50 { try await store.commit("order-1000", revision) }
    #expect((files.used - before) / 69 < 700)
    await store.close()
  }

  @Test("a sync that fails leaves the outcome open, its segment is not synced again, and the write can be repeated")
  func failedSync() async throws {
    for seed in 0..<40 {
      let files = SimulatedFiles(seed: UInt64(seed))
      let synced = Lock<[String]>([])
      let store = try await open(files) { operation in
        if operation.kind == .sync { synced.withLock { $0.append(operation.path) } }
        return nil
      }
      try await store.commit("flow", 1)
      files.loseNextSync()
      let name = CommitID()
      #expect(await code { try await store.commit("flow", 2, as: name) } == .outcomeUnknown)
      let failed = try #require(synced.withLock { $0.last })
      synced.withLock { $0 = [] }
      #expect(try await store.load("flow")?.revision == Revision(1))
      try await store.commit("other", 1)
      try await store.commit("flow", 2, as: name)
      #expect(!synced.withLock { $0.contains(failed) })
      // A compaction may follow the acknowledgement, and would go on after the crash.
      try await store.onWriter { _ throws(FlowStoreError) in }
      files.crash()
      let again = try await open(files)
      #expect(try await again.history(of: "flow", after: 0, limit: 9) == [.numbered(1), .numbered(2)])
      #expect(try await again.load("other")?.revision == Revision(1))
      #expect(await again.unreadable().isEmpty)
      await again.close()
    }
  }

  @Test("a refused write does not stop the others of its group, and a repeated one is acknowledged")
  func refusals() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    try await store.commit("flow", 1)
    let name = CommitID()
    let codes = await withTaskGroup(of: FlowStoreError.Code?.self) { group in
      for number in 0..<20 {
        group.addTask {
          do {
            switch number % 4 {
            case 0: try await store.commit("flow", 2, as: name)
            case 1: try await store.commit("flow", 4)
            case 2: try await store.commit(FlowID("\(number)"), 1)
            default: try await store.delete("missing", expecting: Revision(1), fence: nil)
            }
            return nil
          } catch { return (error as? FlowStoreError)?.code }
        }
      }
      return await group.reduce(into: [FlowStoreError.Code?: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(codes == [nil: 10, .conflict: 5, .notFound: 5])
    #expect(try await store.load("flow")?.revision == Revision(2))
    await store.close()
  }

  @Test("superseded commits give their space back, and nothing that is needed is lost", arguments: [false, true])
  func compaction(deletes: Bool) async throws {
    let files = SimulatedFiles(seed: 1)
    var store = try await open(files, segmentBytes: 4_000)
    for number in 0..<10 { try await store.commit(FlowID("old \(number)"), 1) }
    var revision = 0
    for round in 0..<400 {
      revision += 1
      try await store.commit("hot", revision)
      if deletes, round % 7 == 6 {
        try await store.delete("hot", expecting: Revision(revision), fence: nil)
        revision = 0
      }
      if round % 100 == 50 {
        await store.close()
        store = try await open(files, segmentBytes: 4_000)
      }
    }
    for _ in 0..<2 {
      #expect(try await store.load("hot")?.snapshot == (revision == 0 ? nil : .numbered(revision)))
      let history = try await store.history(of: "hot", after: 0, limit: 999)
      #expect(history == (0..<revision).map { .numbered($0 + 1) })
      for number in 0..<10 { #expect(try await store.load(FlowID("old \(number)"))?.snapshot == .numbered(1)) }
      #expect(try await store.list(FlowQuery(), after: nil, limit: 99).flows.count == (revision == 0 ? 10 : 11))
      await store.close()
      store = try await open(files, segmentBytes: 4_000)
    }
    if deletes { #expect(files.used < 30_000) } else { #expect(files.used < 150_000) }
    await store.close()
  }

  @Test("no byte of an erased flow is on the disk, in no file")
  func erased() async throws {
    let files = SimulatedFiles(seed: 1)
    var store = try await open(files, segmentBytes: 2_000)
    let secret = Array("the secret of this person".utf8)
    var snapshot = FlowSnapshot.numbered(1)
    snapshot.body = secret
    snapshot.values = [FlowValue(number: 1, bytes: secret)]
    for round in 0..<5 {
      let entry = HistoryEntry(
        sequence: round + 1, at: Date(timeIntervalSince1970: 0), what: "asked",
        detail: String(decoding: secret, as: UTF8.self))
      _ = try await store.commit(
        FlowWrite(snapshot, to: "person", expecting: Revision(round), appending: [entry]))
      for number in 0..<4 { try await store.commit(FlowID("\(round)-\(number)"), 1) }
    }
    // Of a stored flow, what it still has stays, and the flow is as before.
    try await store.erase("person")
    #expect(Self.has(secret, files))
    #expect(try await store.load("person")?.snapshot.body == secret)
    #expect(try await store.history(of: "person", after: 0, limit: 9).count == 5)
    try await store.delete("person", expecting: Revision(5), fence: nil)
    #expect(Self.has(secret, files))
    try await store.erase("person")
    #expect(!Self.has(secret, files))
    #expect(!Self.has(Array("person".utf8), files))
    for _ in 0..<2 {
      #expect(try await store.load("person") == nil)
      #expect(try await store.list(FlowQuery(), after: nil, limit: 99).flows.count == 20)
      #expect(try await store.history(of: "3-2", after: 0, limit: 9) == [.numbered(1)])
      await store.close()
      store = try await open(files, segmentBytes: 2_000)
    }
  }

  private static func has(_ secret: [UInt8], _ files: SimulatedFiles) -> Bool {
    files.contents().values.contains { bytes in
      bytes.indices.contains { bytes[$0...].starts(with: secret) }
    }
  }

  @Test("an erasure that dies at any call brings nothing back, and can be repeated")
  func interruptedErasure() async throws {
    var number = 0
    var isDone = false
    while !isDone {
      number += 1
      let files = SimulatedFiles(seed: UInt64(number))
      let store = try await open(files, segmentBytes: 1_000)
      for round in 1...4 {
        try await store.commit("person", round)
        try await store.commit(FlowID("\(round)"), 1)
      }
      try await store.delete("person", expecting: Revision(4), fence: nil)
      await store.close()
      let (count, limit) = (Counter(), number)
      let armed = Counter()
      let dying = try await open(files, segmentBytes: 1_000) { _ in
        guard armed.count > 0 else { return nil }
        count.add()
        return count.count == limit ? .crash : nil
      }
      armed.add()
      isDone = await code { try await dying.erase("person") } == nil
      await dying.close()
      files.crash()
      let again = try await open(files, segmentBytes: 1_000)
      #expect(try await again.load("person") == nil, "call \(number)")
      #expect(try await again.list(FlowQuery(), after: nil, limit: 99).flows.count == 4, "call \(number)")
      #expect(await again.unreadable().isEmpty)
      try await again.erase("person")
      #expect(!Self.has(Array("person".utf8), files))
      await again.close()
    }
    #expect(number > 20)
  }
}
