import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Answers to questions that are not asked again, or that another principal has answered.
@Suite("Answers without effect", .timeLimit(.minutes(15))) struct HostAnswerTests {
  private let store = MemoryFlowStore()
  private let log = Log()

  private func asked(_ host: FlowHost) async throws -> Question.ID {
    let id = try #require(try await host.flow("f").settled().questions.first?.id)
    await host.isQuiet()
    return id
  }

  @Test("a step fails before it asks again: the answerer is told, and can retry the flow", arguments: 0..<3)
  func failing(_ way: Int) async throws {
    let isDown = Lock(false)
    let flow = Flow<String, String>("f") {
      Step("s") { (_: String, context: StepContext) in
        if isDown.withLock({ $0 }) { throw Boom() }
        return try await context.ask(Form(text: "?"))
      }
    }
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    let question = try await asked(host)
    isDown.withLock { $0 = true }
    let refusal = await code {
      switch way {
      case 0: try await host.flow("f").answer(question, with: "yes")
      case 1: try await host.flow("f").answer(question, json: "\"yes\"".utf8)
      default: try await host.flow("f").answer(Form.self, with: "yes")
      }
    }
    #expect(refusal == .suspended)
    #expect(try await host.flow("f").view().status == .suspended)
    isDown.withLock { $0 = false }
    try await host.flow("f").retry()
    #expect(try await host.flow("f").settled().questions.map(\.id) == [question])
    try await host.flow("f").answer(question, with: "yes")
    _ = try await host.flow("f").settled()
    #expect(try await flows.outcome(of: "f") == .finished("yes"))
  }

  @Test("a step now waits for something else: the answerer is told")
  func changed() async throws {
    let waits = Lock(false)
    let flow = Flow<String, String>("f") {
      Step("s") { (_: String, context: StepContext) in
        if waits.withLock({ $0 }) { _ = try await context.wait(for: Signal<Int>("go")) }
        return try await context.ask(Form(text: "?"))
      }
    }
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    let question = try await asked(host)
    waits.withLock { $0 = true }
    #expect(await code { try await host.flow("f").answer(question, with: "yes") } == .questionClosed)
    try await host.flow("f").send(1, to: Signal<Int>("go"), key: "k")
    try await host.answerNext("f", "\"yes\"")
    #expect(try await flows.outcome(of: "f") == .finished("yes"))
  }

  @Test("a key belongs to its principal: no other principal is told that an answer under it was theirs")
  func principals() async throws {
    let host = FlowHost(store: store)
    let flow = Flow<String, Bool>("f") {
      Step("s") { (_: String, context: StepContext) in
        try await context.ask(Approval(amount: 1, assignees: ["ann"], due: nil)).isApproved
      }
    }
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    let question = try await asked(host)
    let answer = Approval.Answer(isApproved: true)
    try await host.flow("f").answer(question, with: answer, by: Principal(id: "ann"), key: "k")
    try await host.flow("f").answer(question, with: answer, by: Principal(id: "ann"), key: "k")
    #expect(
      await code { try await host.flow("f").answer(question, with: answer, by: Principal(id: "eve"), key: "k") }
        == .keyReused)
  }

  @Test("the history names the step of a branch at which a question was answered")
  func branches() async throws {
    let host = FlowHost(store: store)
    let flow = Flow<String, String>("f") {
      Parallel {
        Step("a") { Asker(log) }
        Step("b") { Asker(log) }
      } join: {
        $0 + $1
      }
    }
    try await host.register(flow).start(id: "f", with: "-")
    for _ in 0..<2 { try await host.answerNext("f", "\"yes\"") }
    let answered = try await host.flow("f").history().filter { $0.what == "answered" }.compactMap(\.step)
    #expect(Set(answered) == ["f/parallel/a", "f/parallel/b"])
  }

  @Test("a listener is told of the end of the flow, of its deletion, and of the end of the host")
  func events() async throws {
    let host = FlowHost(store: store, clock: ManualWallClock())
    let flows = try await host.register(Flow<String, String>("f") { Step("s") { Asker(log) } })
    for id in ["ended", "deleted", "left"] as [FlowID] {
      try await flows.start(id: id, with: "-")
      _ = try await host.flow(id).settled()
    }
    let streams = ["ended", "deleted", "left"].map { host.flow(FlowID($0)).events }
    try await host.flow("ended").answer(Form.self, with: "yes")
    for await _ in streams[0] {}
    try await host.flow("deleted").delete()
    for await _ in streams[1] {}
    let run = Task { try await host.run() }
    run.cancel()
    try await run.value
    for await _ in streams[2] {}
  }
}
