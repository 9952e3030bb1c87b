import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Nothing of a request's task reaches the flow, only the request.
@Suite("Isolation of requests", .timeLimit(.minutes(15))) struct RequestLeakTests {
  @TaskLocal private static var request: String?

  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()
  private let reminded = Gate()

  init() { store = MemoryFlowStore(clock: clock) }

  private actor Noting: FlowStep {
    private let log: Log
    private let reminded: Gate

    init(_ log: Log, _ reminded: Gate) { (self.log, self.reminded) = (log, reminded) }

    func proceed(_ input: String, context: StepContext) async throws -> String {
      note("begun")
      let answer = try await context.ask(Form(text: input), key: "first")
      note("answered")
      try await context.once("work") { [self] _ in note("once") }
      _ = try await context.ask(
        Form(text: input), key: "second", within: .seconds(60),
        reminding: .every(.seconds(20), max: 2) { [self] _ in
          note("reminded")
          reminded.mark()
        })
      note("overdue")
      return answer
    }

    func backUp(context: RollbackContext) async { note("undone") }

    private nonisolated func note(_ what: String) { log.add("\(what) \(RequestLeakTests.request ?? "-")") }
  }

  private var flow: Flow<String, String> {
    Flow("f") {
      Step("a") { [log, reminded] in Noting(log, reminded) }
      Step("b") { Asker() }
    }
  }

  @Test("no step, reminder, effect or backUp sees the task-locals of the request or run that activated its flow")
  func taskLocals() async throws {
    let host = FlowHost(store: store, clock: clock)
    let flows = try await Self.$request.withValue("register") { try await host.register(flow) }
    let run = Self.$request.withValue("run") { Task { try await host.run() } }
    try await Self.$request.withValue("start") { try await flows.start(id: "x", with: "-") }
    _ = try await Self.$request.withValue("settled") { try await host.flow("x").settled() }
    await host.isQuiet()
    _ = try await Self.$request.withValue("answer") { try await host.flow("x").answer(Form.self, with: "1") }
    _ = try await host.flow("x").settled()
    for number in 1...2 {
      await host.isQuiet()
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(20))
      await reminded.reached(number)
    }
    await host.isQuiet()
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(20))
    #expect(try await host.flow("x").settled().steps.isEmpty == false)
    while try await host.flow("x").settled().steps != ["f/b"] { await Task.yield() }
    await host.isQuiet()
    _ = try await Self.$request.withValue("abandon") { try await host.flow("x").abandon() }
    run.cancel()
    try await run.value
    #expect(log.all.filter { !$0.hasSuffix(" -") } == [])
    for what in ["begun", "answered", "once", "reminded", "overdue", "undone"] {
      #expect(log.all.contains("\(what) -"))
    }
  }

  @Test("the secret of a question is in its id alone: in no history entry, description, dump or error")
  func secrets() async throws {
    let host = FlowHost(store: store, clock: clock)
    let events = host.flow("x").events
    try await host.register(flow).start(id: "x", with: "-")
    let view = try await host.flow("x").settled()
    let question = try #require(view.questions.first?.id)
    let secret = try #require("\(question)".split(separator: "~").last).description
    #expect(Question.ID("\(question)") == question)
    var texts = [String(reflecting: question), "\(view)", String(reflecting: view)]
    var dumped = ""
    dump(question, to: &dumped)
    texts.append(dumped)
    let forged = try #require(Question.ID("\(question)".replacing("x/1/1", with: "x/1/7")))
    for id in [forged, question] {
      do { try await host.flow(id == question ? "y" : "x").answer(id, with: "1") } catch { texts.append("\(error)") }
    }
    try await host.flow("x").answer(question, with: "1", by: Principal(id: "ann"))
    do { try await host.flow("x").answer(question, with: "2") } catch { texts.append("\(error)") }
    try await host.flow("x").abandon()
    for await event in events { texts += ["\(event)", String(reflecting: event), "\(event.position)"] }
    texts += try await store.history(of: "x", after: 0, limit: 100).map { "\($0)" }
    #expect(texts.count > 15)
    for text in texts { #expect(!text.contains(secret), "\(text)") }
    #expect(texts.contains { $0.contains("x/1/1") })
  }

  @Test("a history that an earlier version has written is shown without secrets")
  func oldHistory() async throws {
    let host = FlowHost(store: store, clock: clock)
    let secret = String(repeating: "0123456789abcdef", count: 2)
    let details = [
      "Form x/1/1/~\(secret)": "Form x/1/1", "Form x/1/1/~\(secret) for ann": "Form x/1/1 for ann",
      "reason /~home": "reason /~home", "~": "~", "a/~\(secret)/~\(secret)/~b": "a/~b",
    ]
    let entries = details.keys.sorted().enumerated().map {
      HistoryEntry(sequence: $0.offset + 1, at: clock.now, what: "asked", detail: $0.element)
    }
    _ = try await store.commit(
      FlowWrite(
        FlowSnapshot(definition: "f", version: 1, status: .waiting), to: "x", expecting: .none, appending: entries))
    #expect(try await host.flow("x").history().map(\.detail) == details.keys.sorted().map { details[$0] })
  }

  @Test(
    "a wrong secret finds no question, whether the flow is in memory or not; a closed question is reported as closed")
  func wrongSecrets() async throws {
    let host = FlowHost(store: store, clock: clock)
    try await host.register(flow).start(id: "x", with: "-")
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    let wrong = try #require(Question.ID("x/1/1/~" + String(repeating: "0", count: 32)))
    let none = try #require(Question.ID("x/1/1"))
    for id in [wrong, none] {
      await host.isQuiet()
      #expect(await code { try await host.flow("x").answer(id, with: "1") } == .noSuchQuestion)
      #expect(await code { try await host.flow("x").answer(id, json: "\"1\"".utf8) } == .noSuchQuestion)
      #expect(await code { try await host.flow("x").backUp(from: id) } == .noSuchQuestion)
    }
    try await host.flow("x").answer(question, with: "1")
    #expect(await code { try await host.flow("x").answer(question, with: "1") } == .questionClosed)
    #expect(await code { try await host.flow("x").answer(none, with: "1") } == .noSuchQuestion)
  }
}
