import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// Stores whose disk has no room: what leaves a flow or removes it is written all the same, as long as the reserve lasts.
@Suite("A store on a full disk") struct FullDiskTests {
  private static let segment = 4_000
  private let clock = ManualWallClock()
  private let files = SimulatedFiles(seed: 1)

  /// A class, so that several tasks can have it.
  private final class Flag: Sendable {
    let isUp = Lock(false)
  }

  private func open() async throws -> FileFlowStore {
    try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files), segmentBytes: Self.segment)
  }

  /// Opens a store with this number of flows, and fills its disk.
  private func full(_ count: Int) async throws -> FileFlowStore {
    let store = try await open()
    for number in 0..<count { try await store.commit(FlowID("\(number)"), 1) }
    files.setCapacity(files.used)
    while try await commits(store, FlowID("filler")) {}
    return store
  }

  /// Whether an ordinary commit of a flow is written.
  private func commits(_ store: FileFlowStore, _ id: FlowID) async throws -> Bool {
    let revision = try await store.load(id)?.revision.number ?? 0
    do { try await store.commit(id, revision + 1) } catch let error as FlowStoreError where error.code == .unavailable {
      #expect(error.message.contains("the disk of /store is full"), "\(error)")
      #expect("\(error)".contains("No space left on device"), "\(error)")
      return false
    }
    return true
  }

  @Test("takes leaves, deletions and notes, refuses the rest, and keeps what it has acknowledged")
  func leaves() async throws {
    var store = try await full(8)
    #expect(try await !commits(store, "0"))
    try await store.commit("0", 2, leaving: true)
    try await store.setNote(StoreNote([1], until: nil), under: "note", replacing: nil)
    try await store.delete("1", expecting: Revision(1), fence: nil)
    #expect(try await !commits(store, "0"))
    for _ in 0..<2 {
      #expect(try await store.load("0")?.snapshot == .numbered(2))
      #expect(try await store.load("1") == nil)
      #expect(try await store.note("note")?.bytes == [1])
      for number in 2..<8 { #expect(try await store.load(FlowID("\(number)"))?.snapshot == .numbered(1)) }
      await store.close()
      store = try await open()
    }
    #expect(try await !commits(store, "2"))
    try await store.commit("2", 2, leaving: true)
    files.setCapacity(.max)
    #expect(try await commits(store, "3"))
    await store.close()
  }

  @Test("ordinary writes beside a leave are refused alone, also those of the same flow")
  func beside() async throws {
    let store = try await full(2)
    let results = await store.commit([
      FlowWrite(.numbered(2), to: "0", expecting: Revision(1)),
      FlowWrite(.numbered(2), to: "1", expecting: Revision(1), leaving: true),
      FlowWrite(.numbered(3), to: "1", expecting: Revision(2)),
      FlowWrite(.numbered(1), to: "new", expecting: .none),
    ])
    let codes = results.map { result -> FlowStoreError.Code? in
      guard case .failure(let error) = result else { return nil }
      return error.code
    }
    #expect(codes == [.unavailable, nil, .unavailable, .unavailable])
    #expect(try await store.load("1")?.revision == Revision(2))
    #expect(try await store.load("0")?.revision == Revision(1))
    await store.close()
  }

  @Test("a file system that cannot reserve space: leaves share a sync with other writes, and a full disk refuses both")
  func withoutReserve() async throws {
    files.refuseReserves()
    let store = try await open()
    for number in 0..<2 { try await store.commit(FlowID("\(number)"), 1) }
    let before = files.syncs
    let both = await store.commit([
      FlowWrite(.numbered(2), to: "0", expecting: Revision(1)),
      FlowWrite(.numbered(2), to: "1", expecting: Revision(1), leaving: true),
    ])
    #expect(both.allSatisfy { (try? $0.get()) != nil })
    #expect(files.syncs == before + 1)
    files.setCapacity(files.used)
    while try await commits(store, "filler") {}
    await #expect(throws: FlowStoreError.self) { try await store.commit("0", 3, leaving: true) }
    files.setCapacity(.max)
    try await store.commit("0", 3, leaving: true)
    #expect(try await commits(store, "filler"))
    await store.close()
  }

  @Test("a leave is written although ordinary writes keep coming")
  func crowd() async throws {
    let store = try await full(3)
    let flag = Flag()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          while !flag.isUp.withLock({ $0 }) {
            _ = try? await store.commit(FlowID("new \(number)"), 1)
            // A refused commit need not suspend. Without this, as many tasks as there are cores would keep all threads.
            await Task.yield()
          }
        }
      }
      for revision in 2...6 {
        do { try await store.commit("0", revision, leaving: true) } catch { Issue.record(error) }
      }
      flag.isUp.withLock { $0 = true }
    }
    #expect(try await store.load("0")?.revision == Revision(6))
    await store.close()
  }

  @Test("a store with the torn end of a group opens, and its flows can be left")
  func torn() async throws {
    let dead = try await open()
    try await dead.commit("0", 1)
    files.kill()
    let segments = files.contents().filter { $0.key.hasSuffix(".segment") }
    let (path, bytes) = try #require(segments.max { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    files.set(bytes + [UInt8](repeating: 7, count: 300), at: "/" + path)
    files.setCapacity(files.used)
    let again = try await open()
    try await again.commit("0", 2, leaving: true)
    #expect(try await again.load("0")?.revision == Revision(2))
    #expect(await again.tornTails().count == 1)
    await again.close()
    await dead.close()
  }

  @Test("has room again when flows are deleted, and takes its reserve again before it says so")
  func deletions() async throws {
    let store = try await full(40)
    for number in 0..<40 { try await store.delete(FlowID("\(number)"), expecting: Revision(1), fence: nil) }
    if let filler = try await store.load("filler") {
      try await store.delete("filler", expecting: filler.revision, fence: nil)
    }
    #expect(try await commits(store, "new"))
    #expect(store.files.withLock { $0.hasReserve })
    await store.close()
  }

  @Test("a leave is refused, and nothing is lost, when the reserve is used up")
  func usedUp() async throws {
    let store = try await full(4)
    var revision = 1
    while true {
      do { try await store.commit("0", revision + 1, leaving: true) } catch let error as FlowStoreError {
        #expect(error.code == .unavailable && error.message.contains("is full"), "\(error)")
        break
      }
      revision += 1
    }
    #expect(revision > 4)
    files.setCapacity(.max)
    try await store.commit("0", revision + 1)
    #expect(try await store.history(of: "0", after: 0, limit: 999).count == revision + 1)
    await store.close()
  }

  @Test("a hosted flow can be abandoned and rolled back, but not answered")
  func hosted() async throws {
    let store = try await open()
    let undone = Lock(0)
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(
      Flow<String, String>("order") {
        Step("pay") { Scripted(backUp: { _ in undone.withLock { $0 += 1 } }) { input, _ in input } }
        Ask("address") { (_: String) in Form(text: "where to?") }
      })
    try await flows.start(id: "a", with: "-")
    try await flows.start(id: "b", with: "-")
    let question = try #require(try await host.flow("b").settled().questions.first)
    _ = try await host.flow("a").settled()
    files.setCapacity(files.used)
    while try await commits(store, FlowID("filler")) {}
    await #expect(throws: (any Error).self) { try await host.flow("b").answer(question.id, with: "\"x\"") }
    try await host.flow("a").abandon(reason: "no", rollingBack: true)
    #expect(try await host.flow("a").settled().status == .abandoned)
    #expect(undone.withLock { $0 } == 1)
    files.setCapacity(.max)
    try await host.flow("b").answer(question.id, with: "\"x\"")
    #expect(try await host.flow("b").settled().status == .finished)
    await store.close()
  }
}
