import ActorFlow
import ActorFlowTesting
import Foundation
import RandomPrograms
import Testing

@testable import ActorFlowHosting

/// The lists of a sharded store beside those of one store with the same flows.
@Suite("Lists of a sharded store") struct ShardedListTests {
  private typealias Chance = RandomPrograms.Chance

  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private struct Stores {
    let clock = ManualWallClock()
    let single: MemoryFlowStore
    let sharded: ShardedFlowStore<MemoryFlowStore>

    init(_ count: Int) async throws {
      let clock = clock
      single = MemoryFlowStore(clock: clock)
      sharded = try await ShardedFlowStore((0..<count).map { _ in MemoryFlowStore(clock: clock) })
    }

    func commit(_ write: FlowWrite) async throws {
      clock.advance(by: .milliseconds(1))
      let written = try await single.commit(write)
      #expect(try await sharded.commit(write) == written)
    }
  }

  private static func snapshot(_ random: inout Chance) -> FlowSnapshot {
    func time() -> Date? { random.below(3) == 0 ? nil : start.addingTimeInterval(Double(random.below(6))) }
    let tasks = (0..<random.below(4)).map { number in
      OpenTask(
        question: "q\(number)", step: "test/a", prompt: ["Form", "Other"][random.below(2)],
        assignees: ["ann", "bob", "clerks"].filter { _ in random.below(2) == 0 }, due: time(),
        askedAt: start.addingTimeInterval(Double(random.below(5))))
    }
    return FlowSnapshot(
      definition: ["one", "two"][random.below(2)], version: random.below(2),
      status: [.waiting, .runnable, .finished, .suspended][random.below(4)], steps: ["test/a"],
      labels: ["k": "\(random.below(3))"], wakeAt: time(), startedAt: time(), tasks: tasks, body: [])
  }

  private static func flowQuery(_ random: inout Chance) -> FlowQuery {
    func maybe<Value>(_ value: Value) -> Value? { random.below(3) == 0 ? value : nil }
    return FlowQuery(
      definition: maybe("one"), version: maybe(1), status: maybe([.waiting, .finished]), step: maybe("a"),
      label: maybe(.init("k", "1")), dueBefore: maybe(start.addingTimeInterval(4)),
      changedBefore: maybe(start.addingTimeInterval(1e9)), startedBefore: maybe(start.addingTimeInterval(5)))
  }

  private static func taskQuery(_ random: inout Chance) -> TaskQuery {
    func maybe<Value>(_ value: Value) -> Value? { random.below(3) == 0 ? value : nil }
    return TaskQuery(
      assignees: maybe([["ann"], ["bob", "clerks"], []][random.below(3)]), prompt: maybe("Form"),
      definition: maybe("two"), label: maybe(.init("k", "2")), dueBefore: maybe(start.addingTimeInterval(4)),
      order: TaskQuery.Order.allCases[random.below(3)])
  }

  /// Reads all pages of a list.
  private func all<Item>(
    limit: Int, _ page: (String?, Int) async throws -> ([Item], String?)
  ) async throws -> [Item] {
    var items: [Item] = []
    var cursor: String?
    repeat {
      let (found, next) = try await page(cursor, limit)
      #expect(found.count == limit || next == nil, "a page is not full, and is not the last one")
      items += found
      cursor = next
    } while cursor != nil
    return items
  }

  @Test("each list, count and page is that of one store", arguments: [1, 3, 5])
  func same(count: Int) async throws {
    var random = Chance(seed: UInt64(count))
    let stores = try await Stores(count)
    var revisions: [Int: Int] = [:]
    for _ in 0..<80 {
      let number = random.below(35)
      let id = FlowID("flow \(number)")
      let revision = revisions[number] ?? 0
      if revision > 0, random.below(5) == 0 {
        for store in [stores.single, stores.sharded] as [any FlowStore] {
          try await store.delete(id, expecting: Revision(revision), fence: nil)
        }
        revisions[number] = nil
        continue
      }
      try await stores.commit(FlowWrite(Self.snapshot(&random), to: id, expecting: Revision(revision)))
      revisions[number] = revision + 1
    }
    let (single, sharded) = (stores.single, stores.sharded)
    for _ in 0..<25 {
      let limit = [1, 2, 5, 17, 100][random.below(5)]
      let (flows, tasks) = (Self.flowQuery(&random), Self.taskQuery(&random))
      let expected = try await single.list(flows, after: nil, limit: .max).flows
      let found = try await all(limit: limit) { cursor, limit in
        let page = try await sharded.list(flows, after: cursor, limit: limit)
        return (page.flows, page.cursor)
      }
      #expect(found == expected, "\(flows) by \(limit)")
      let expectedTasks = try await single.tasks(tasks, after: nil, limit: .max).tasks
      let foundTasks = try await all(limit: limit) { cursor, limit in
        let page = try await sharded.tasks(tasks, after: cursor, limit: limit)
        return (page.tasks, page.cursor)
      }
      #expect(foundTasks == expectedTasks, "\(tasks) by \(limit)")
      for most in [1, limit, .max] {
        #expect(try await sharded.count(flows, upTo: most) == min(most, expected.count))
        #expect(try await sharded.count(tasks, upTo: most) == min(most, expectedTasks.count))
      }
      let changes = try await single.changed(flows, after: nil, limit: .max).changes.map(\.flow)
      #expect(try await followed(sharded, flows, limit: limit, &random) == changes, "changes of \(flows) by \(limit)")
    }
  }

  /// Reads all changes, going on behind a page or behind a change on it.
  private func followed(
    _ store: some FlowStore, _ query: FlowQuery, limit: Int, _ random: inout Chance
  ) async throws -> [FlowSummary] {
    var flows: [FlowSummary] = []
    var cursor: String?
    while true {
      let page = try await store.changed(query, after: cursor, limit: limit)
      if page.changes.isEmpty { return flows }
      let isWhole = random.below(2) == 0
      let taken = isWhole ? page.changes : Array(page.changes.prefix(1 + random.below(page.changes.count)))
      flows += taken.map(\.flow)
      cursor = isWhole ? page.cursor : taken.last?.cursor
    }
  }

  @Test("changes at one time come in the order of each shard, and none is missed")
  func atOneTime() async throws {
    let clock = ManualWallClock()
    let store = try await ShardedFlowStore((0..<3).map { _ in MemoryFlowStore(clock: clock) })
    for revision in 1...2 { for number in 0..<30 { try await store.commit(FlowID("\(number)"), revision) } }
    var random = Chance(seed: 5)
    for limit in [1, 4, 100] {
      let flows = try await followed(store, FlowQuery(), limit: limit, &random)
      #expect(flows.count == 30)
      for shard in 0..<3 {
        let own = flows.map(\.id).filter { store.shardIndex(of: $0) == shard }
        #expect(own == (0..<30).map { FlowID("\($0)") }.filter { store.shardIndex(of: $0) == shard })
      }
    }
    let last = try await store.lastChange()
    #expect(try await store.changed(FlowQuery(), after: last, limit: 9).changes.isEmpty)
    try await store.commit("7", 3)
    #expect(try await store.changed(FlowQuery(), after: last, limit: 9).changes.map(\.flow.id) == ["7"])
  }
}
