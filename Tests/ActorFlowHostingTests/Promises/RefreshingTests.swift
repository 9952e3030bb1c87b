import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Questions that an operator has asked again, with the prompts of today.
@Suite("Refreshed questions", .timeLimit(.minutes(15))) struct RefreshingTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let price = Variable("10")
  private let gate = Gate()
  private let log = Log()
  private let ann = Principal(id: "ann")

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// Asks twice for the price of the day.
  private var flow: Flow<String, String> {
    Flow("f") { [price, log] in
      Step("order") { (input: String, context: StepContext) in
        try await context.once("count") { _ in log.add("counted") }
        let first = try await context.ask(Form(text: "\(input)1 at \(price.value)"), key: "first")
        let today = price.value
        guard today != "gone" else { return first }
        return first + (try await context.ask(Form(text: "\(input)2 at \(today)"), key: "second"))
      }
    }
  }

  /// A branch that asks for the price, and one that works at a gate.
  private var fork: Flow<String, String> {
    Flow("f") { [price, gate, log] in
      Parallel {
        Step<String, String>("x") { (_, context) in
          try await context.ask(Form(text: "at \(price.value)"))
        }
        Step<String, String>("y") { (_, _) in
          log.add("works")
          // Works until it is cancelled the first time.
          await withTaskCancellationHandler {
            await gate.pass()
          } onCancel: {
            gate.open()
          }
          return "!"
        }
      } join: {
        $0 + $1
      }
    }
  }

  /// - Parameter keepHot: The time for which the flow stays in memory.
  private func started(
    _ flow: Flow<String, String>, keepHot: Duration = .zero, as id: FlowID = "x"
  ) async throws -> HostedFlow {
    var options = FlowHost.Options()
    options.keepHot = keepHot
    let host = try FlowHost(store: store, clock: clock, options: options)
    try await host.register(flow).start(id: id, with: "-")
    return host.flow(id)
  }

  private func shown(_ view: FlowView) throws -> [String] {
    try view.questions.map { "\(try $0.prompt(as: Form.self).text) \($0.revision)" }
  }

  @Test("an open question shows today's prompt under its id, in memory or not, and the history says who and why")
  func shownToday() async throws {
    for keepHot in [Duration.zero, .seconds(60)] {
      price.value = "10"
      let flow = try await started(self.flow, keepHot: keepHot, as: "x-\(keepHot)")
      let before = try await flow.settled()
      #expect(try shown(before) == ["-1 at 10 1"])
      price.value = "12"
      let refreshed = try await flow.refresh(reason: "new prices", by: ann, key: "1")
      #expect(try shown(refreshed) == ["-1 at 12 2"] && refreshed.questions.map(\.id) == before.questions.map(\.id))
      // The same request once more, and another one while nothing has changed.
      #expect(try await shown(flow.refresh(reason: "new prices", by: ann, key: "1")) == ["-1 at 12 2"])
      #expect(await code { try await flow.refresh(reason: "other", by: ann, key: "1") } == .keyReused)
      #expect(try await shown(flow.refresh()) == ["-1 at 12 2"])
      let entries = try await flow.history().map { "\($0.what) \($0.by ?? "-") \($0.detail ?? "-")" }
      #expect(entries.filter { $0.hasPrefix("refreshed") } == ["refreshed ann new prices", "refreshed - -"])
      #expect(entries.count { $0.hasPrefix("updated") } == 1)
      #expect(
        await code { try await flow.answer(before.questions[0].id, with: "y", revision: 1) } == .staleRevision)
      try await flow.answer(before.questions[0].id, with: "y", revision: 2)
      #expect(try await shown(flow.settled()) == ["-2 at 12 1"])
    }
    #expect(log.all.count == 2, "records stay")
  }

  @Test("answers stay, and only the question after them is asked again; one that is not asked any more is withdrawn")
  func answered() async throws {
    let flow = try await started(self.flow)
    _ = try await flow.settled()
    try await flow.answer(Form.self, with: "a")
    let second = try #require(try await flow.settled().questions.first)
    price.value = "12"
    #expect(try await shown(flow.refresh()) == ["-2 at 12 2"])
    price.value = "gone"
    try await flow.refresh()
    let view = try await flow.settled()
    #expect(view.status == .finished && view.output == Array("\"a\"".utf8))
    #expect(try await flow.history().contains { $0.what == "withdrawn" && $0.detail == second.id.debugDescription })
  }

  @Test("a step at work in a branch beside the question begins again, and both branches are joined")
  func branch() async throws {
    let flow = try await started(fork)
    await gate.reached()
    var view = try await flow.view()
    while view.questions.isEmpty { view = try #require(try await flow.changed(after: view.revision)) }
    price.value = "12"
    #expect(try await shown(flow.refresh()) == ["at 12 2"])
    try await flow.answer(Form.self, with: "y")
    #expect(try await flow.settled().output == Array("\"y!\"".utf8))
    #expect(log.all == ["works", "works"])
  }

  @Test("a flow without an open question, a suspended and an ended one are refused, and nothing is written")
  func refusals() async throws {
    let failing = Flow<String, String>("f") { [gate] in
      Step("work") { (input: String, _: StepContext) in
        await gate.pass()
        return input
      }
      Step<String, String>("fail") { (_, context) in
        _ = try await context.ask(Form(text: "?"))
        throw Boom()
      }
    }
    let flow = try await started(failing)
    await gate.reached()
    #expect(await code { try await flow.refresh() } == .notActive)
    gate.open()
    _ = try await flow.settled()
    try await flow.answer(Form.self, with: "a")
    let suspended = try await flow.settled()
    #expect(await code { try await flow.refresh() } == .suspended)
    #expect(await code { try await flow.refresh(reason: "a\0") } == .notStorable)
    #expect(await code { try await flow.refresh(reason: String(repeating: "a", count: 1_025)) } == .tooLarge)
    #expect(try await flow.view().revision == suspended.revision)
    try await flow.abandon()
    #expect(await code { try await flow.refresh() } == .flowEnded)
    #expect(await code { try await flow.host.flow("y").refresh() } == .noSuchFlow)
  }

  @Test("a question that an operator has assigned to others keeps these people")
  func reassigned() async throws {
    let text = price
    let flow = try await started(
      Flow("f") {
        Step("vote") { (_: String, context: StepContext) in
          try await context.ask(Ballot(text: text.value, assignees: ["ann"]))
        }
      })
    let question = try #require(try await flow.settled().questions.first)
    try await flow.reassign(question.id, to: ["bob"])
    price.value = "12"
    let shown = try #require(try await flow.refresh().questions.first)
    #expect(shown.assignees == ["bob"] && shown.revision == 3)
    #expect(try shown.prompt(as: Ballot.self) == Ballot(text: "12", assignees: ["bob"]))
  }

  @Test("a host refreshes a flow that another host has in memory")
  func twoHosts() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.settle()
      try await tester.addHost("B")
      let question = try await tester.on("tester") { try await tester.question(Form.self, of: "f").id }
      price.value = "12"
      for name in ["B", "tester"] {
        try await tester.on(name) { try await tester.host.flow("f").refresh(key: "1") }
        try await tester.settle()
      }
      let shown = try await tester.question(Form.self, of: "f")
      #expect(shown.id == question && shown.prompt.text == "-1 at 12")
      #expect(try await tester.history(of: "f").count { $0.what == "refreshed" } == 1)
    }
  }
}

private struct Ballot: ReassignablePrompt, Codable, Equatable {
  typealias Answer = String
  static let promptName = "Ballot"
  var text: String
  var assignees: [String]
}
