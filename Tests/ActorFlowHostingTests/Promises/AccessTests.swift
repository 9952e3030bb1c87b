import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The guard of a host, which is asked before each verb and each look.
@Suite("Access", .timeLimit(.minutes(15))) struct AccessTests {
  private typealias Call = @Sendable (HostedFlow, Question.ID) async throws -> Void

  private let ann = Principal(id: "ann")
  private let bob = Principal(id: "bob", roles: ["staff"])
  private let asked = Log()
  private let isOpen = Variable(true)
  private let witness = Witness()
  private let store: FaultyStore<MemoryFlowStore>

  init() { store = FaultyStore(MemoryFlowStore(clock: ManualWallClock())) }

  private func host(
    _ owner: String = "a", _ access: (@Sendable (FlowHost.Verb, Principal?, FlowSummary?) async throws -> Void)? = nil
  ) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.observers = [witness]
    options.access =
      access ?? { [asked, isOpen] verb, principal, flow in
        asked.add("\(verb) \(principal?.id ?? "-") \(flow?.labels.description ?? "-")")
        if !isOpen.value { throw Refused() }
      }
    let host = try FlowHost(store: store, clock: ManualWallClock(), owner: owner, options: options)
    let flow = Flow<String, String>("f") { Step("ask") { Asker() } }
    return (host, try await host.register(flow))
  }

  /// Each verb and each look of a flow, with the words of the guard's question.
  private static let calls: [(String, Call)] = [
    ("request(answer)", { try await $0.answer($1, with: "a") }),
    ("request(answer)", { flow, _ in try await flow.answer(Form.self, with: "a") }),
    ("request(answer)", { try await $0.answer($1, json: "\"a\"".utf8) }),
    ("request(signal)", { flow, _ in _ = try await flow.send("v", to: Signal<String>("s"), key: "1") }),
    ("request(signal)", { flow, _ in _ = try await flow.send(json: "1".utf8, to: "s", key: "1") }),
    ("request(backUp)", { flow, _ in try await flow.backUp() }),
    ("request(abandon)", { flow, _ in try await flow.abandon() }),
    ("request(retry)", { flow, _ in try await flow.retry() }),
    ("request(note)", { flow, _ in try await flow.note("n") }),
    ("request(reassign)", { try await $0.reassign($1, to: ["eve"]) }),
    ("request(complete)", { flow, _ in try await flow.complete("ask", output: "\"o\"".utf8) }),
    ("request(enter)", { flow, _ in try await flow.enter("ask", input: "\"i\"".utf8) }),
    ("request(edit)", { flow, _ in try await flow.edit([.custom { _ in }]) }),
    ("request(compensateAgain)", { flow, _ in try await flow.compensateAgain() }),
    ("request(refresh)", { flow, _ in try await flow.refresh() }),
    ("request(move)", { flow, _ in try await flow.move() }),
    ("export", { flow, _ in _ = try await flow.export() }),
    ("request(redact)", { flow, _ in try await flow.redact() }),
    ("delete", { flow, _ in try await flow.delete() }),
    ("look", { flow, _ in _ = try await flow.view() }),
    ("look", { flow, _ in _ = try await flow.settled() }),
    ("look", { flow, _ in _ = try await flow.history() }),
    ("look", { flow, _ in _ = try await flow.changed(after: .none) }),
    ("look", { flow, _ in for try await _ in flow.news() { break } }),
  ]

  @Test(
    "a verb or look that the guard refuses throws its error, and neither leases nor writes the flow",
    arguments: calls.indices)
  func refused(_ index: Int) async throws {
    let (verb, call) = Self.calls[index]
    let (host, flows) = try await host()
    try await flows.start(id: "f", with: "-", labels: ["customer": "ann"], by: ann)
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    // The flow leaves memory after it has settled, and its lease is given back then.
    await host.isQuiet()
    isOpen.value = false
    let before = (asked.all.count, store.calls.count)
    let stored = try await store.store.load("f")
    await #expect(throws: Refused()) { try await call(host.flow("f", by: ann), question) }
    #expect(Array(asked.all.dropFirst(before.0)) == ["\(verb) ann [\"customer\": \"ann\"]"])
    #expect(store.calls.dropFirst(before.1).allSatisfy { $0.operation == .load })
    #expect(try await store.store.load("f") == stored)
    if verb.hasPrefix("request") {
      #expect(
        witness.events.contains {
          if case .requestEnded(let request, .threw, _) = $0.kind { request.by == "ann" } else { false }
        })
    }
  }

  @Test("an allowed verb or look is asked for once, under the principal of the call before that of the flow")
  func allowed() async throws {
    let (host, flows) = try await host()
    try await flows.start(id: "f", with: "-", labels: ["customer": "ann"], by: ann)
    let question = try #require(try await host.flow("f", by: ann).settled().questions.first?.id)
    try await host.flow("f", by: ann).note("seen")
    try await host.flow("f", by: ann).answer(question, with: "a", by: bob)
    _ = try await host.flow("f", by: bob).settled()
    #expect(try await flows.outcome(of: "f", by: bob) == .finished("-a"))
    _ = try await host.list(by: bob)
    _ = try await host.tasks(by: ann)
    _ = try await host.questions(by: bob)
    let labels = "[\"customer\": \"ann\"]"
    #expect(
      asked.all == [
        "request(start) ann -", "look ann \(labels)", "request(note) ann \(labels)", "request(answer) bob \(labels)",
        "look bob \(labels)", "look bob \(labels)", "list bob -", "list ann -", "list bob -",
      ])
    let history = try await host.flow("f", by: ann).history()
    #expect(history.filter { $0.what == "noted" || $0.what == "answered" }.map(\.by) == ["ann", "bob"])
  }

  @Test("a refused start begins nothing, and a flow that does not exist is shown to the guard as none")
  func missing() async throws {
    let (host, flows) = try await host()
    isOpen.value = false
    await #expect(throws: Refused()) { try await flows.start(id: "f", with: "-", by: ann) }
    await #expect(throws: Refused()) { try await host.start("f", id: "f", json: "\"-\"".utf8, by: ann) }
    await #expect(throws: Refused()) { try await host.flow("f", by: ann).view() }
    await #expect(throws: Refused()) { try await host.list() }
    await #expect(throws: Refused()) { try await host.tasks() }
    await #expect(throws: Refused()) { try await host.questions() }
    await #expect(throws: Refused()) { try await host.count(TaskQuery()) }
    await #expect(throws: Refused()) { try await host.count(FlowQuery()) }
    await #expect(throws: Refused()) { try await host.lastChange() }
    await #expect(throws: Refused()) { for try await _ in host.changes() { break } }
    await #expect(throws: Refused()) { try await flows.outcome(of: "f") }
    #expect(asked.all.prefix(3) == ["request(start) ann -", "request(start) ann -", "look ann -"])
    #expect(try await store.store.load("f") == nil)
    isOpen.value = true
    #expect(await code { try await host.flow("f", by: ann).view() } == .noSuchFlow)
  }

  @Test("a server learns the status of a refusal, whatever the guard throws")
  func statuses() async throws {
    let (host, _) = try await host()
    isOpen.value = false
    let refusal = await #expect(throws: Refusal.self) {
      try await withRefusals { try await host.flow("f", by: ann).view() }
    }
    #expect(refusal?.httpStatus == 403)
  }

  @Test("customers see and answer their own flows only; a late answer shows its page only to who may look")
  func policy() async throws {
    let (host, flows) = try await host { verb, principal, flow in
      if principal?.roles.contains("staff") == true { return }
      switch verb {
      case .request(.answer): break  // the token of the page is right enough
      default: guard let flow, flow.labels["customer"] == principal?.id else { throw Refused() }
      }
    }
    try await flows.start(id: "f", with: "-", labels: ["customer": "ann"], by: bob)
    let view = try await host.flow("f", by: ann).settled()
    let question = try #require(view.questions.first?.id)
    let eve = host.flow("f", by: Principal(id: "eve"))
    await #expect(throws: Refused()) { try await eve.view() }
    try await host.flow("f", by: ann).answer(question, with: "a")
    for (caller, sees) in [(eve, false), (host.flow("f", by: ann), true)] {
      let error = await #expect(throws: FlowError.self) { try await caller.answer(question, with: "b") }
      #expect((error?.page != nil) == sees)
    }
  }

  @Test("a refused request takes a flow from no other host")
  func hosts() async throws {
    let (first, flows) = try await host("a")
    try await flows.start(id: "f", with: "-", by: ann)
    _ = try await first.flow("f").settled()
    // The flow leaves memory after it has settled, and its lease is given back then.
    await first.isQuiet()
    let (second, _) = try await host("b")
    isOpen.value = false
    let before = store.calls.count
    await #expect(throws: Refused()) { try await second.flow("f", by: ann).abandon() }
    #expect(store.calls.dropFirst(before).map(\.operation) == [.load])
  }

  @Test("a bulk verb asks for the list and for each flow, under its principal")
  func bulk() async throws {
    let (host, flows) = try await host()
    for id in ["f", "g"] { try await flows.start(id: FlowID(id), with: "-", labels: ["n": id], by: ann) }
    let known = asked.all.count
    let report = try await host.each(FlowQuery(), by: bob, atOnce: 1) { try await $0.abandon(reason: "closed") }
    #expect(report.done == ["f", "g"])
    #expect(
      asked.all.dropFirst(known) == [
        "list bob -", "request(abandon) bob [\"n\": \"f\"]", "request(abandon) bob [\"n\": \"g\"]",
      ])
  }

  @Test("news asks before each page, so a reader whose right ends reads no further")
  func news() async throws {
    let (host, flows) = try await host()
    try await flows.start(id: "f", with: "-", by: ann)
    _ = try await host.flow("f").settled()
    var news = host.flow("f", by: ann).news().makeAsyncIterator()
    var seen = 0
    let count = try await host.flow("f").history().count
    while seen < count, try await news.next() != nil { seen += 1 }
    isOpen.value = false
    await #expect(throws: Refused()) { try await news.next() }
  }
}
