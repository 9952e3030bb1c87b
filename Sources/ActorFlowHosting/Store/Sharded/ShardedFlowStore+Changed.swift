import ActorFlow

// Changes of all shards, with a cursor that has one for each of them.
extension ShardedFlowStore {
  /// Returns a page of the flows that have changed, merged from all shards.
  ///
  /// The changes of each shard are in their order, and between shards that with the earlier ``FlowSummary/changedAt``
  /// comes first. A reader that goes on after each cursor misses nothing.
  public func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    guard canListChanges else { throw Self.listsNoChanges }
    var cursor = try ShardCursor("changes", cursor, of: shards.count)
    let limit = max(1, limit)
    var page = ChangePage(changes: [], cursor: cursor.description)
    // The changes that were read of each shard, the first of them last; `nil` if more have to be read.
    var read = [ShardChanges?](repeating: nil, count: shards.count)
    while page.changes.count < limit {
      let short = shards.indices.filter { read[$0] == nil }
      if !short.isEmpty {
        let most = min(limit - page.changes.count, limit / shards.count + 2, 1_000)
        let places = cursor.places
        let results = await onEach(short) { shard, number in
          let found = try await shard.changed(query, after: places[number].cursor, limit: most)
          if let stray = found.changes.first(where: { self.placement.shard(of: $0.flow.id) != number }) {
            throw self.misplaced(stray.flow.id, in: number)
          }
          return found
        }
        for (number, result) in results {
          let found: ChangePage
          do { found = try result.get() } catch { throw incomplete(error, number, "the list of changes") }
          read[number] = ShardChanges(found, isLast: found.changes.count < most)
          if found.changes.isEmpty { cursor.places[number] = .after(found.cursor) }
        }
        continue
      }
      guard let first = Self.first(of: read) else { break }
      guard let (change, place, isOver) = read[first]?.next() else { break }
      cursor.places[first] = .after(place)
      if isOver { read[first] = nil }
      page.changes.append(FlowChange(flow: change.flow, cursor: cursor.description))
    }
    page.cursor = cursor.description
    return page
  }

  /// Returns the cursor behind all changes that the shards show at this moment.
  public func lastChange() async throws -> String {
    guard canListChanges else { throw Self.listsNoChanges }
    let cursors = try await onAll(for: "the cursor") { shard, _ in try await shard.lastChange() }
    return ShardCursor("changes", cursors.map { .after($0) }).description
  }

  /// Returns the number of the shard with the earliest change.
  private static func first(of read: [ShardChanges?]) -> Int? {
    var first: (number: Int, time: StoredTime)?
    for (number, changes) in read.enumerated() {
      guard let time = changes?.time, first.map({ time < $0.time }) ?? true else { continue }
      first = (number, time)
    }
    return first?.number
  }

  private static var listsNoChanges: FlowStoreError {
    FlowStoreError(
      .unavailable, "one of the shards cannot tell which flows have changed; list the flows instead")
  }
}

/// The changes of one shard that a page has not taken yet.
private struct ShardChanges {
  private var changes: ArraySlice<FlowChange>
  private let cursor: String
  private let isLast: Bool

  init(_ page: ChangePage, isLast: Bool) {
    (changes, cursor, self.isLast) = (page.changes[...], page.cursor, isLast)
  }

  /// The time of the next change.
  var time: StoredTime? { changes.first.map { StoredTime($0.flow.changedAt) } }

  /// Takes the next change.
  ///
  /// - Returns: The change with the place behind it, and whether the next page of the shard has to be read now.
  mutating func next() -> (change: FlowChange, place: String, isOver: Bool)? {
    guard let change = changes.popFirst() else { return nil }
    guard changes.isEmpty else { return (change, change.cursor, false) }
    // The end of a page is behind all that was looked at.
    return (change, cursor, !isLast)
  }
}
