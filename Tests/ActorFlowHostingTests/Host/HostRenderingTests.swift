import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Hosted rendered steps", .timeLimit(.minutes(15))) struct HostRenderingTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private func host(effectTime: Duration = .zero) throws -> FlowHost {
    var options = FlowHost.Options()
    options.effectTime = effectTime
    return try FlowHost(store: store, clock: clock, options: options)
  }

  private func shopping(_ prices: Prices = .unknown) -> Flow<String, String> {
    Flow("shopping") {
      Step("basket") { (_: String) in Basket(prices: prices) }
      Step("pay") { (basket: String, context: StepContext) in
        if try await context.ask(Form(text: basket)) == "no" { try await context.backUp() }
        return basket
      }
    }
  }

  /// Returns the basket's rendering from the store.
  private func shown(_ host: FlowHost) async throws -> Basket.View {
    let question = try #require(try await host.flow("s").settled().questions.first)
    return try question.prompt(as: Basket.View.self)
  }

  private func act(_ host: FlowHost, _ action: Basket.Action) async throws {
    _ = try await host.flow("s").settled()
    try await host.flow("s").answer(Basket.View.self, with: action)
    _ = try await host.flow("s").settled()
    await host.isQuiet()
  }

  @Test("the state of a rendered step is restored whenever its flow is activated, by any host")
  func remembers() async throws {
    let first = try host()
    try await first.register(shopping()).start(id: "s", with: "")
    try await act(first, .add("tea"))
    try await act(first, .add("milk"))
    let second = try host()
    let flows = try await second.register(shopping())
    try await act(second, .more("tea"))
    #expect(try await shown(second) == Basket.View(lines: ["tea x2", "milk x1"], price: 0))
    let question = try #require(try await second.flow("s").view().questions.first)
    #expect(question.revision == 4, "the question is the same one, and each change is counted")
    try await second.flow("s").answer(question.id, json: #"{"more":{"_0":"milk"}}"#.utf8, revision: 4)
    try await act(second, .done)
    try await second.flow("s").answer(Form.self, with: "yes")
    #expect(try await second.flow("s").settled().status == .finished)
    #expect(try await flows.outcome(of: "s") == .finished("tea x2, milk x2"))
  }

  @Test("a back that lands on a passivated rendered step finds the step's state as it was left")
  func back() async throws {
    let host = try host()
    let flows = try await host.register(shopping())
    try await flows.start(id: "s", with: "")
    try await act(host, .add("tea"))
    try await act(host, .done)
    await host.isQuiet()
    try await host.flow("s").answer(Form.self, with: "no")
    #expect(try await shown(host).lines == ["tea x1"])
    try await act(host, .more("tea"))
    try await act(host, .done)
    try await host.flow("s").answer(Form.self, with: "yes")
    #expect(try await host.flow("s").settled().status == .finished)
    #expect(try await flows.outcome(of: "s") == .finished("tea x2"))
  }

  @Test("an action without a change uses up its key as well: a later repetition is not applied")
  func unchangedKey() async throws {
    let host = try host()
    try await host.register(shopping()).start(id: "s", with: "")
    let question = try #require(try await host.flow("s").settled().questions.first?.id)
    try await host.flow("s").answer(question, with: Basket.Action.price(0), key: "reset")
    try await host.flow("s").answer(question, with: Basket.Action.price(5), key: "raise")
    try await host.flow("s").answer(question, with: Basket.Action.price(0), key: "reset")
    #expect(try await shown(host).price == 5)
  }

  @Test("after a crash at any commit, a step that has made its output continues at another host")
  func goesOn() async throws {
    for commits in 1... {
      let store = MemoryFlowStore(clock: clock)
      let first = FlowHost(store: store, clock: clock)
      try await first.register(shopping()).start(id: "s", with: "")
      let question = try #require(try await first.flow("s").settled().questions.first)
      await first.isQuiet()
      let crashingStore = FaultyStore(store) { call in
        guard call.operation == .commit, call.numberOfOperation > commits else { return nil }
        return .fail(FlowStoreError(.unavailable, "the host is dead"))
      }
      let second = FlowHost(store: crashingStore, clock: clock)
      try await second.register(shopping())
      try await second.flow("s").answer(question.id, with: Basket.Action.done)
      await second.isQuiet()
      let isWhole = crashingStore.count(of: .commit) <= commits
      let third = FlowHost(store: store, clock: clock)
      try await third.register(shopping())
      #expect(try await third.catchUp().isEmpty)
      let tasks = try await store.tasks(TaskQuery(), after: nil, limit: 10).tasks
      #expect(tasks.map(\.task.prompt) == [Form.promptName])
      if isWhole { break }
    }
  }

  @Test("a refused answer changes nothing")
  func refused() async throws {
    let host = try host()
    try await host.register(shopping()).start(id: "s", with: "")
    try await act(host, .add("tea"))
    await #expect(throws: Refused.self) { try await host.flow("s").answer(Basket.View.self, with: .add("")) }
    #expect(await code { try await host.answerNext("s", #"{"add":{"_0":7}}"#) } == .wrongAnswerType)
    #expect(try await shown(host).lines == ["tea x1"])
  }

  @Test("an effect gets the time it needs, and its result is stored")
  func effects() async throws {
    let gate = Gate()
    let host = try host(effectTime: .seconds(10))
    try await host.register(shopping(.come(gate))).start(id: "s", with: "")
    #expect(try await shown(host).price == 0)
    await gate.reached(1)
    gate.open()
    // No time passes: the flow is passivated when its effect has ended.
    await host.isQuiet()
    #expect(try await shown(host).price == 3)
  }

  @Test("an output that makes no action is stored as nothing but the child's own change, by every host")
  func ignoredOutput() async throws {
    let gate = Gate()
    gate.open()
    let flow = Flow("deaf") { Step("deaf") { (_: String) in Deaf(gate: gate) } }
    let first = try host(effectTime: .seconds(10))
    try await first.register(flow).start(id: "s", with: "")
    await gate.reached(1)
    await first.isQuiet()
    let rung = try #require(try await first.flow("s").view().questions.first)
    #expect(try rung.prompt(as: Deaf.View.self).rings == 1)
    #expect(rung.revision == 2, "the quiet ring has rendered nothing")
    // The step's own state has no action in it, whoever activates the flow.
    let second = try host(effectTime: .seconds(10))
    let flows = try await second.register(flow)
    try await second.flow("s").answer(rung.id, with: Deaf.View.Answer.leave)
    #expect(try await second.flow("s").settled().status == .finished)
    #expect(try await flows.outcome(of: "s") == .finished("after 1"))
  }

  @Test("an endless effect is cut off after its time limit, and starts again when the flow is activated")
  func endless() async throws {
    let gate = Gate()
    gate.open()
    let host = try host(effectTime: .seconds(10))
    try await host.register(shopping(.goOn(gate))).start(id: "s", with: "")
    _ = try await host.flow("s").settled()
    for time in 1...2 {
      await gate.reached(time)
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(10))
      await host.isQuiet()
      #expect(try await shown(host).price == time)
      try await host.flow("s").answer(Basket.View.self, with: .add("tea \(time)"))
    }
    await gate.reached(3)
    #expect(try await shown(host).lines == ["tea 1 x1", "tea 2 x1"])
  }

  @Test("a state that cannot be stored is refused at registration; that of a child at its first rendering")
  func unstorable() async throws {
    let host = try host()
    let error = await #expect(throws: FlowError.self) {
      try await host.register(
        Flow<String, Void>("f") { Step("opaque") { (_: String) in Opaque() } })
    }
    #expect(error?.message.contains("f/opaque: the state Secret cannot be stored; make it Codable") == true)
    let outer = Flow<String, Void>("g") { Step("outer") { (_: String) in Outer() } }
    try await host.register(outer).start(id: "g", with: "")
    let view = try await host.flow("g").settled()
    #expect(view.status == .suspended)
    #expect(view.failure?.contains("the state of Outer, Opaque 1, of type Secret, cannot be stored") == true)
  }

  @Test("children with equal names and keys whose types cannot be told apart are refused")
  func ambiguous() async throws {
    let host = try host()
    try await host.register(Flow<String, Void>("t") { Step("twins") { (_: String) in Twins() } })
      .start(id: "t", with: "")
    let view = try await host.flow("t").settled()
    #expect(view.failure?.contains("two children at Twins, Child 1 have types with the same name") == true)
  }
}
