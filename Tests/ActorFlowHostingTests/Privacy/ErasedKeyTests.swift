import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Flows whose key was erased: nothing of them can be read, and no host tries it again and again.
@Suite("Flows whose key was erased", .timeLimit(.minutes(15))) struct ErasedKeyTests {
  private let clock = ManualWallClock()
  private let codec = PersonCodec()
  private let store: MemoryFlowStore

  init() { store = MemoryFlowStore(clock: clock) }

  private func host(_ edit: (inout FlowHost.Options) -> Void = { _ in }) throws -> FlowHost {
    var options = FlowHost.Options()
    options.codec = codec
    edit(&options)
    return try FlowHost(store: store, clock: clock, options: options)
  }

  private let timed = Flow<String, String>("timed") {
    Step("a") { (text: String, context: StepContext) in
      try await context.ask(Form(text: text), within: .seconds(60)) ?? "late"
    }
  }

  /// Starts a flow of a person that waits for an answer, with a timer.
  private func start(
    _ id: FlowID, of person: String, _ flows: RegisteredFlow<String, String>, on host: FlowHost
  ) async throws {
    try await flows.start(id: id, with: "-", labels: ["customer": person])
    _ = try await host.flow(id).settled()
    await host.isQuiet()
  }

  @Test("a flow that is due is found to be erased once, and no poll reads it again")
  func claimedOnce() async throws {
    let witness = Witness()
    let first = try host()
    try await start("f", of: "ann", first.register(timed), on: first)
    let key = codec.erase("ann")
    #expect(key != nil)
    clock.advance(by: .seconds(61))
    let host = try host { $0.observers = [witness] }
    try await host.register(timed)
    let refused = try await host.catchUp()
    #expect((refused["f"] as? FlowError)?.code == .erased)
    #expect(witness.words(of: "f").contains("erased"))
    #expect(try await store.load("f")?.snapshot.status == .erased)
    let decodings = codec.decodings
    for _ in 0..<3 {
      clock.advance(by: .seconds(60))
      #expect(try await host.catchUp().isEmpty)
      #expect(try await host.claimWork().activated.isEmpty)
    }
    #expect(codec.decodings == decodings)
    #expect(try await host.backlog() == FlowHost.Backlog(erased: 1))
    #expect(try await host.tasks().tasks.isEmpty)
    #expect(try await host.list(FlowQuery(status: [.erased])).flows.map(\.id) == ["f"])
    // Registering another version reads it no more, and makes it nothing else.
    try await host.register(
      Flow<String, String>("timed") { Step("b") { Asker() } }, version: 2, from: 1)
    #expect(try await store.load("f")?.snapshot.status == .erased)
  }

  @Test("a request to a flow in memory whose key was erased is refused, and stores that at once")
  func refusedInMemory() async throws {
    let host = try host { $0.keepHot = .seconds(3_600) }
    try await host.register(timed).start(id: "f", with: "-", labels: ["customer": "ann"])
    _ = try await host.flow("f").settled()
    #expect(codec.erase("ann") != nil)
    #expect(await code { try await host.flow("f").note("seen") } == .erased)
    #expect(try await store.load("f")?.snapshot.status == .erased)
    #expect(try await host.tasks().tasks.isEmpty)
    #expect(try await host.backlog() == FlowHost.Backlog(erased: 1))
    #expect(try await host.flow("f").settled().status == .erased)
  }

  private struct Guarded: Prompt, Codable {
    typealias Answer = String
    static let promptName = "Guarded"
    func validate(_ answer: String) throws { throw ErasedKey() }
  }

  @Test("a guard that meets the erased key of other data refuses its answer only")
  func guarded() async throws {
    let host = try host { $0.keepHot = .seconds(3_600) }
    let flow = Flow<String, String>("guarded") {
      Step("a") { (_: String, context: StepContext) in try await context.ask(Guarded()) }
    }
    try await host.register(flow).start(id: "f", with: "-", labels: ["customer": "ann"])
    _ = try await host.flow("f").settled()
    await #expect(throws: ErasedKey.self) { try await host.flow("f").answer(Guarded.self, with: "y") }
    #expect(try await host.flow("f").settled().status == .waiting)
  }

  @Test("an edit of a flow in memory whose key was erased is refused, and stores that at once")
  func editedInMemory() async throws {
    let host = try host { $0.keepHot = .seconds(3_600) }
    try await host.register(timed).start(id: "f", with: "-", labels: ["customer": "ann"])
    _ = try await host.flow("f").settled()
    #expect(codec.erase("ann") != nil)
    #expect(await code { try await host.flow("f").edit([.custom { _ in }]) } == .erased)
    #expect(try await store.load("f")?.snapshot.status == .erased)
  }

  @Test("a caller that waits for a flow learns that its key was erased while a step worked")
  func whileWorking() async throws {
    let (gate, host) = (Gate(), try host())
    let flow = Flow<String, String>("works") {
      Step("a") { (_: String, context: StepContext) in
        try await context.once("work") { _ in
          await gate.pass()
          return "done"
        }
      }
    }
    try await host.register(flow).start(id: "f", with: "-", labels: ["customer": "ann"])
    await gate.reached()
    let waiting = Task { try await host.flow("f").settled() }
    #expect(codec.erase("ann") != nil)
    gate.open()
    #expect(try await waiting.value.status == .erased)
  }

  @Test("a view shows what the row says, requests are refused, and the plan counts it apart")
  func seen() async throws {
    let host = try host()
    let known = try await host.register(timed)
    try await start("f", of: "ann", known, on: host)
    try await start("g", of: "bob", known, on: host)
    let question = try await host.flow("f").view().questions[0].id
    let began = try await host.flow("f").view().startedAt
    clock.advance(by: .seconds(1))
    _ = codec.erase("ann")
    let view = try await host.flow("f").view()
    #expect(view.status == .erased && view.questions.isEmpty && view.startedAt == began && !view.canBackUp)
    #expect(view.labels == ["customer": "ann"] && view.failure?.contains("erased") == true)
    #expect(view.steps == ["timed/a"])
    let plan = try await host.plan()
    #expect(plan.erased == 1 && plan.counts.unmigrated == 0 && plan.counts.stay == 1)
    #expect(plan.description.contains("are erased"))
    // Looking writes nothing.
    #expect(try await store.load("f")?.snapshot.status == .waiting)
    let history = try await host.flow("f").history()
    #expect(history.map(\.what).last == "asked" && history.allSatisfy { $0.detail == nil && $0.step != "" })
    #expect(await code { try await host.flow("f").answer(question, with: "x") } == .erased)
    #expect(try await store.load("f")?.snapshot.status == .erased)
    #expect(await code { try await host.flow("f").abandon() } == .erased)
    #expect(await code { try await host.flow("f").settled() } == nil)
    let flows = try await host.register(timed, version: 3)
    #expect(await code { try await flows.start(id: "f", with: "-", labels: ["customer": "ann"]) } == .erased)
    #expect(await code { try await flows.outcome(of: "f") } == .erased)
    try await host.answerNext("g", #""1""#)
    #expect(try await flows.outcome(of: "g") == .finished("1"))
    try await host.flow("f").delete()
    #expect(await code { try await host.flow("f").view() } == .noSuchFlow)
  }

  @Test("the news of a flow whose key is erased are its facts, and end with them, also for a reader who waits for more")
  func news() async throws {
    let host = try host()
    try await start("f", of: "ann", host.register(timed), on: host)
    let facts = try await host.flow("f").history().map(\.what)
    let seen = Log()
    let gate = Gate()
    let reader = Task {
      for try await entry in host.flow("f").news() {
        seen.add(entry.what)
        if seen.all.count == facts.count { await gate.pass() }
      }
    }
    await gate.reached()
    _ = codec.erase("ann")
    gate.open()
    try await reader.value
    #expect(seen.all == facts)
    for try await entry in host.flow("f").news() {
      #expect(entry.detail == nil)
      seen.add(entry.what)
    }
    #expect(seen.all == facts + facts)
    for try await _ in host.flow("f").news(after: facts.count) { Issue.record("there is nothing more") }
  }

  @Test("an unmigrated flow whose key was erased is erased, and not unmigrated, when a definition is registered")
  func unmigrated() async throws {
    let host = try host()
    let known = try await host.register(timed)
    try await start("f", of: "ann", known, on: host)
    let other = try self.host()
    try await other.register(Flow<String, String>("timed") { Step("b") { Asker() } }, version: 2, from: 1)
    #expect(await code { try await other.flow("f").abandon() } == .unmigrated)
    _ = codec.erase("ann")
    try await self.host().register(timed, version: 3, from: 1)
    #expect(try await store.load("f")?.snapshot.status == .erased)
  }

  @Test("a key that comes back lets the flow go on")
  func restored() async throws {
    let host = try host()
    let known = try await host.register(timed)
    try await start("f", of: "ann", known, on: host)
    let key = try #require(codec.erase("ann"))
    #expect(await code { try await host.flow("f").abandon() } == .erased)
    codec.restore(key, of: "ann")
    #expect(try await host.flow("f").view().status == .runnable)
    try await host.answerNext("f", #""1""#)
    let history = try await host.flow("f").history()
    #expect(history.map(\.sequence) == Array(1...history.count) && history.last?.what == "finished")
  }

  @Test("a key that is erased while the flow is in memory: its request is refused, and the next one finds it erased")
  func inMemory() async throws {
    let host = try host { $0.keepHot = .seconds(1_000) }
    try await host.register(timed).start(id: "f", with: "-", labels: ["customer": "ann"])
    let question = try await host.flow("f").settled().questions[0].id
    _ = codec.erase("ann")
    #expect(await code { try await host.flow("f").answer(question, with: "x") } == .erased)
    try await host.shutDown()
    let next = try self.host()
    try await next.register(timed)
    #expect(await code { try await next.flow("f").answer(question, with: "x") } == .erased)
    #expect(try await store.load("f")?.snapshot.status == .erased)
  }

  @Test("retention and purge remove an ended flow whose key was erased, as its row says")
  func purged() async throws {
    let host = try host()
    let known = try await host.register(timed)
    try await start("f", of: "ann", known, on: host)
    try await host.answerNext("f", #""1""#)
    await host.isQuiet()
    try await start("open", of: "ann", known, on: host)
    _ = codec.erase("ann")
    #expect(try await host.flow("f").view().status == .erased)
    clock.advance(by: .seconds(10))
    let report = try await host.purge(endedBefore: clock.now)
    #expect(report.purged == ["f"] && report.kept.isEmpty)
    #expect(try await store.load("open") != nil)
  }

  @Test("while hosts of an earlier version share the store, the row keeps its status")
  func olderFormat() async throws {
    let host = try host { $0.writesFormat = 8 }
    try await host.register(timed).start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    struct Gone: BodyCodec {
      func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw ErasedKey() }
      func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw ErasedKey() }
    }
    var options = FlowHost.Options()
    (options.writesFormat, options.codec) = (8, Gone())
    let other = try FlowHost(store: store, clock: clock, options: options)
    try await other.register(timed)
    #expect(await code { try await other.flow("f").abandon() } == .erased)
    #expect(try await store.load("f")?.snapshot.status == .waiting)
    options.writesFormat = 9
    let newer = try FlowHost(store: store, clock: clock, options: options)
    try await newer.register(timed)
    #expect(await code { try await newer.flow("f").abandon() } == .erased)
    #expect(try await store.load("f")?.snapshot.status == .erased)
  }
}
