import ActorFlow
import ActorFlowTesting
import RandomPrograms
import Testing

@testable import ActorFlowHosting

@Suite("Moves that wait for the next commit", .timeLimit(.minutes(15))) struct HeldMoveTests {
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>
  private let gate = Gate()
  private let log = Log()

  init() {
    store = FaultyStore(MemoryFlowStore(clock: clock))
  }

  private func host(_ owner: String = "host") -> FlowHost { FlowHost(store: store, clock: clock, owner: owner) }

  private func commits(_ body: () async throws -> Void) async rethrows -> Int {
    let before = store.count(of: .commit)
    try await body()
    return store.count(of: .commit) - before
  }

  /// A step that only passes its input on.
  private func pass(_ name: String) -> Step<String, String> {
    Step(name) { (input: String, _: StepContext) in input }
  }

  /// A step that is held at the gate, and can be undone.
  private func held(_ name: String) -> Flow<String, String> {
    Step(name) { [gate, log] in
      Scripted(backUp: { log.add("undo \($0.step.name)") }) { input, context in
        log.add(context.step.name)
        await gate.pass()
        return input
      }
    }.flow
  }

  private func history(_ id: FlowID = "f") async throws -> [String] {
    try await store.history(of: id, after: 0, limit: 1_000).map { "\($0.what)\($0.step.map { " \($0.name)" } ?? "")" }
  }

  @Test(
    "an answer whose step is followed by one that asks takes two commits: the answer, then the move and the question")
  func answer() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { Asker() }
        Step("b") { Asker() }
        Step("c") { Asker() }
      })
    let first = try await commits {
      try await flows.start(id: "f", with: "-")
      _ = try await host.flow("f").settled()
      await host.isQuiet()
    }
    #expect(first == 2)
    for _ in 0..<2 {
      let next = try await commits {
        try await host.answerNext("f", "\"x\"")
        await host.isQuiet()
      }
      #expect(next == 2)
    }
    let last = try await commits {
      try await host.answerNext("f", "\"x\"")
      await host.isQuiet()
    }
    #expect(last == 2, "the answer, then the end")
  }

  @Test("a chain of steps that ask nothing takes one commit, with the question after it", arguments: [1, 10, 100])
  func chain(_ count: Int) async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        for number in 0..<count { pass("s\(number)") }
        Step("ask") { Asker() }
      })
    let number = try await commits {
      try await flows.start(id: "f", with: "-")
      _ = try await host.flow("f").settled()
      await host.isQuiet()
    }
    #expect(number == 2, "the start, then the rest")
    #expect(try await history().count == count + 3)
  }

  @Test("branches that ask nothing and their join take one commit, with the end of the flow")
  func branches() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        Parallel {
          pass("l")
          pass("r")
        } join: { left, right in
          left + right
        }
      })
    store.plan { [clock] call in
      if call.operation == .commit { clock.advance(by: .milliseconds(1)) }
      return nil
    }
    let number = try await commits {
      try await flows.start(id: "f", with: "-")
      _ = try await host.flow("f").settled()
      await host.isQuiet()
    }
    let entries = try await host.flow("f").history()
    #expect(number == 2, "\(entries.map { "\($0.what) \($0.at)" })")
    #expect(entries.last?.what == "finished")
  }

  @Test("a step that is entered durably is in the store when its code runs, and what came before as well")
  func durableEntry() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        pass("a")
        held("b").durableEntry()
      })
    try await flows.start(id: "f", with: "-")
    await gate.reached()
    #expect(try await history() == ["launched", "moved a", "moved b"])
    #expect(try await host.flow("f").view().steps == ["f/b"])
    gate.open()
    #expect(try await host.flow("f").settled().status == .finished)
  }

  @Test("a move of a step that goes on working is stored after 100 milliseconds, with its own time")
  func atMost() async throws {
    let host = host()
    let flows = try await host.register(Flow<String, String>("f") { held("a") })
    let events = host.flow("f").events
    try await flows.start(id: "f", with: "-")
    await gate.reached()
    let moved = clock.now
    #expect(try await history() == ["launched"])
    var iterator = events.makeAsyncIterator()
    _ = await iterator.next()
    #expect(await iterator.next()?.change.summaryOfMove == "a", "in this process the move is seen at once")
    #expect(clock.sleepers == 0, "a commit that is held back is nothing that a test waits for")
    var limit = PollLimit(turns: 100_000)
    while try await history().count == 1, limit.allowsAnother() {
      clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    let entries = try await store.history(of: "f", after: 1, limit: 10)
    #expect(entries.map(\.what) == ["moved"])
    #expect(entries.first?.at == moved)
    gate.open()
    #expect(try await host.flow("f").settled().status == .finished)
  }

  @Test("an effect's intent is stored with every move before it")
  func once() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        pass("a")
        Step("b") { [self] (input: String, context: StepContext) in
          try await context.once("effect") { _ in log.add(try await history().joined(separator: ", ")) }
          return input
        }
      })
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    #expect(log.all == ["launched, moved a, moved b"])
  }

  @Test("moves between two requests name neither of the callers")
  func nobody() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { Asker() }
        held("b")
      })
    try await flows.start(id: "f", with: "-", by: Principal(id: "ann"))
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    try await host.flow("f").answer(question, with: "1", by: Principal(id: "bob"))
    await gate.reached()
    try await host.flow("f").send(1, to: Signal<Int>("s"), key: "1", by: Principal(id: "eve"))
    let entries = try await host.flow("f").history()
    #expect(entries.map(\.sequence) == Array(1...entries.count))
    #expect(
      entries.suffix(3).map { "\($0.what) \($0.by ?? "-")" } == ["answered bob", "moved -", "sent eve"])
    gate.open()
    #expect(try await host.flow("f").settled().status == .finished)
  }

  @Test("a host that stops stores the moves that wait, even if a step does not return")
  func stopping() async throws {
    let host = host()
    let flows = try await host.register(Flow<String, String>("f") { held("a") })
    try await flows.start(id: "f", with: "-")
    await gate.reached()
    #expect(try await history() == ["launched"])
    let stop = Task { try await host.shutDown() }
    var limit = PollLimit(turns: 100_000)
    while try await history().count == 1, limit.allowsAnother() {
      await Task.yield()
    }
    #expect(try await history() == ["launched", "moved a"])
    gate.open()
    try await stop.value
  }

  @Test("after a crash a move that was not stored has not been: the step is entered again, and undone once")
  func crash() async throws {
    let flow = Flow<String, String>("f") {
      held("a")
      Step("b") { Asker(log) }
    }
    let first = host("first")
    let flows = try await first.register(flow)
    let events = first.flow("f").events
    try await flows.start(id: "f", with: "-")
    await gate.reached()
    await first.die()
    gate.open()
    await first.isQuiet()
    #expect(try await history() == ["launched"])
    var seen: [Int] = []
    for await event in events { seen.append(event.sequence) }
    #expect(seen == [1, 2], "the stream ends, because it has shown what the store does not have")
    let second = host("second")
    try await second.register(flow)
    _ = try await second.flow("f").settled()
    try await second.flow("f").abandon()
    #expect(
      log.all == ["a", "a", "made", "made", "undo b", "undo a"] || log.all == ["a", "a", "made", "undo b", "undo a"])
  }

  @Test("if the store does not take a held move, the streams of its events end, and the flow goes on later")
  func lost() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        pass("a")
        Step("b") { Asker() }
      })
    let events = host.flow("f").events
    store.plan { $0.operation == .commit && $0.numberOfOperation > 1 ? .fail(.unavailable) : nil }
    try await flows.start(id: "f", with: "-")
    var seen: [Int] = []
    for await event in events { seen.append(event.sequence) }
    #expect(seen == [1, 2, 3])
    await host.isQuiet()
    #expect(try await history() == ["launched"])
    store.plan { _ in nil }
    let again = host.flow("f").events
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    #expect(try await history() == ["launched", "moved a", "moved b", "asked b"])
    try await host.flow("f").delete()
    var after: [Int] = []
    for await event in again { after.append(event.sequence) }
    #expect(after == [2, 3, 4])
  }

  @Test("a change that cannot be stored suspends the flow with the moves before it")
  func suspended() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        pass("a")
        pass("b")
        Parallel {
          pass("l")
          pass("r")
        } join: { left, right in
          (left, right)
        }
        .carrying { _, both in both.0 + both.1 }
        Step("d") { Asker() }
      })
    try await flows.start(id: "f", with: "-")
    let view = try await host.flow("f").settled()
    #expect(view.status == .suspended && view.stack == ["f/parallel", "f/b", "f/a"])
    await host.isQuiet()
    let entries = try await host.flow("f").history()
    #expect(entries.map(\.sequence) == Array(1...entries.count))
    #expect(entries.last?.what == "suspended")
  }

  @Test("a back after a move that waits undoes the step that was entered")
  func back() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { Asker() }
        held("b")
      })
    try await flows.start(id: "f", with: "-")
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    try await host.flow("f").answer(question, with: "1")
    await gate.reached()
    let back = Task { try await host.flow("f").backUp() }
    var limit = PollLimit(turns: 100_000)
    while try await history().last != "leaving b", limit.allowsAnother() {
      await Task.yield()
    }
    gate.open()
    _ = try await back.value
    #expect(log.all == ["b", "undo b"])
    #expect(try await host.flow("f").settled().questions.map(\.step) == ["f/a"])
  }
}

extension Change {
  /// The name of the step that a move leads to.
  fileprivate var summaryOfMove: String? {
    if case .moved(_, let to) = self { to.step.name } else { nil }
  }
}
