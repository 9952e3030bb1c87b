import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Hosts that share a store in memory, and wake each other. No poll comes: the interval is an hour, and no test moves
/// the clock that far.
@Suite("Flows that another host wants", .timeLimit(.minutes(15))) struct WishTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let gate = Gate()
  private let log = Log()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private let asking = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  /// A flow that asks while a child of its step works.
  private var working: Flow<String, String> {
    Flow("w") {
      Step("a") { [gate, log] (input: String, context: StepContext) in
        async let work: Void = {
          log.add("work")
          await gate.pass()
        }()
        let answer = try await context.ask(Form(text: input))
        await work
        return answer
      }
    }
  }

  private let patient = Flow<String, String>("t") {
    Step("ask") { (input: String, context: StepContext) in
      try await context.ask(Form(text: input), within: .seconds(60)) ?? "nobody"
    }
  }

  /// A flow that passes the gate, and then asks.
  private var gated: Flow<String, String> {
    Flow("g") {
      Step("slow") { [gate] (text: String, _: StepContext) in
        await gate.pass()
        return text
      }
      Step("ask") { Asker() }
    }
  }

  private func host(_ owner: String, keepHot: Duration = .zero) async throws -> FlowHost {
    var options = FlowHost.Options()
    options.keepHot = keepHot
    options.pollInterval = .seconds(3_600)
    let host = try FlowHost(store: store, clock: clock, owner: owner, options: options)
    try await host.register(asking)
    for flow in [working, gated, patient] { try await host.register(flow) }
    return host
  }

  /// Runs two hosts until `body` has returned.
  private func running(
    keepHot: Duration = .zero, _ body: (_ first: FlowHost, _ second: FlowHost) async throws -> Void
  ) async throws {
    let hosts = [try await host("first", keepHot: keepHot), try await host("second", keepHot: keepHot)]
    let runs = hosts.map { host in Task { try await host.run() } }
    // A poll and a beat of each host.
    try await clock.waitForSleepers(4)
    try await body(hosts[0], hosts[1])
    gate.open()
    for run in runs {
      run.cancel()
      try await run.value
    }
  }

  private func start(_ id: FlowID, of definition: String, at host: FlowHost) async throws {
    let found = try #require(await host.definitions[definition]?[1])
    try await RegisteredFlow<String, String>(host: host, definition: found).start(id: id, with: "-")
    _ = try await host.flow(id).settled()
  }

  @Test("a flow that one host keeps hot is answered at the other, which then keeps it")
  func hot() async throws {
    try await running(keepHot: .seconds(3_600)) { first, second in
      try await start("x", of: "f", at: first)
      #expect(store.state.withLock { $0.leases["x"]?.owner } == "first")
      try await second.answerNext("x", "\"1\"")
      #expect(store.state.withLock { $0.leases["x"]?.owner } == "second")
      #expect(try await second.flow("x").view().steps == ["f/b"])
    }
  }

  @Test("an operator's note and completion reach a flow that another host keeps hot")
  func operated() async throws {
    try await running(keepHot: .seconds(3_600)) { first, second in
      try await start("x", of: "f", at: first)
      try await second.flow("x").complete("a", output: "\"1\"".utf8)
      #expect(try await second.flow("x").settled().steps == ["f/b"])
      #expect(store.state.withLock { $0.leases["x"]?.owner } == "second")
      let note = Task { try await first.flow("x").note("here") }
      // The second host keeps the flow for 100 milliseconds after its turn.
      while try await store.history(of: "x", after: 0, limit: 100).last?.detail != "here" {
        clock.advance(by: .milliseconds(10))
        await Task.yield()
      }
      _ = try await note.value
      #expect(try await second.flow("x").history().last?.detail == "here")
      try await second.answerNext("x", "\"2\"")
      #expect(try await first.flow("x").view().status == .finished)
    }
  }

  @Test("a flow whose step works beside an open question is yielded after a second, and the work begins again there")
  func busy() async throws {
    try await running { first, second in
      try await start("x", of: "w", at: first)
      let answer = Task { try await second.answerNext("x", "\"yes\"") }
      // The request waits for the flow, and the first host for a second.
      try await clock.waitForSleepers(6)
      clock.advance(by: .milliseconds(900))
      #expect(await first.live["x"] != nil)
      clock.advance(by: .milliseconds(100))
      gate.open()
      #expect(try await answer.value.status == .finished)
      #expect(log.all == ["work", "work"])
    }
  }

  @Test("a request for a flow that is not yielded throws leased after the request time, and says when to come again")
  func notYielded() async throws {
    let first = try await host("first")
    let epoch = try await store.attach(owner: "stuck", for: .seconds(3_600))
    try await start("x", of: "f", at: first)
    await first.isQuiet()
    _ = try await store.acquire("x", under: epoch)
    let answer = Task { try await first.flow("x").answer(Form.self, with: "1") }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: FlowStoreError.self) { try await answer.value }
    #expect(error?.code == .leased && error?.retryAfter == .seconds(1))
    try await store.detach(epoch)
    #expect(try await first.flow("x").answer(Form.self, with: "1").revision > Revision(1))
  }

  @Test("a runnable flow whose host is gone is taken up by another without a poll, as soon as its epoch ends")
  func runnable() async throws {
    try await running { _, _ in
      let third = try await host("third")
      let found = try #require(await third.definitions["g"]?[1])
      try await RegisteredFlow<String, String>(host: third, definition: found).start(id: "x", with: "-")
      await gate.reached(1)
      await third.die()
      _ = try await store.attach(owner: "third", for: .seconds(60))
      gate.open()
      while try await store.load("x")?.snapshot.status != .waiting { await Task.yield() }
    }
  }

  @Test("a timer that another host has set fires without a poll")
  func timer() async throws {
    try await running { _, _ in
      let third = try await host("third")
      try await start("x", of: "t", at: third)
      await third.isQuiet()
      // The running hosts sleep until the timer.
      while clock.sleepers < 4 { await Task.yield() }
      clock.advance(by: .seconds(60))
      while try await store.load("x")?.snapshot.status != .finished {
        clock.advance(by: .milliseconds(1))
        await Task.yield()
      }
    }
  }

  @Test("two hosts that ask for a flow in turn both get it, and no answer is lost or doubled")
  func turns() async throws {
    try await running(keepHot: .seconds(3_600)) { first, second in
      try await start("x", of: "f", at: first)
      let signal = Signal<Int>("s")
      for turn in 0..<10 {
        let sending = Task {
          try await (turn % 2 == 0 ? second : first).flow("x").send(turn, to: signal, key: "\(turn)")
        }
        // The former host keeps the flow for 100 milliseconds after its turn.
        while store.state.withLock({ $0.leases["x"]?.owner }) != (turn % 2 == 0 ? "second" : "first") {
          clock.advance(by: .milliseconds(10))
          await Task.yield()
        }
        #expect(try await sending.value == .accepted)
      }
      #expect(try await first.stored("x").1.machine.signals.buffer.count == 10)
    }
  }
}
