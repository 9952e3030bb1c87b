import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A verb for all flows that a query finds.
@Suite("Bulk verbs", .timeLimit(.minutes(15))) struct BulkTests {
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>
  private let isDown = Variable(true)
  private let ann = Principal(id: "ann")
  private let query = FlowQuery(definition: "f", status: [.suspended])

  init() {
    store = FaultyStore(MemoryFlowStore(clock: clock))
  }

  private var flow: Flow<String, String> {
    Flow("f") { [isDown] in
      Step("work") { (input: String, context: StepContext) in
        guard input != "waits" else { return try await context.ask(Form(text: input)) }
        if isDown.value { throw Boom() }
        return input
      }
    }
  }

  /// A host with suspended flows of these ids, and another flow that waits.
  private func host(_ ids: [String]) async throws -> FlowHost {
    let host = FlowHost(store: store, clock: clock, owner: "host")
    let flows = try await host.register(flow)
    for id in ids {
      try await flows.start(id: FlowID(id), with: "-")
      _ = try await host.flow(FlowID(id)).settled()
    }
    try await flows.start(id: "z-waits", with: "waits")
    _ = try await host.flow("z-waits").settled()
    return host
  }

  private func words(_ report: BulkReport) -> [String] {
    report.items.map { item in
      switch item.outcome {
      case .done: "\(item.flow.id) done"
      case .failed(let error): "\(item.flow.id) \((error as? FlowError).map { "\($0.code)" } ?? "\(error)")"
      case .untouched: "\(item.flow.id) untouched"
      }
    }
  }

  @Test("page by page each flow is reached once, in the order of the list, although it stops matching the query")
  func pages() async throws {
    let host = try await host(["a", "b", "c", "d", "e"])
    isDown.value = false
    var (cursor, pages): (String?, [[String]]) = (nil, [])
    repeat {
      let report = try await host.each(query, after: cursor, limit: 2) { [ann] flow in
        try await flow.retry(reason: "it is back", by: ann, key: "1")
      }
      #expect(report.isComplete == (report.cursor == nil) && report.stopped == nil)
      pages.append(words(report))
      cursor = report.cursor
    } while cursor != nil
    #expect(pages == [["a done", "b done"], ["c done", "d done"], ["e done"]])
    for id in ["a", "b", "c", "d", "e"] {
      #expect(try await host.flow(FlowID(id)).settled().status == .finished)
      let retried = try await host.flow(FlowID(id)).history().filter { $0.what == "retried" }
      #expect(retried.map(\.by) == ["ann"] && retried.map(\.detail) == ["it is back"])
    }
    #expect(try await host.flow("z-waits").view().status == .waiting)
  }

  @Test("a verb that throws stops no other, and its error is in the report and in the progress")
  func failures() async throws {
    let host = try await host(["a", "b", "c"])
    var seen: [FlowID] = []
    let report = try await host.each(query, atOnce: 1, progress: { seen.append($0.flow.id) }) { flow in
      if flow.id == "b" { throw Boom() }
      try await flow.refresh()
    }
    #expect(words(report) == ["a suspended", "b Boom()", "c suspended"] && seen == ["a", "b", "c"])
    #expect(report.failed.map(\.flow) == ["a", "b", "c"] && report.done.isEmpty)
  }

  @Test("a dry run lists the flows and calls nothing, and its cursor goes on")
  func dryRun() async throws {
    let host = try await host(["a", "b", "c"])
    let called = Log()
    let first = try await host.each(query, limit: 2, dryRun: true) { called.add($0.id.description) }
    #expect(words(first) == ["a untouched", "b untouched"] && first.stopped == nil && !first.isComplete)
    let second = try await host.each(query, after: first.cursor, dryRun: true) { called.add($0.id.description) }
    #expect(words(second) == ["c untouched"] && second.isComplete)
    #expect(called.all.isEmpty)
  }

  @Test("every limit is accepted, also the greatest", arguments: [Int.min, 0, .max])
  func extremes(limit: Int) async throws {
    let host = try await host(["a", "b"])
    for dryRun in [true, false] {
      let report = try await host.each(FlowQuery(), limit: .max, atOnce: limit, dryRun: dryRun) { _ in }
      let ids: [FlowID] = ["a", "b", "z-waits"]
      #expect(report.items.map(\.flow.id) == ids)
      #expect(report.isComplete)
    }
  }

  @Test("no more verbs are under way at once than the caller allows, and so many are")
  func atOnce() async throws {
    let host = try await host(["a", "b", "c", "d", "e", "f", "g"])
    let gate = Gate()
    let active = Lock((now: 0, most: 0))
    async let running = host.each(query, atOnce: 3) { _ in
      active.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      await gate.pass()
      active.withLock { $0.now -= 1 }
    }
    await gate.reached(3)
    gate.open()
    #expect(try await running.done.count == 7)
    #expect(active.withLock { $0.most } == 3)
  }

  @Test("a cancelled operation begins no other verb, and its cursor leads to the flows that were not reached")
  func cancelled() async throws {
    let host = try await host(["a", "b", "c"])
    let gate = Gate()
    let task = Task { [query] in
      try await host.each(query, atOnce: 1) { _ in await gate.pass() }
    }
    await gate.reached()
    task.cancel()
    gate.open()
    let report = try await task.value
    #expect(words(report) == ["a done", "b untouched", "c untouched"])
    #expect(report.stopped is CancellationError && !report.isComplete)
    isDown.value = false
    let rest = try await host.each(query, after: report.cursor) { try await $0.retry(key: "1") }
    #expect(rest.done == ["a", "b", "c"] && rest.isComplete)
  }

  @Test("if the store fails, the report has what was done, and its cursor goes on; if nothing was, it throws")
  func storeFails() async throws {
    let host = try await host(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"])
    isDown.value = false
    let lists = Lock(0)
    store.plan { call in
      guard call.operation == .list else { return nil }
      let number = lists.withLock { lists in
        lists += 1
        return lists
      }
      return number == 2 || number == 3 ? .fail(.unavailable) : nil
    }
    let report = try await host.each(query, atOnce: 1) { try await $0.retry(key: "1") }
    #expect(report.done.count == 10 && report.stopped is FlowStoreError && !report.isComplete)
    await #expect(throws: FlowStoreError.self) { try await host.each(query, after: report.cursor) { _ in } }
    let rest = try await host.each(query, after: report.cursor) { try await $0.retry(key: "1") }
    #expect(rest.done == ["k", "l"] && rest.isComplete)
  }

  @Test("an operation that dies at any call of its store goes on from the last cursor, and reaches each flow once")
  func killed() async throws {
    let ids = ["a", "b", "c", "d", "e"]
    var (call, hasDied) = (0, true)
    while hasDied {
      let tests = BulkTests()
      let first = try await tests.host(ids)
      await first.isQuiet()
      let left = Lock(call)
      tests.store.plan { _ in
        left.withLock { left in
          left -= 1
          return left < 0 ? .fail(.unavailable) : nil
        }
      }
      var cursor: String?
      // What a page has come to is lost with its process.
      try? await tests.noteAll(first, &cursor) { left.withLock { $0 >= 0 } }
      hasDied = left.withLock { $0 < 0 }
      await first.die()
      let second = FlowHost(store: tests.store.store, clock: tests.clock, owner: "host")
      try await second.register(tests.flow)
      try await tests.noteAll(second, &cursor) { true }
      for id in ids + ["z-waits"] {
        let notes = try await second.flow(FlowID(id)).history().filter { $0.what == "noted" }
        #expect(notes.map(\.by) == ["ann"], "\(id), the call \(call)")
      }
      await second.die()
      call += 1
    }
    #expect(call > 10)
  }

  /// Writes a note on each flow, two at a time, from a cursor on that is moved after each page while the process lives.
  private func noteAll(_ host: FlowHost, _ cursor: inout String?, while lives: () -> Bool) async throws {
    repeat {
      let report = try await host.each(FlowQuery(definition: "f"), by: ann, after: cursor, limit: 2, atOnce: 1) {
        try await $0.note("seen", key: "1")
      }
      guard lives() else { return }
      cursor = report.cursor
    } while cursor != nil
  }

  @Test("flows are deleted page by page")
  func deleted() async throws {
    let host = try await host(["a", "b", "c"])
    let report = try await host.each(FlowQuery(), atOnce: 2) { try await $0.delete() }
    #expect(report.done == ["a", "b", "c", "z-waits"])
    #expect(try await host.list().flows.isEmpty)
  }
}
