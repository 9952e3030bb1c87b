import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("The marks of shards") struct ShardMarkTests {
  @Test("swapped, added and missing shards are refused, and nothing is written to them")
  func wrong() async throws {
    let stores = ShardedStores(4)
    _ = try await stores.open([0, 1, 2]).commit("flow", 1)
    for (numbers, text) in [
      ([1, 0, 2], "shards[0] was marked as shards[1]"), ([0, 2, 1], "shards[1] was marked as shards[2]"),
      ([0, 1, 2, 3], "shards[0] was marked as one of 3 shards, and 4 were passed"),
      ([0, 1], "shards[0] was marked as one of 3 shards, and 2 were passed"),
      ([0, 1, 1], "shards[2] was marked as shards[1]"), ([0, 3, 2], "shards[1] has no mark"),
      ([3, 1, 2], "shards[0] has no mark"),
    ] {
      _ = try await expectRefused(.misplaced, text) { _ = try await stores.open(numbers) }
      #expect(try await stores.shards[3].note(ShardMark.key) == nil, "\(numbers)")
    }
    for count in [0, 257] {
      _ = try await expectRefused(.misplaced, "there are \(count) shards") {
        _ = try await stores.open([Int](repeating: 0, count: count))
      }
    }
    #expect(try await stores.open([0, 1, 2]).load("flow")?.revision == Revision(1))
  }

  @Test("a shard that was emptied, and one of another set, are refused")
  func replaced() async throws {
    let (first, second) = (ShardedStores(), ShardedStores())
    _ = try await (first.open(), second.open())
    let mixed = [first.shards[0], first.shards[1], second.shards[2]]
    _ = try await expectRefused(.misplaced, "shards[2] belongs to another set") {
      _ = try await ShardedFlowStore(mixed)
    }
    let mark = try await first.shards[1].note(ShardMark.key)
    try await first.shards[1].setNote(nil, under: ShardMark.key, replacing: mark)
    _ = try await expectRefused(.misplaced, "shards[1] has no mark, but shards[0] was used before") {
      _ = try await first.open()
    }
    try await first.shards[1].setNote(StoreNote(Array("2 new".utf8)), under: ShardMark.key, replacing: nil)
    // A mark of a newer version is not read, and the other shards go on.
    let store = try await first.open()
    _ = try await expectRefused(.unsupportedFormat) { _ = try await store.load(first.id(in: 1)) }
    #expect(try await store.load(first.id(in: 2)) == nil)
  }

  @Test("a store with flows does not become a shard, unless it is the only one")
  func used() async throws {
    let stores = ShardedStores(2)
    try await stores.shards[1].commit("flow", 1)
    _ = try await expectRefused(.misplaced, "shards[1] has flows") { _ = try await stores.open() }
    #expect(try await stores.open([1]).load("flow")?.revision == Revision(1))
  }

  @Test("marks whose making was interrupted at any call are completed by the next opener")
  func interrupted() async throws {
    for call in 1... {
      let stores = ShardedStores()
      let calls = Lock(0)
      for shard in stores.shards {
        shard.plan { _ in
          let count = calls.withLock { calls in
            calls += 1
            return calls
          }
          if count < call { return nil }
          return count.isMultiple(of: 2) ? .loseAcknowledgement : .fail(.unavailable)
        }
      }
      let wasOpened = (try? await stores.open()) != nil
      for number in 0..<3 { stores.start(number) }
      let store = try await stores.open()
      for number in 0..<3 { try await store.commit(stores.id(in: number), 1) }
      #expect(try await store.count(FlowQuery(), upTo: 9) == 3)
      if wasOpened, calls.withLock({ $0 < call }) { return }
    }
  }

  @Test("several processes that open new shards at once make one set of marks")
  func atOnce() async throws {
    for _ in 0..<8 {
      let stores = ShardedStores()
      let opened = try await withThrowingTaskGroup(of: ShardedStores.Store.self) { group in
        for _ in 0..<8 { group.addTask { try await stores.open() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for (number, store) in opened.enumerated() { try await store.commit(FlowID("\(number)"), 1) }
      #expect(try await stores.open().count(FlowQuery(), upTo: 99) == 8)
    }
  }

  @Test("all shards have to answer the first time; later, one that does not is checked before its first call")
  func away() async throws {
    let stores = ShardedStores()
    stores.stop(2)
    _ = try await expectRefused(.unavailable, "shards[2]") { _ = try await stores.open() }
    stores.start(2)
    _ = try await stores.open()
    stores.stop(1)
    let store = try await stores.open()
    try await store.commit(stores.id(in: 0), 1)
    _ = try await expectRefused(.unavailable) { try await store.commit(stores.id(in: 1), 1) }
    stores.start(1)
    try await store.commit(stores.id(in: 1), 1)
    // Swapped while one of them was away.
    stores.stop(2)
    let swapped = try await expectRefused(.misplaced) { _ = try await stores.open([0, 2, 1]) }
    #expect(swapped.code.httpStatus == 500)
    stores.stop(1)
    let later = try await stores.open([0, 2, 1])
    for number in 1...2 { stores.start(number) }
    for number in 1...2 {
      _ = try await expectRefused(.misplaced, "was marked as") { try await later.commit(stores.id(in: number), 2) }
    }
    #expect(try await store.load(stores.id(in: 1))?.revision == Revision(1))
  }

  @Test("a flow that was copied into another shard is refused by lists, and not claimed")
  func stray() async throws {
    let stores = ShardedStores()
    let store = try await stores.open()
    let id = stores.id(in: 0)
    let runnable = FlowSnapshot(definition: "test", version: 1, status: .runnable, body: [])
    for number in [0, 2] {
      _ = try await stores.shards[number].commit(FlowWrite(runnable, to: id, expecting: .none))
    }
    let text = "is in shards[2], and its id belongs to shards[0]"
    _ = try await expectRefused(.misplaced, text) { _ = try await store.list(FlowQuery(), after: nil, limit: 9) }
    _ = try await expectRefused(.misplaced, text) { _ = try await store.changed(FlowQuery(), after: nil, limit: 9) }
    let epoch = try await store.attach(owner: "ann", for: .seconds(9))
    let claims = try await store.claimDue(under: epoch, serving: ["test": 1...1], limit: 9)
    #expect(claims.map(\.lease.id) == [id])
    #expect((store.failures[2] as? FlowStoreError)?.code == .misplaced)
    #expect(try await store.leased(to: epoch, after: nil, limit: 9).flows == [id])
  }

  @Test("flows that do not belong into a shard keep its own from no claim, and wake no host")
  func strays() async throws {
    let stores = ShardedStores()
    let store = try await stores.open()
    let ids = (0..<100).map { FlowID("flow-\($0)") }
    let strays = ids.filter { store.shardIndex(of: $0) == 0 }.prefix(4)
    let own = try #require(ids.first { store.shardIndex(of: $0) == 2 })
    let runnable = FlowSnapshot(definition: "test", version: 1, status: .runnable, body: [])
    for id in strays + [own] {
      _ = try await stores.shards[2].commit(FlowWrite(runnable, to: id, expecting: .none))
    }
    let epoch = try await store.attach(owner: "ann", for: .seconds(9))
    let changes = try #require(store.changes)
    let claims = try await store.claimDue(under: epoch, serving: ["test": 1...1], limit: 3)
    #expect(claims.map(\.lease.id) == [own])
    // The strays were given back before, so a change of this flow comes after what was said of them.
    try await store.release(FlowLease(of: own, under: epoch))
    for await change in changes {
      guard case .due(let id, _, _) = change else { continue }
      #expect(id == own)
      break
    }
  }
}
