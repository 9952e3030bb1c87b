import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

private struct Vote: AssignedPrompt, ReassignablePrompt, Codable {
  typealias Answer = String
  static let promptName = "Vote"
  var text: String
  var assignees: [String]
  var due: Date? { nil }

  func authorize(_ principal: Principal) throws {
    guard assignees.contains(where: { $0 == principal.id }) else { throw Refused() }
  }
}

@Suite("Questions that an operator assigns to others", .timeLimit(.minutes(15))) struct ReassignmentTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let more = Signal<String>("more")
  private let cleo = Principal(id: "cleo")

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// Asks ann, and updates the question for each signal.
  private var flow: Flow<String, String> {
    Flow("f") { [more] in
      Step("vote") { (input: String, context: StepContext) in
        try await withThrowingTaskGroup(of: String?.self) { group in
          group.addTask { try await context.ask(Vote(text: input, assignees: ["ann"])) }
          group.addTask {
            var text = input
            while true {
              text += try await context.wait(for: more)
              try await context.update(Vote(text: text, assignees: ["ann"]))
            }
          }
          defer { group.cancelAll() }
          return try await group.next()?.flatMap { $0 } ?? "-"
        }
      }
      Step("again") { (_: String, context: StepContext) in
        try await context.ask(Vote(text: "again", assignees: ["ann"]))
      }
    }
  }

  private func host(writing format: Int? = nil) async throws -> FlowHost {
    var options = FlowHost.Options()
    options.writesFormat = format
    let host = try FlowHost(store: store, clock: clock, options: options)
    try await host.register(flow)
    return host
  }

  private func started(writing format: Int? = nil) async throws -> (host: FlowHost, question: StoredQuestion) {
    let host = try await host(writing: format)
    let found = try #require(await host.definitions["f"]?[1])
    try await RegisteredFlow<String, String>(host: host, definition: found).start(id: "x", with: "-")
    return (host, try #require(try await host.flow("x").settled().questions.first))
  }

  private func inbox(_ person: String, _ host: FlowHost) async throws -> [String] {
    try await host.tasks(TaskQuery(assignees: [person])).tasks.map { "\($0.flow) \($0.task.assignees)" }
  }

  @Test("the new person is in the inbox and in the view, is admitted, and the former one is not")
  func admitted() async throws {
    let (host, question) = try await started()
    let flow = host.flow("x")
    for _ in 0..<2 {
      try await flow.reassign(question.id, to: ["bob", "eve"], reason: "on holiday", by: cleo, key: "1")
    }
    #expect(await code { try await flow.reassign(question.id, to: ["bob"], by: cleo, key: "1") } == .keyReused)
    let shown = try #require(try await flow.settled().questions.first)
    #expect(shown.id == question.id && shown.revision == 2 && shown.assignees == ["bob", "eve"])
    #expect(try shown.prompt(as: Vote.self).assignees == ["bob", "eve"])
    #expect(try await inbox("ann", host) == [])
    #expect(try await inbox("eve", host) == ["x [\"bob\", \"eve\"]"])
    let entry = try #require(try await flow.history().last { $0.what == "reassigned" })
    #expect(entry.by == "cleo" && entry.detail?.hasSuffix(" for bob, eve: on holiday") == true)
    #expect(await code { try await flow.answer(question.id, with: "y", by: cleo, revision: 1) } == .staleRevision)
    await #expect(throws: Refused()) { try await flow.answer(question.id, with: "y", by: Principal(id: "ann")) }
    try await flow.answer(question.id, with: "y", by: Principal(id: "eve"))
    let next = try #require(try await flow.settled().questions.first)
    #expect(next.assignees == ["ann"], "a later question has the people of its own prompt")
  }

  @Test("an update of the question, another host and another assignment keep the latest people")
  func kept() async throws {
    let (host, question) = try await started()
    try await host.flow("x").reassign(question.id, to: ["bob"], by: cleo)
    try await host.flow("x").send("!", to: more, key: "1")
    _ = try await host.flow("x").settled()
    try await host.emptied()
    let other = try await self.host()
    try await other.flow("x").send("!", to: more, key: "2")
    // The step updates its question after the signal has arrived.
    var view = try await other.flow("x").settled()
    while try view.questions.first?.prompt(as: Vote.self).text != "-!!" {
      view = try #require(try await other.flow("x").changed(after: view.revision))
    }
    let shown = try #require(view.questions.first)
    #expect(shown.assignees == ["bob"] && shown.id == question.id)
    try await other.flow("x").reassign(question.id, to: ["zoe"], by: cleo)
    #expect(try await inbox("zoe", other).count == 1)
    #expect(try await inbox("bob", other) == [])
    try await other.flow("x").answer(question.id, with: "y", by: Principal(id: "zoe"))
    #expect(await code { try await other.flow("x").reassign(question.id, to: ["bob"]) } == .questionClosed)
  }

  @Test("of two operators who assign from the same page the second one undoes nothing; a repetition is no second one")
  func together() async throws {
    let (host, question) = try await started()
    let flow = host.flow("x", by: cleo)
    try await flow.reassign(question.id, to: ["bob"], revision: question.revision, key: "1")
    let error = await #expect(throws: FlowError.self) {
      try await flow.reassign(question.id, to: ["zoe"], revision: question.revision, key: "2")
    }
    #expect(error?.code == .staleRevision && error?.page?.questions.first?.assignees == ["bob"])
    try await flow.reassign(question.id, to: ["bob"], revision: question.revision, key: "1")
    #expect(try await flow.view().questions.first?.assignees == ["bob"])
  }

  @Test("nobody, a name that cannot be stored, and a prompt that cannot be assigned are refused, and nothing changes")
  func refusals() async throws {
    let (host, question) = try await started()
    let flow = host.flow("x")
    #expect(await code { try await flow.reassign(question.id, to: []) } == .notStorable)
    #expect(await code { try await flow.reassign(question.id, to: ["a\0"]) } == .notStorable)
    #expect(await code { try await flow.reassign(question.id, to: [String(repeating: "a", count: 513)]) } == .tooLarge)
    let reason = String(repeating: "a", count: 1_025)
    #expect(await code { try await flow.reassign(question.id, to: ["bob"], reason: reason) } == .tooLarge)
    let after = try await flow.settled()
    #expect(after.questions.first?.revision == 1 && after.questions.first?.assignees == ["ann"])
    try await flow.abandon()
    #expect(await code { try await flow.reassign(question.id, to: ["bob"]) } == .flowEnded)
    let plain = Flow<String, String>("p") { Step("ask") { Asker() } }
    try await host.register(plain).start(id: "p", with: "-")
    let form = try #require(try await host.flow("p").settled().questions.first)
    #expect(await code { try await host.flow("p").reassign(form.id, to: ["bob"]) } == .wrongPromptType)
    #expect(try await host.flow("p").settled().questions.first?.revision == 1)
  }

  @Test("a flow of an earlier format cannot hold an assignment: the error names the option, and nothing changes")
  func earlierFormat() async throws {
    let (host, question) = try await started(writing: 7)
    let error = await #expect(throws: FlowError.self) { try await host.flow("x").reassign(question.id, to: ["bob"]) }
    #expect(error?.code == .notStorable && error?.message.contains("`writesFormat` to 8") == true)
    #expect(try await host.flow("x").settled().questions.first?.assignees == ["ann"])
    try await host.emptied()
    let raised = try await self.host(writing: 8)
    try await raised.flow("x").reassign(question.id, to: ["bob"])
    #expect(try await inbox("bob", raised).count == 1)
  }

  // MARK: - Branches, suspended flows, several hosts

  /// Two branches that ask ann. The second one's step first waits for a signal and fails, if it is not whole.
  private func fork(_ isWhole: Variable<Bool>? = nil) -> Flow<String, String> {
    Flow("f") { [more] in
      Parallel {
        Step<String, String>("x") { (_, context) in
          try await context.ask(Vote(text: "x", assignees: ["ann"]))
        }
        Step<String, String>("y") { (_, context) in
          if let isWhole {
            _ = try await context.wait(for: more)
            guard isWhole.value else { throw Boom() }
          }
          return try await context.ask(Vote(text: "y", assignees: ["ann"]))
        }
      } join: {
        $0 + $1
      }
    }
  }

  private func started(_ flow: Flow<String, String>) async throws -> HostedFlow {
    let host = FlowHost(store: store, clock: clock)
    try await host.register(flow).start(id: "x", with: "-")
    return host.flow("x")
  }

  @Test("the question of a branch is assigned alone, and the branch beside it keeps its people")
  func branch() async throws {
    let flow = try await started(fork())
    let questions = try await flow.settled().questions
    let first = try #require(questions.first { $0.step.name == "x" })
    let second = try #require(questions.first { $0.step.name == "y" })
    try await flow.reassign(first.id, to: ["bob"], by: cleo)
    try await flow.host.emptied()
    #expect(try await inbox("bob", flow.host) == ["x [\"bob\"]"])
    #expect(try await inbox("ann", flow.host) == ["x [\"ann\"]"])
    await #expect(throws: Refused()) { try await flow.answer(first.id, with: "1", by: Principal(id: "ann")) }
    await #expect(throws: Refused()) { try await flow.answer(second.id, with: "2", by: Principal(id: "bob")) }
    try await flow.answer(second.id, with: "2", by: Principal(id: "ann"))
    try await flow.answer(first.id, with: "1", by: Principal(id: "bob"))
    #expect(try await flow.settled().output == Array("\"12\"".utf8))
  }

  @Test("a question of a suspended flow is not assigned: nothing changes, and it can be when the flow goes on")
  func suspended() async throws {
    let isWhole = Variable(false)
    let flow = try await started(fork(isWhole))
    let question = try #require(try await flow.settled().questions.first { $0.step.name == "x" })
    try await flow.send("!", to: more, key: "1")
    let before = try await flow.settled()
    #expect(before.status == .suspended)
    #expect(await code { try await flow.reassign(question.id, to: ["bob"]) } == .suspended)
    #expect(try await flow.view().revision == before.revision)
    isWhole.value = true
    try await flow.retry()
    #expect(try await flow.settled().questions.first { $0.id == question.id }?.assignees == ["ann"])
    try await flow.reassign(question.id, to: ["bob"])
    #expect(try await inbox("bob", flow.host) == ["x [\"bob\"]"])
  }

  @Test("a host assigns a question that another host has open, once for each key, and both admit the new person only")
  func twoHosts() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(fork()).start(id: "f", with: "-")
      try await tester.settle()
      try await tester.addHost("B")
      let view = try await tester.on("tester") { try await tester.view(of: "f") }
      let question = try #require(view.questions.first { $0.step.name == "x" })
      for name in ["B", "tester", "B"] {
        try await tester.on(name) {
          try await tester.host.flow("f").reassign(question.id, to: ["bob"], by: cleo, key: "1")
        }
        try await tester.settle()
      }
      for name in ["tester", "B"] {
        try await tester.on(name) {
          let shown = try #require(try await tester.view(of: "f").questions.first { $0.id == question.id })
          #expect(shown.assignees == ["bob"] && shown.revision == 2)
          let host = tester.host
          await #expect(throws: Refused()) {
            try await host.flow("f").answer(question.id, with: "1", by: Principal(id: "ann"))
          }
        }
        try await tester.settle()
      }
      try await tester.on("tester") {
        try await tester.host.flow("f").answer(question.id, with: "1", by: Principal(id: "bob"))
      }
      try await tester.settle()
      #expect(try await tester.view(of: "f").questions.map(\.step.name) == ["y"])
    }
  }
}
