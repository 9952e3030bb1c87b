import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The news of a flow, read from the store by any host.
@Suite("News of a flow", .timeLimit(.minutes(15))) struct NewsTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() { store = MemoryFlowStore(clock: clock) }

  private let flow = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  private func host(_ name: String) async throws -> (host: FlowHost, flows: RegisteredFlow<String, String>) {
    let host = FlowHost(store: PlainStore(base: store), clock: clock, owner: name)
    return (host, try await host.register(flow))
  }

  /// Reads news in a task of its own, and says how many entries it has.
  private func reader(_ news: FlowNews) -> (task: Task<[Int], any Error>, seen: Gate) {
    let seen = Gate()
    let task = Task {
      var entries: [Int] = []
      for try await entry in news {
        entries.append(entry.sequence)
        seen.mark()
      }
      return entries
    }
    return (task, seen)
  }

  @Test("all entries come in order, at once for commits at this host, until the flow has ended")
  func here() async throws {
    let (host, flows) = try await host("one")
    try await flows.start(id: "x", with: "-")
    let (task, seen) = reader(host.flow("x").news())
    // Without the clock: the host's own commits wake the reader.
    for answer in ["1", "2"] { try await host.answerNext("x", "\"\(answer)\"") }
    await seen.reached(7)
    let entries = try await task.value
    #expect(entries == Array(1...entries.count))
    #expect(try await host.flow("x").history().map(\.sequence) == entries)
  }

  @Test("the commits of another host are seen with the next look at the store")
  func elsewhere() async throws {
    let (one, flows) = try await host("one")
    let (other, _) = try await host("other")
    try await flows.start(id: "x", with: "-")
    _ = try await one.flow("x").settled()
    await one.isQuiet()
    let known = try await one.flow("x").history().count
    let (task, seen) = reader(other.flow("x").news(after: known))
    try await clock.waitForSleepers()
    try await one.answerNext("x", #""1""#)
    await one.isQuiet()
    #expect(seen.arrivals == 0)
    clock.advance(by: .seconds(5))
    await seen.reached()
    try await clock.waitForSleepers()
    try await one.answerNext("x", #""2""#)
    await one.isQuiet()
    clock.advance(by: .seconds(5))
    let entries = try await task.value
    #expect(entries == Array((known + 1)...(try await one.flow("x").history().count)))
  }

  @Test("a reader goes on after any number, at any host, and misses nothing")
  func resumed() async throws {
    let (one, flows) = try await host("one")
    try await flows.start(id: "x", with: "-")
    for answer in ["1", "2"] { try await one.answerNext("x", "\"\(answer)\"") }
    await one.isQuiet()
    let all = try await one.flow("x").history()
    for cut in 0...all.count {
      let (later, _) = try await host("later \(cut)")
      var entries: [HistoryEntry] = []
      for try await entry in later.flow("x").news(after: cut) { entries.append(entry) }
      #expect(entries == Array(all.dropFirst(cut)))
    }
  }

  @Test("a long history is read page by page, without gaps")
  func pages() async throws {
    let (host, flows) = try await host("one")
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    for number in 0..<600 { try await host.flow("x").send(number, to: Signal<Int>("s"), key: "\(number)") }
    try await host.flow("x").abandon()
    var entries: [Int] = []
    for try await entry in host.flow("x").news() { entries.append(entry.sequence) }
    #expect(entries.count > 600 && entries == Array(1...entries.count))
  }

  @Test("an unknown flow, a deleted one, and one that was begun anew are errors")
  func gone() async throws {
    let (host, flows) = try await host("one")
    func next(after sequence: Int) async throws -> HistoryEntry? {
      var news = host.flow("x").news(after: sequence).makeAsyncIterator()
      return try await news.next()
    }
    #expect(await code { try await next(after: 0) } == .noSuchFlow)
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let known = try await host.flow("x").history().count
    let (task, _) = reader(host.flow("x").news(after: known))
    try await clock.waitForSleepers()
    try await host.flow("x").delete()
    #expect(await code { try await task.value } == .noSuchFlow)
    try await flows.start(id: "x", with: "-")
    await host.isQuiet()
    #expect(await code { try await next(after: 100) } == .noSuchFlow)
    #expect(try await next(after: 0)?.sequence == 1)
  }

  @Test(
    "a reader learns that the flow was begun anew although it is past the reader's number, also if its key is erased",
    arguments: [false, true])
  func overtaken(isErased: Bool) async throws {
    let codec = PersonCodec()
    var options = FlowHost.Options()
    options.codec = codec
    let one = try FlowHost(store: PlainStore(base: store), clock: clock, owner: "one", options: options)
    let other = try FlowHost(store: PlainStore(base: store), clock: clock, owner: "other", options: options)
    let flows = try await one.register(flow)
    try await other.register(flow)
    try await flows.start(id: "x", with: "-", labels: ["customer": "ann"])
    _ = try await one.flow("x").settled()
    await one.isQuiet()
    let known = try await one.flow("x").history().count
    let (task, seen) = reader(other.flow("x").news(after: known - 1))
    await seen.reached()
    try await clock.waitForSleepers()
    try await one.flow("x").delete()
    clock.advance(by: .seconds(1))
    try await flows.start(id: "x", with: "-", labels: ["customer": "ann"])
    try await one.answerNext("x", #""1""#)
    await one.isQuiet()
    #expect(try await one.flow("x").history().count > known)
    if isErased { _ = codec.erase("ann") }
    clock.advance(by: .seconds(5))
    #expect(await code { try await task.value } == .noSuchFlow)
  }

  @Test("a cancelled reader ends, and leaves nothing behind")
  func cancelled() async throws {
    let (host, flows) = try await host("one")
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    let (task, seen) = reader(host.flow("x").news())
    await seen.reached(3)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("changed returns the next revision, of this host or another, and nil when the time is over")
  func changed() async throws {
    let (one, flows) = try await host("one")
    let (other, _) = try await host("other")
    try await flows.start(id: "x", with: "-")
    let view = try await one.flow("x").settled()
    await one.isQuiet()
    let known = try await one.flow("x").view().revision
    #expect(try await one.flow("x").changed(after: .none)?.revision == known, "at once")
    #expect(try await one.flow("x").changed(after: known, within: .zero)?.revision == nil)
    let here = Task { try await one.flow("x").changed(after: known, within: .seconds(60)) }
    let elsewhere = Task { try await other.flow("x").changed(after: known, within: .seconds(60)) }
    try await clock.waitForSleepers(2)
    try await one.flow("x").answer(try #require(view.questions.first?.id), with: "1")
    #expect(try #require(try await here.value).revision > known)
    clock.advance(by: .seconds(5))
    #expect(try #require(try await elsewhere.value).revision > known)
    let last = try await one.flow("x").settled()
    await one.isQuiet()
    let stored = try await one.flow("x").view().revision
    #expect(stored >= last.revision)
    let late = Task { try await one.flow("x").changed(after: stored, within: .seconds(7)) }
    for pause in [5, 2] {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(pause))
    }
    #expect(try await late.value?.revision == nil)
    #expect(await code { try await one.flow("y").changed(after: .none) } == .noSuchFlow)
  }
}
