/// The pages of one shard's list that a merge reads.
struct ShardPages<Item: Sendable>: Sendable {
  /// The place behind ``sure``.
  var place: ShardCursor.Place
  /// The items of whole pages, which are on the merged page.
  private(set) var sure: [Item] = []
  /// The page behind these, of which the first ``taken`` are on the merged page.
  private(set) var page: [Item] = []
  private(set) var taken = 0
  private var next: ShardCursor.Place

  init(at place: ShardCursor.Place) { (self.place, next) = (place, place) }

  /// The next item.
  var head: Item? { taken < page.count ? page[taken] : nil }

  /// Whether another page has to be read to know the next item.
  var needsPage: Bool { head == nil && next != .end }

  /// Whether some, but not all of the page is taken. A shard has no cursor for that place.
  var isSplit: Bool { taken > 0 && taken < page.count }

  mutating func take() { taken += 1 }

  /// Makes the items of the page sure, if all are taken.
  mutating func close() {
    guard head == nil else { return }
    sure += page
    (page, taken, place) = ([], 0, next)
  }

  mutating func add(_ items: [Item], cursor: String?) {
    close()
    (page, taken, next) = (items, 0, cursor.map { .after($0) } ?? .end)
  }

  /// Replaces the page by the beginning of it, which was read again and is on the merged page as a whole.
  mutating func replace(_ items: [Item], cursor: String?) {
    (page, taken, next) = (items, items.count, cursor.map { .after($0) } ?? .end)
    close()
  }
}

/// A page of a list that is merged of the lists of all shards.
///
/// A shard gives a cursor only for the end of a page. So the merge first looks how many items of each shard the page has,
/// and then reads just these of a shard whose page it has taken in part. The page is what was read then: each item was in
/// front of exactly one cursor, whatever changes in between.
struct ShardMerge<Item: Sendable>: Sendable {
  /// The greatest number of items that are read of a shard at once.
  private static var mostAtOnce: Int { 1_000 }

  private var shards: [ShardPages<Item>]
  private let limit: Int
  private let precedes: @Sendable (Item, Item) -> Bool
  private var count = 0

  /// - Parameter precedes: A closure that returns whether the first item comes before the second one, of another shard.
  init(at places: [ShardCursor.Place], limit: Int, by precedes: @escaping @Sendable (Item, Item) -> Bool) {
    shards = places.map { ShardPages(at: $0) }
    (self.limit, self.precedes) = (max(1, limit), precedes)
  }

  typealias Page = (items: [Item], cursor: String?)

  /// Reads a merged page.
  ///
  /// - Parameter read: A closure that reads these numbers of items of these shards, each behind a cursor.
  /// - Returns: The items, and the place behind them in each shard.
  mutating func page(
    _ read: ([(number: Int, cursor: String?, limit: Int)]) async throws -> [Page]
  ) async throws -> (items: [Item], places: [ShardCursor.Place]) {
    while true {
      try await look(read)
      try await settle(read)
      let places = shards.map(\.place)
      if shards.contains(where: { !$0.sure.isEmpty }) || places.allSatisfy({ $0 == .end }) {
        return (merged(), places)
      }
      // All that was on the page has gone since; there may be more behind it.
      count = 0
    }
  }

  /// Reads until the page is full or all lists end.
  private mutating func look(_ read: ([(number: Int, cursor: String?, limit: Int)]) async throws -> [Page]) async throws
  {
    while count < limit {
      let short = shards.indices.filter { shards[$0].needsPage }
      if !short.isEmpty {
        let most = chunk(of: limit - count)
        for number in short { shards[number].close() }
        let pages = try await read(short.map { ($0, shards[$0].place.cursor, most) })
        for (number, page) in zip(short, pages) { shards[number].add(page.items, cursor: page.cursor) }
        continue
      }
      guard let first = first(of: shards.map(\.head)) else { break }
      shards[first].take()
      count += 1
    }
    for number in shards.indices { shards[number].close() }
  }

  /// Reads the beginnings of pages that are split.
  private mutating func settle(
    _ read: ([(number: Int, cursor: String?, limit: Int)]) async throws -> [Page]
  ) async throws {
    let split = shards.indices.filter { shards[$0].isSplit }
    guard !split.isEmpty else { return }
    let pages = try await read(split.map { ($0, shards[$0].place.cursor, shards[$0].taken) })
    for (number, page) in zip(split, pages) { shards[number].replace(page.items, cursor: page.cursor) }
  }

  /// Ids are spread evenly, so a shard has about its share of the page. A little more saves another reading.
  private func chunk(of left: Int) -> Int {
    let left = min(left, Self.mostAtOnce)
    return min(left, left / shards.count + left / (4 * shards.count) + 2)
  }

  private func first(of heads: [Item?]) -> Int? {
    var first: (number: Int, item: Item)?
    for case let (number, item?) in heads.enumerated() {
      if let other = first?.item, !precedes(item, other) { continue }
      first = (number, item)
    }
    return first?.number
  }

  private func merged() -> [Item] {
    var (items, taken) = ([Item](), [Int](repeating: 0, count: shards.count))
    while let next = first(of: zip(shards, taken).map { $1 < $0.sure.count ? $0.sure[$1] : nil }) {
      items.append(shards[next].sure[taken[next]])
      taken[next] += 1
    }
    return items
  }
}
