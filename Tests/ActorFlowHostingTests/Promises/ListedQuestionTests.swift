import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The list of open questions with their prompts.
@Suite("Inboxes with prompts", .timeLimit(.minutes(15))) struct ListedQuestionTests {
  private let codec = PersonCodec()
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>

  init() { store = FaultyStore(MemoryFlowStore(clock: clock)) }

  private func host(
    _ access: (@Sendable (FlowHost.Verb, Principal?, FlowSummary?) async throws -> Void)? = nil
  ) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.codec = codec
    options.access = access
    let host = try FlowHost(store: store, clock: clock, options: options)
    let flow = Flow<String, String>("pair") {
      Parallel {
        Step("a") { (text: String, context: StepContext) in try await context.ask(Form(text: "a \(text)")) }
        Step("b") { (text: String, context: StepContext) in try await context.ask(Form(text: "b \(text)")) }
      } join: {
        $0 + $1
      }
    }
    return (host, try await host.register(flow))
  }

  /// Starts a flow for each person, and waits until it asks.
  private func start(_ people: [String], _ host: FlowHost, _ flows: RegisteredFlow<String, String>) async throws {
    for person in people {
      try await flows.start(id: FlowID(person), with: person, labels: ["customer": person])
      _ = try await host.flow(FlowID(person), by: Principal(id: person)).settled()
    }
    await host.isQuiet()
  }

  /// The prompts of a list, with the error in place of one that is not shown. Those of one flow are sorted: its branches
  /// ask in any order.
  private func texts(_ page: QuestionPage) -> [String] {
    let flows = page.questions.map(\.flow).reduce(into: [FlowID]()) { if $0.last != $1 { $0.append($1) } }
    return flows.flatMap { flow in texts(page.questions.filter { $0.flow == flow }).sorted() }
  }

  private func texts(_ questions: [ListedQuestion]) -> [String] {
    questions.map { entry in
      do { return try entry.question.get().prompt(as: Form.self).text } catch let error as FlowError {
        return "\(entry.flow): \(error.code)"
      } catch let error as FlowStoreError {
        return "\(entry.flow): \(error.code)"
      } catch {
        return "\(entry.flow): \(error)"
      }
    }
  }

  @Test("each question comes with its prompt, flow by flow, and each flow of a page is read once")
  func prompts() async throws {
    let (host, flows) = try await host()
    try await start(["ann", "bob"], host, flows)
    let before = store.calls.count
    #expect(texts(try await host.questions()) == ["a ann", "b ann", "a bob", "b bob"])
    #expect(store.calls.dropFirst(before).map(\.operation) == [.tasks, .load, .load])
    let first = try await host.questions(limit: 3)
    let rest = texts(try await host.questions(after: first.cursor))
    #expect(texts(first).prefix(2) == ["a ann", "b ann"])
    #expect((texts(first).dropFirst(2) + rest).sorted() == ["a bob", "b bob"] && rest.count == 1)
    #expect(first.questions.allSatisfy { $0.definition == "pair" && $0.labels == ["customer": $0.flow.description] })
    #expect(try await host.questions(TaskQuery(assignees: ["ann"])).questions.isEmpty)
  }

  @Test("a flow that the principal may not see, and one whose key was erased, do not end the list")
  func refused() async throws {
    let (host, flows) = try await host { verb, principal, flow in
      guard case .look = verb, flow?.labels["customer"] == "bob", principal?.id != "bob" else { return }
      throw Refused()
    }
    try await start(["ann", "bob", "eve"], host, flows)
    #expect(codec.erase("ann") != nil)
    let words = ["ann: erased", "ann: erased", "bob: Refused()", "bob: Refused()", "a eve", "b eve"]
    #expect(texts(try await host.questions(by: Principal(id: "eve"))) == words)
    let own = ["ann: erased", "ann: erased", "a bob", "b bob", "a eve", "b eve"]
    #expect(texts(try await host.questions(by: Principal(id: "bob"))) == own)
  }

  @Test("a flow that cannot be read has the store's error in the list; an outage ends the list")
  func unreadable() async throws {
    let (host, flows) = try await host()
    try await start(["ann", "bob"], host, flows)
    let damage = FlowStoreError(.corrupted, "a damaged row")
    store.plan { $0.operation == .load && $0.id == "ann" ? .fail(damage) : nil }
    #expect(texts(try await host.questions()) == ["ann: corrupted", "ann: corrupted", "a bob", "b bob"])
    store.plan { $0.operation == .load ? .fail(FlowStoreError(.unavailable, "no connection")) : nil }
    let error = await #expect(throws: FlowStoreError.self) { try await host.questions() }
    #expect(error?.code == .unavailable)
  }

  @Test("a question that is closed between the index and its flow is left out, and so is a deleted flow's")
  func closed() async throws {
    let (host, flows) = try await host()
    try await start(["ann", "bob", "eve"], host, flows)
    let gate = Gate()
    store.plan { $0.operation == .tasks ? .holdReply(until: { await gate.pass() }) : nil }
    async let page = host.questions()
    await gate.reached()
    let question = try #require(try await host.flow("ann").view().questions.first { $0.step.name == "a" })
    try await host.flow("ann").answer(question.id, with: "yes")
    _ = try await host.flow("ann").settled()
    try await host.flow("bob").delete()
    await host.isQuiet()
    let before = store.count(of: .load)
    gate.open()
    #expect(texts(try await page) == ["b ann", "a eve", "b eve"])
    // A deleted flow is read once, too, whatever the number of its questions was.
    #expect(store.count(of: .load) == before + 3)
  }

  @Test("a question that is assigned to others meanwhile is on no page of the former people, shown or not")
  func reassigned() async throws {
    let isOpen = Variable(true)
    let (host, _) = try await host { verb, _, _ in if case .look = verb, !isOpen.value { throw Refused() } }
    let flow = Flow<String, String>("vote") {
      Step("vote") { (text: String, context: StepContext) in
        try await context.ask(Ballot(text: text, assignees: ["ann"]))
      }
    }
    try await host.register(flow).start(id: "v", with: "hats")
    let question = try #require(try await host.flow("v").settled().questions.first?.id)
    await host.isQuiet()
    let query = TaskQuery(assignees: ["ann"])
    #expect(try await host.questions(query).questions.map(\.task.assignees) == [["ann"]])
    for opens in [true, false] {
      isOpen.value = true
      try await host.flow("v").reassign(question, to: ["ann"])
      await host.isQuiet()
      let gate = Gate()
      store.plan { $0.operation == .tasks ? .holdReply(until: { await gate.pass() }) : nil }
      async let page = host.questions(query)
      await gate.reached()
      try await host.flow("v").reassign(question, to: ["bob"])
      await host.isQuiet()
      isOpen.value = opens
      gate.open()
      #expect(try await page.questions.isEmpty)
      store.plan { _ in nil }
    }
    let bobs = try await host.questions(TaskQuery(assignees: ["bob"])).questions
    #expect(bobs.map(\.task.assignees) == [["bob"]] && bobs.map(\.flow) == ["v"])
  }

  @Test("questions of several flows come in the order of the query, and each flow is read once")
  func ordered() async throws {
    let (host, flows) = try await host()
    try await start(["ann", "bob"], host, flows)
    clock.advance(by: .seconds(1))
    try await host.answerFirst("ann")
    let asked = try await host.questions(TaskQuery(order: .asked)).questions.map(\.flow)
    #expect(asked == ["ann", "bob", "bob"])
    let before = store.count(of: .load)
    _ = try await host.questions(TaskQuery(order: .asked))
    #expect(store.count(of: .load) == before + 2)
  }

  @Test("a list that its caller does not wait for any more throws, also if the guard throws something else")
  func cancelled() async throws {
    let gate = Gate()
    let (host, flows) = try await host { verb, principal, _ in
      guard case .look = verb, principal != nil else { return }
      await gate.pass()
      throw Refused()
    }
    try await flows.start(id: "ann", with: "ann")
    _ = try await host.flow("ann").settled()
    let page = Task { try await host.questions(by: Principal(id: "eve")) }
    await gate.reached()
    page.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await page.value }
  }
}

private struct Ballot: ReassignablePrompt, Codable {
  typealias Answer = String
  static let promptName = "Ballot"
  var text: String
  var assignees: [String]
}

extension FlowHost {
  /// Answers the first open question of a flow.
  fileprivate func answerFirst(_ id: FlowID) async throws {
    let question = try #require(try await flow(id).settled().questions.first?.id)
    try await flow(id).answer(question, with: "yes")
    _ = try await flow(id).settled()
    await isQuiet()
  }
}
