import ActorFlow
import RandomPrograms
import Testing

@testable import ActorFlowHosting

/// The merge alone, over lists of numbers, of which each shard has those with its remainder.
@Suite("Merged pages") struct ShardMergeTests {
  private typealias Chance = RandomPrograms.Chance

  private struct Lists {
    var lists: [[Int]]
    private(set) var read = 0
    private(set) var calls = 0

    init(_ numbers: some Sequence<Int>, count: Int) {
      lists = Array(repeating: [], count: count)
      for number in numbers { insert(number) }
    }

    mutating func insert(_ number: Int) {
      let place = number % lists.count
      guard !lists[place].contains(number) else { return }
      lists[place].append(number)
      lists[place].sort()
    }

    mutating func remove(_ number: Int) { lists[number % lists.count].removeAll { $0 == number } }

    /// A page behind the number in the cursor.
    mutating func page(_ number: Int, _ cursor: String?, _ limit: Int) -> ShardMerge<Int>.Page {
      let rest = lists[number].filter { $0 > cursor.flatMap { Int($0) } ?? -1 }
      let items = Array(rest.prefix(limit))
      (read, calls) = (read + items.count, calls + 1)
      return (items, rest.count > limit ? items.last.map { "\($0)" } : nil)
    }
  }

  private func page(
    _ lists: inout Lists, _ cursor: inout String?, limit: Int, _ change: (inout Lists) -> Void = { _ in }
  ) async throws -> [Int] {
    let start = try ShardCursor("numbers", cursor, of: lists.lists.count)
    var merge = ShardMerge<Int>(at: start.places, limit: limit) { $0 < $1 }
    var copy = lists
    let (items, places) = try await merge.page { calls in
      defer { change(&copy) }
      return calls.map { copy.page($0.number, $0.cursor, $0.limit) }
    }
    lists = copy
    let end = ShardCursor("numbers", places)
    cursor = end.isAtEnd ? nil : end.description
    return items
  }

  @Test("the pages are those of one sorted list, whatever the shards and the limit")
  func sorted() async throws {
    var random = Chance(seed: 1)
    for _ in 0..<150 {
      let count = 1 + random.below(6)
      let numbers = Set((0..<random.below(80)).map { _ in random.below(200) })
      // Ids are spread evenly, but some shards may have few flows or none.
      var lists = Lists(random.below(4) == 0 ? numbers.map { $0 * count } : Array(numbers), count: count)
      let expected = lists.lists.flatMap(\.self).sorted()
      let limit = [1, 2, 3, 7, 20, 100, .max][random.below(7)]
      var found: [Int] = []
      var cursor: String?
      repeat {
        let page = try await page(&lists, &cursor, limit: limit)
        #expect(page == Array(expected.dropFirst(found.count).prefix(limit)), "\(expected) by \(limit)")
        found += page
        #expect(page.count <= limit && (!page.isEmpty || cursor == nil))
      } while cursor != nil
      #expect(found == expected)
    }
  }

  @Test("a page reads little more than twice its items, in few calls, and its cursor does not grow")
  func cost() async throws {
    for count in [2, 4, 16] {
      var random = Chance(seed: UInt64(count))
      var lists = Lists((0..<2_000).map { _ in random.below(1_000_000) }, count: count)
      var cursor: String?
      for _ in 0..<10 {
        let (read, calls) = (lists.read, lists.calls)
        #expect(try await page(&lists, &cursor, limit: 100).count == 100)
        #expect(lists.read - read <= 100 + 125 + 8 * count, "\(count) shards: \(lists.read - read)")
        #expect(lists.calls - calls <= 6 * count, "\(count) shards: \(lists.calls - calls)")
        #expect(cursor?.utf8.count ?? 0 <= 16 * (count + 1), "\(cursor ?? "")")
      }
    }
    var lists = Lists(0..<100, count: 4)
    var cursor: String?
    _ = try await page(&lists, &cursor, limit: 1)
    #expect(lists.read == 4)
  }

  @Test("while others come and go, also within a page, each that stays is on one page")
  func changing() async throws {
    var random = Chance(seed: 7)
    for round in 0..<100 {
      let count = 2 + random.below(4)
      let kept = Set((0..<40).map { _ in 3 * random.below(100) })
      let others = (0..<60).map { _ in 3 * random.below(100) + 1 }
      var lists = Lists(kept.union(others), count: count)
      var found: [Int] = []
      var cursor: String?
      repeat {
        found += try await page(&lists, &cursor, limit: 1 + random.below(12)) { lists in
          for _ in 0..<random.below(4) { lists.remove(others[random.below(others.count)]) }
          for _ in 0..<random.below(4) { lists.insert(3 * random.below(100) + 2) }
        }
      } while cursor != nil
      #expect(Set(found).count == found.count, "round \(round): one is there twice")
      #expect(kept.isSubset(of: found), "round \(round): \(kept.subtracting(found)) are missing")
    }
  }

  @Test("a cursor is of one list and one number of shards, and no other text is one")
  func cursors() throws {
    let cursor = ShardCursor("list", [.start, .after("a:b\u{0}"), .end, .after("")])
    #expect(try ShardCursor("list", cursor.description, of: 4) == cursor)
    #expect(try ShardCursor("list", nil, of: 2) == ShardCursor("list", [.start, .start]))
    let others: [(String, String, Int)] = [
      ("changes", cursor.description, 4), ("list", cursor.description, 3), ("list", "", 4), ("list", "x", 4),
      ("list", StoreCursor(["list", "<<", "=a", ">", "="]).description, 4),
      ("list", StoreCursor(["list", "", "=a", ">", "="]).description, 4),
      ("list", StoreCursor(["list", "a", "=a", ">", "="]).description, 4),
    ]
    for (list, text, count) in others {
      let error = #expect(throws: FlowStoreError.self) { try ShardCursor(list, text, of: count) }
      #expect(error?.code == .notFound)
    }
  }
}
