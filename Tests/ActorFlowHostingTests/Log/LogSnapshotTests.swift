import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("The snapshot of the log's index", .timeLimit(.minutes(15))) struct LogSnapshotTests {
  private static let path = "/store/log/" + LogSnapshot.name
  private let clock = ManualWallClock()

  private func open(
    _ files: SimulatedFiles, segmentBytes: Int = 1_500, fault: (@Sendable (DiskOperation) -> DiskFault?)? = nil
  ) async throws -> FileFlowStore {
    try await FileFlowStore(
      directory: "/store", clock: clock, disk: Disk(files, fault: fault), segmentBytes: segmentBytes)
  }

  private func snapshot(_ files: SimulatedFiles) throws -> [UInt8] {
    try #require(files.contents()[String(Self.path.dropFirst())])
  }

  /// A store with flows of each kind, labels, tasks, timers, a deleted flow and notes; closed.
  private func filled(_ files: SimulatedFiles) async throws {
    let store = try await open(files)
    for number in 0..<12 {
      var snapshot = FlowSnapshot.numbered(1)
      snapshot.status = number % 3 == 0 ? .finished : .waiting
      snapshot.labels = ["customer": "c\(number % 2)", "a long name of a label": "and a long text for it"]
      if number % 3 == 1 {
        snapshot.wakeAt = Date(timeIntervalSince1970: Double(number))
        snapshot.tasks = [
          OpenTask(
            question: "q\(number)", step: "shop/a step with a long name", prompt: "Shop.AddressForm.Of.A.Customer",
            assignees: ["somebody with a long name"], askedAt: Date(timeIntervalSince1970: 3.5))
        ]
      }
      _ = try await store.commit(
        FlowWrite(snapshot, to: FlowID("flow \(number)"), expecting: .none, appending: [.numbered(1)]))
      if number % 4 == 0 { try await store.commit(FlowID("flow \(number)"), 2) }
    }
    try await store.delete("flow 3", expecting: Revision(1), fence: nil)
    try await store.setNote(StoreNote([1, 2]), under: "key", replacing: nil)
    try await store.setNote(StoreNote([3], until: .distantFuture), under: "other", replacing: nil)
    await store.close()
  }

  @Test("after a close, an opening reads no segment, and finds all that reading the log finds")
  func closed() async throws {
    let files = SimulatedFiles(seed: 1)
    try await filled(files)
    #expect(try LogContents.checkSnapshot(files, clock))
    let segmentsRead = Lock(0)
    let store = try await open(files) { operation in
      if operation.kind == .read, operation.path.hasSuffix(".segment") { segmentsRead.withLock { $0 += 1 } }
      return nil
    }
    #expect(segmentsRead.withLock { $0 } == 0)
    let query = FlowQuery(label: FlowQuery.Label("customer", "c1"))
    #expect(try await store.list(query, after: nil, limit: 99).flows.count == 5)
    let tasks = TaskQuery(assignees: ["somebody with a long name"])
    #expect(try await store.tasks(tasks, after: nil, limit: 9).tasks.count == 3)
    #expect(try await store.load("flow 4")?.revision == Revision(2))
    #expect(try await store.history(of: "flow 4", after: 0, limit: 9) == [.numbered(1), .numbered(2)])
    #expect(try await store.load("flow 3") == nil)
    #expect(try await store.note("key")?.bytes == [1, 2])
    let before = try snapshot(files)
    await store.close()
    #expect(try snapshot(files) == before)
  }

  @Test("a snapshot with a changed byte, or without its end, is ignored")
  func everyByte() async throws {
    let files = SimulatedFiles(seed: 1)
    try await filled(files)
    let bytes = try snapshot(files)
    for index in stride(from: 0, to: bytes.count, by: DamagedPlaces.step) {
      let damaged = SimulatedFiles(copying: files)
      var changed = bytes
      changed[index] ^= UInt8(1 << (index % 8))
      damaged.set(changed, at: Self.path)
      #expect(try !LogContents.checkSnapshot(damaged, clock), "byte \(index)")
      damaged.set(Array(bytes.prefix(index)), at: Self.path)
      #expect(try !LogContents.checkSnapshot(damaged, clock), "\(index) bytes")
    }
  }

  #if THREAD_SANITIZER
    private static let seeds = 4
  #else
    private static let seeds = 20
  #endif

  @Test("a snapshot of another time is ignored, or is right with what is behind it")
  func otherTimes() async throws {
    var (used, older) = (0, 0)
    for seed in 0..<Self.seeds {
      var random = RandomState(seed: UInt64(seed))
      let files = SimulatedFiles(seed: UInt64(seed))
      var revisions: [FlowID: Int] = [:]
      var taken: [[UInt8]] = []
      var disks: [SimulatedFiles] = []
      for _ in 0..<4 {
        let store = try await open(files)
        for _ in 0..<random.below(30) {
          let id = FlowID("\(random.below(4))")
          let revision = revisions[id] ?? 0
          if revision > 0, random.below(4) == 0 {
            try await store.delete(id, expecting: Revision(revision), fence: nil)
            revisions[id] = nil
            if random.below(4) == 0 { try await store.erase(id) }
          } else {
            try await store.commit(id, revision + 1)
            revisions[id] = revision + 1
          }
          if random.below(8) == 0 {
            try await store.setNote(
              StoreNote([UInt8(random.below(9))]), under: "key", replacing: try await store.note("key"))
          }
        }
        disks.append(SimulatedFiles(copying: files))
        await store.close()
        // A life without a write may leave none.
        if let bytes = files.contents()[String(Self.path.dropFirst())] { taken.append(bytes) }
        disks.append(SimulatedFiles(copying: files))
      }
      for (number, disk) in disks.enumerated() {
        for (time, bytes) in taken.enumerated() {
          let copy = SimulatedFiles(copying: disk)
          try Disk(copy).write(bytes, to: Self.path)
          let isUsed = try LogContents.checkSnapshot(copy, clock)
          used += isUsed ? 1 : 0
          if isUsed, 2 * time + 1 < number { older += 1 }
        }
      }
    }
    #expect(used > 0)
    #expect(older > 0, "\(older) of \(used)")
  }

  @Test("damage to what the snapshot covers is found when it is read, and then at each opening")
  func hiddenDamage() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files, segmentBytes: 100_000)
    for id: FlowID in ["bad", "good"] { try await store.commit(id, 1) }
    let place = try #require(store.state.withLock { $0.log["bad"]?.place })
    await store.close()
    let path = "/store/log/" + Manifest.segmentName(Int(place.segment))
    var bytes = try #require(files.contents()[String(path.dropFirst())])
    bytes[Int(place.offset) + 30] ^= 1
    files.set(bytes, at: path)
    for round in 0..<3 {
      let again = try await open(files, segmentBytes: 100_000)
      #expect(again.beganWithSnapshot == (round == 0))
      #expect(await again.unreadable().isEmpty == (round == 0))
      let error = await #expect(throws: FlowStoreError.self) { try await again.load("bad") }
      #expect(error?.code == .corrupted)
      let refused = await #expect(throws: FlowStoreError.self) { try await again.commit("bad", 2) }
      #expect(refused?.code == .corrupted)
      #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["good"])
      #expect(try await again.load("good")?.snapshot == .numbered(1))
      await again.close()
    }
    let healed = try await open(files, segmentBytes: 100_000)
    try await healed.giveUp("bad")
    await healed.close()
    let last = try await open(files, segmentBytes: 100_000)
    #expect(last.beganWithSnapshot)
    #expect(try await last.load("bad") == nil)
    await last.close()
  }

  @Test("a store that is not closed writes snapshots at times, and a crash leaves one that is right")
  func crash() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await open(files)
    for number in 0..<60 { try await store.commit(FlowID("\(number)"), 1) }
    // The snapshot is written after the reply to the write before it.
    try await store.onWriter { _ throws(FlowStoreError) in }
    files.crash()
    #expect(try LogContents.checkSnapshot(files, clock))
    await store.close()
  }
}
