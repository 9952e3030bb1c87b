import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The changes of all flows of a store, read at any host.
@Suite("Changes of all flows", .timeLimit(.minutes(15))) struct ChangesTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() { store = MemoryFlowStore(clock: clock) }

  private let flow = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  private func host(
    _ name: String, on store: (any FlowStore)? = nil, options: FlowHost.Options = FlowHost.Options()
  ) async throws -> (host: FlowHost, flows: RegisteredFlow<String, String>) {
    let host = try FlowHost(store: store ?? PlainStore(base: self.store), clock: clock, owner: name, options: options)
    return (host, try await host.register(flow))
  }

  /// Reads until `isDone` says so of the latest summaries of all flows.
  private func read(
    _ changes: FlowChanges, until isDone: @escaping @Sendable ([FlowID: FlowSummary]) -> Bool
  ) async throws -> (flows: [FlowID: FlowSummary], cursor: String?) {
    var (flows, cursor) = ([FlowID: FlowSummary](), String?.none)
    for try await change in changes {
      flows[change.flow.id] = change.flow
      cursor = change.cursor
      if isDone(flows) { break }
    }
    return (flows, cursor)
  }

  @Test("changes come at once for commits at this host, from the beginning or from now on, and as lists have them")
  func here() async throws {
    let (host, flows) = try await host("one")
    try await flows.start(id: "x", with: "-", labels: ["customer": "17"])
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let now = try await host.lastChange()
    let all = Task { try await read(host.changes()) { $0["y"]?.status == .finished } }
    let later = Task { try await read(host.changes(after: now)) { $0["y"]?.status == .finished } }
    try await flows.start(id: "y", with: "-")
    // Without the clock: the host's own commits wake the readers.
    for answer in ["1", "2"] { try await host.answerNext("y", "\"\(answer)\"") }
    _ = try await host.flow("y").settled()
    await host.isQuiet()
    #expect(try await later.value.flows.keys.map(\.description) == ["y"])
    let found = try await all.value.flows
    #expect(found["x"] == (try await host.list().flows.first { $0.id == "x" }))
    #expect(found["x"]?.labels == ["customer": "17"])
  }

  @Test("the commits of another host are seen with the next look at the store, and a reader goes on after any change")
  func elsewhere() async throws {
    let (one, flows) = try await host("one")
    let (other, _) = try await host("other")
    try await flows.start(id: "x", with: "-")
    _ = try await one.flow("x").settled()
    await one.isQuiet()
    let known = try await read(other.changes()) { _ in true }
    let task = Task { [known] in try await read(other.changes(after: known.cursor)) { _ in true } }
    try await clock.waitForSleepers()
    try await one.answerNext("x", #""1""#)
    await one.isQuiet()
    clock.advance(by: .seconds(5))
    let next = try await task.value
    #expect(try #require(next.flows["x"]).revision > (try #require(known.flows["x"]).revision))
    let (third, _) = try await host("third")
    try await one.answerNext("x", #""2""#)
    _ = try await one.flow("x").settled()
    await one.isQuiet()
    let last = try await read(third.changes(after: next.cursor)) { $0["x"]?.status == .finished }
    #expect(last.flows.count == 1)
  }

  @Test("a query narrows the changes, and pages of many flows have no gap")
  func pages() async throws {
    let (host, flows) = try await host("one")
    for number in 0..<600 { try await flows.start(id: FlowID("\(number)"), with: "-") }
    await host.isQuiet()
    try await host.flow("300").abandon()
    await host.isQuiet()
    let ended = try await read(host.changes(FlowQuery(status: [.abandoned]))) { _ in true }
    #expect(ended.flows.keys.map(\.description) == ["300"])
    let all = try await read(host.changes()) { $0["300"]?.status == .abandoned && $0.count == 600 }
    #expect(all.flows.count == 600)
  }

  @Test("a cursor that is foreign or ahead of the store is refused")
  func foreignCursors() async throws {
    let (host, flows) = try await host("one")
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let (empty, _) = try await self.host("two", on: MemoryFlowStore(clock: clock))
    for cursor in ["nonsense", try await host.lastChange()] {
      let error = await #expect(throws: FlowStoreError.self) {
        _ = try await read(empty.changes(after: cursor)) { _ in true }
      }
      #expect(error?.code == .notFound)
    }
  }

  @Test("a store that lists no changes is refused with a clear error")
  func unable() async throws {
    let (host, _) = try await host("one", on: PlainStore(base: store, listsChanges: false))
    #expect(await code { try await host.lastChange() } == .notStorable)
    #expect(await code { try await read(host.changes()) { _ in true } } == .notStorable)
  }

  @Test("the guard is asked before each page, and its refusal ends the iteration")
  func access() async throws {
    var options = FlowHost.Options()
    options.access = { verb, principal, _ in
      if verb == .list, principal?.id != "ann" { throw Refused() }
    }
    let (host, flows) = try await host("one", options: options)
    try await flows.start(id: "x", with: "-", by: Principal(id: "ann"))
    for principal in [nil, Principal(id: "bob")] {
      await #expect(throws: Refused.self) { try await read(host.changes(by: principal)) { _ in true } }
      await #expect(throws: Refused.self) { try await host.lastChange(by: principal) }
    }
    #expect(try await read(host.changes(by: Principal(id: "ann"))) { _ in true }.flows.count == 1)
  }

  private struct Refused: Error {}

  @Test("a cancelled reader ends, and a failing store does not end the next iteration")
  func cancelledAndFailing() async throws {
    let faulty = FaultyStore(store)
    let (host, flows) = try await host("one", on: faulty)
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let last = try await host.lastChange()
    let reader = Task { try await read(host.changes(after: last)) { _ in true } }
    try await clock.waitForSleepers()
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    faulty.plan { $0.operation == .list ? .fail(.unavailable) : nil }
    await #expect(throws: FlowStoreError.self) { try await read(host.changes()) { _ in true } }
    faulty.plan { _ in nil }
    #expect(try await read(host.changes()) { _ in true }.flows.count == 1)
  }

  // MARK: - Snippets

  private actor SearchIndex {
    private(set) var entries: [FlowID: FlowSnapshot.Status] = [:]
    func put(_ id: FlowID, _ status: FlowSnapshot.Status) async throws { entries[id] = status }
  }

  @Test("an index of another system is kept up to date, as the article says")
  func snippet() async throws {
    let index = SearchIndex()
    let host = FlowHost(store: store, clock: clock)
    let orders = try await host.register(Flow<String, String>("order") { Step("a") { Asker() } })
    try await orders.start(id: "order-17", with: "-")
    let reader = Task {
      var saved: String?
      for try await change in host.changes(FlowQuery(definition: "order"), after: saved) {
        try await index.put(change.flow.id, change.flow.status)
        saved = change.cursor
      }
    }
    try await host.answerNext("order-17", #""1""#)
    while await index.entries["order-17"] != .finished { await Task.yield() }
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(await index.entries == ["order-17": .finished])
  }
}
