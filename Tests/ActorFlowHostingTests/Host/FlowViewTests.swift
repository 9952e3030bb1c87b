import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The position, the branches and the output that the view of a stored flow shows, without its definition.
@Suite("Views of hosted flows", .timeLimit(.minutes(15))) struct FlowViewTests {
  private let store = MemoryFlowStore()
  private static let paid = Signal<String>("paid")

  private static func ask(_ name: String) -> Step<String, String> {
    Step(name) { (input: String, context: StepContext) in input + (try await context.ask(Form(text: name))) }
  }

  private static let trip = Flow<String, String>("trip") {
    ask("name")
    Parallel {
      Flow<String, String>("stay") {
        ask("hotel")
        ask("room")
      }
      Step("ticket") { (input: String, context: StepContext) in input + (try await context.wait(for: paid)) }
    } join: {
      $0 + $1
    }
    ask("check")
  }

  /// The flow as a host shows it that knows no definition.
  private func view() async throws -> FlowView { try await FlowHost(store: store).flow("t").view() }

  @Test("a view tells whether a back has a target, which branches are open with which steps, and what each waits for")
  func branches() async throws {
    let host = FlowHost(store: store)
    try await host.register(Self.trip).start(id: "t", with: "-")
    _ = try await host.flow("t").settled()
    #expect(try await !view().canBackUp)
    try await host.answerNext("t", "\"ann\"")
    let forked = try await view()
    #expect(forked.canBackUp && forked.waits.map(\.step.name) == ["ticket"])
    #expect(forked.branches.map { $0.stack.map(\.step.name) } == [["hotel"], ["ticket"]])
    #expect(forked.branches.map(\.canBackUp) == [false, false])
    try await host.answerNext("t", "\"inn\"")
    let second = try await view()
    #expect(second.branches.map { $0.stack.map(\.step.name) } == [["room", "hotel"], ["ticket"]])
    #expect(second.branches.map(\.canBackUp) == [true, false] && second.branches.map(\.hasEnded) == [false, false])
    try await host.flow("t").send("yes", to: Self.paid, key: "1")
    _ = try await host.flow("t").settled()
    #expect(try await view().branches.map(\.hasEnded) == [false, true])
    try await host.answerNext("t", "\"12\"")
    let joined = try await view()
    #expect(joined.branches.isEmpty && joined.canBackUp && joined.output == nil)
  }

  @Test("a suspended flow offers no back, because it refuses one; after the retry it does")
  func suspended() async throws {
    let fails = Lock(true)
    let host = FlowHost(store: store)
    let flow = Flow<String, String>("f") {
      Self.ask("name")
      Step("send") { (input: String) in
        if fails.withLock({ $0 }) { throw Boom() }
        return input
      }
      Self.ask("check")
    }
    try await host.register(flow).start(id: "t", with: "-")
    try await host.answerNext("t", "\"ann\"")
    #expect(try await host.flow("t").settled().status == .suspended)
    #expect(try await !view().canBackUp)
    let refusal = await #expect(throws: FlowError.self) { try await host.flow("t").backUp() }
    #expect(refusal?.code == .suspended)
    fails.withLock { $0 = false }
    try await host.flow("t").retry()
    _ = try await host.flow("t").settled()
    #expect(try await view().canBackUp)
  }

  @Test("questions and signals are listed in the order in which branches asked, in events, views and after a restart")
  func order() async throws {
    let (first, second) = (Signal<String>("first"), Signal<String>("second"))
    let flow = Flow<String, String>("pair") {
      Parallel {
        Step("late") { (_: String, context: StepContext) in
          _ = try await context.wait(for: first)
          _ = try await context.ask(Form(text: "late"))
          return try await context.wait(for: second)
        }
        Step("early") { (_: String, context: StepContext) in
          _ = try await context.ask(Form(text: "early"))
          return try await context.wait(for: first)
        }
      } join: {
        $0 + $1
      }
    }
    // A flow that is made anew shows in its events only what its steps have asked again.
    var options = FlowHost.Options()
    options.keepHot = .seconds(60)
    let host = try FlowHost(store: store, clock: ManualWallClock(), options: options)
    try await host.register(flow).start(id: "t", with: "-")
    _ = try await host.flow("t").settled()
    var events = host.flow("t").events.makeAsyncIterator()
    try await host.flow("t").send("yes", to: first, key: "1")
    let settled = try await host.flow("t").settled()
    #expect(settled.questions.map(\.step.name) == ["early", "late"])
    var shown: [Question.ID] = []
    while shown.count < 2 { shown = try #require(await events.next()).position.questions.map(\.id) }
    #expect(settled.questions.map(\.id) == shown)
    #expect(try await view().questions.map(\.id) == shown)

    // Both branches wait now, and again the second branch was the first.
    for question in settled.questions {
      try await host.flow("t").answer(question.id, with: "\"x\"")
      _ = try await host.flow("t").settled()
    }
    #expect(try await host.flow("t").settled().signals == ["first", "second"])
    #expect(try await view().waits.map(\.signal) == ["first", "second"])

    try await host.shutDown()
    let other = FlowHost(store: store)
    try await other.register(flow)
    #expect(try await other.flow("t").settled().signals == ["first", "second"])
  }

  @Test("a diagram marks the position of a stored flow as it marks that of the same flow in memory")
  func diagram() async throws {
    let (host, coordinator) = (FlowHost(store: store), FlowCoordinator(id: "t"))
    try await host.register(Self.trip).start(id: "t", with: "-")
    let running = Task { try await coordinator.run(Self.trip, with: "-") }
    var drawn: Set<String> = []
    for answer in ["ann", "inn", "12"] {
      let position = try await coordinator.settled()
      let view = try await host.flow("t").settled()
      #expect(Self.trip.diagram(.mermaid, of: view) == Self.trip.diagram(.mermaid, of: position))
      drawn.insert(Self.trip.diagram(.dot, of: view))
      try await coordinator.answer(Form.self, with: answer)
      try await host.answerNext("t", "\"\(answer)\"")
    }
    #expect(drawn.count == 3)
    try await coordinator.abandon()
    try await host.flow("t").abandon()
    #expect(
      try await Self.trip.diagram(.mermaid, of: host.flow("t").view())
        == Self.trip.diagram(.mermaid, of: await coordinator.position))
    _ = await running.result
  }

  @Test("the output of a finished flow is JSON; one without content, and an open flow, have none")
  func output() async throws {
    let host = FlowHost(store: store)
    let sums = try await host.register(
      Flow<[Int], [String: Int]>("sum") { Step("add") { (input: [Int]) in ["sum": input.reduce(0, +)] } })
    let empty = try await host.register(Flow<String, Void>("empty") { Step("done") { (_: String) in } })
    try await sums.start(id: "t", with: [1, 2, 3])
    try await empty.start(id: "e", with: "")
    #expect(try await host.flow("t").settled().output == Array(#"{"sum":6}"#.utf8))
    let ended = try await host.flow("e").settled()
    #expect(ended.status == .finished && ended.output == nil)
  }

  @Test("a question has its prompt's qualified name; in a flow of format 5 the unqualified one", arguments: [5, 6])
  func prompts(_ format: Int) async throws {
    var options = FlowHost.Options()
    options.writesFormat = format
    let host = try FlowHost(store: store, options: options)
    let flow = Flow<String, String>("f") {
      Step("a") { (_: String, context: StepContext) in try await context.ask(Form(text: "1"), key: "first") }
      Self.ask("b")
    }
    try await host.register(flow).start(id: "t", with: "-")
    let name = format == 5 ? "Form" : "ActorFlowHostingTests.Form"
    for _ in 1...2 {
      let question = try #require(try await host.flow("t").settled().questions.first)
      #expect(question.prompt == name && question.shows(Form.self) && !question.shows(OtherForm.self))
      #expect(try await host.tasks(TaskQuery(prompt: name)).tasks.map(\.flow) == ["t"])
      try await host.answerNext("t", "\"x\"")
    }
  }

  struct OtherForm: Prompt, Codable { typealias Answer = String }
}
