import ActorFlow

// Lists of all shards. Each needs all of them: a shard that does not answer fails the list, instead of being left out.
extension ShardedFlowStore {
  /// Returns a page of the flows that match a query, merged from all shards.
  ///
  /// The flows of each shard are in its own order, and between shards the flow whose id is first by bytes comes first. So
  /// shards that order flows by id make one list by id.
  public func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    let start = try ShardCursor("list", cursor, of: shards.count)
    let (flows, end) = try await merged(start, limit: limit, for: "the list", by: { TextKey($0.id) < TextKey($1.id) }) {
      shard, cursor, limit in
      let page = try await shard.list(query, after: cursor, limit: limit)
      return (page.flows, page.cursor, page.flows.map(\.id))
    }
    return FlowPage(flows: flows, cursor: end)
  }

  /// Returns a page of the open questions that match a query, merged from all shards in the order of the query.
  ///
  /// Questions with the same time are ordered by flow as in ``list(_:after:limit:)``.
  public func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    let order = query.order
    let start = try ShardCursor("tasks by \(order)", cursor, of: shards.count)
    let (tasks, end) = try await merged(
      start, limit: limit, for: "the list of questions",
      by: {
        TaskQuery.Order.precedes(order.time(of: $0.task), order.time(of: $1.task))
          ?? (TextKey($0.flow) < TextKey($1.flow))
      },
      { shard, cursor, limit in
        let page = try await shard.tasks(query, after: cursor, limit: limit)
        return (page.tasks, page.cursor, page.tasks.map(\.flow))
      })
    return TaskPage(tasks: tasks, cursor: end)
  }

  /// Counts the flows of all shards that match a query, up to a limit.
  public func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
    try await counted(upTo: limit) { try await $0.count(query, upTo: limit) }
  }

  /// Counts the open questions of all shards that match a query, up to a limit.
  public func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
    try await counted(upTo: limit) { try await $0.count(query, upTo: limit) }
  }

  private func counted(upTo limit: Int, _ count: @escaping @Sendable (Shard) async throws -> Int) async throws -> Int {
    let counts = try await onAll(for: "the count") { shard, _ in try await count(shard) }
    return min(max(1, limit), counts.reduce(0, +))
  }

  private func merged<Item: Sendable>(
    _ start: ShardCursor, limit: Int, for purpose: String, by precedes: @escaping @Sendable (Item, Item) -> Bool,
    _ read: @escaping @Sendable (Shard, String?, Int) async throws -> ([Item], String?, flows: [FlowID])
  ) async throws -> ([Item], String?) {
    var merge = ShardMerge(at: start.places, limit: limit, by: precedes)
    let (items, places) = try await merge.page { calls in
      let byNumber = Dictionary(uniqueKeysWithValues: calls.map { ($0.number, $0) })
      let results = await onEach(calls.map(\.number)) { shard, number in
        guard let call = byNumber[number] else { return ([Item](), nil) as ShardMerge<Item>.Page }
        let (items, cursor, flows) = try await read(shard, call.cursor, call.limit)
        if let stray = flows.first(where: { self.placement.shard(of: $0) != number }) {
          throw self.misplaced(stray, in: number)
        }
        return (items, cursor)
      }
      return try results.map { number, result in
        do { return try result.get() } catch { throw incomplete(error, number, purpose) }
      }
    }
    let end = ShardCursor(start.list, places)
    return (items, end.isAtEnd ? nil : end.description)
  }

  /// Returns the error for a flow that is in another shard than its id says.
  func misplaced(_ id: FlowID, in number: Int) -> FlowStoreError {
    FlowStoreError(
      .misplaced,
      "the flow \(id.shown) is in shards[\(number)], and its id belongs to shards[\(placement.shard(of: id))]; it was "
        + "copied there past this store: remove it there")
  }
}

extension TextKey {
  fileprivate init(_ id: FlowID) { self.init(id.description) }
}
