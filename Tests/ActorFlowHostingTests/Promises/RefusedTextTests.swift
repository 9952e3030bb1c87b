import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Texts that identify nothing or belong to the host, and errors that say what to do instead.
@Suite("Texts that are refused, and errors about ids", .timeLimit(.minutes(15))) struct RefusedTextTests {
  private let store = MemoryFlowStore()
  private let asking = Flow<String, String>("f") { Step("ask") { Asker() } }

  private func error(_ body: () async throws -> some Any) async -> FlowError? {
    do { _ = try await body() } catch { return error as? FlowError }
    return nil
  }

  @Test("a flow with an empty id, or with the label that belongs to the host, is not started")
  func starts() async throws {
    let flows = try await FlowHost(store: store).register(asking)
    let empty = await error { try await flows.start(id: "", with: "") }
    #expect(empty?.code == .notStorable && empty?.message.contains("id is empty") == true)
    let label = await error { try await flows.start(id: "x", with: "", labels: ["actorflow.definition": "mine"]) }
    #expect(label?.code == .notStorable && label?.message.contains("reserved for the host") == true)
    #expect(try await store.list(FlowQuery(), after: nil, limit: 1).flows.isEmpty)
  }

  @Test("a step cannot set the label that belongs to the host")
  func label() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("label") { (_: String, context: StepContext) in
          try await context.label("actorflow.definition", "mine")
          return ""
        }
      })
    try await flows.start(id: "x", with: "")
    let view = try await host.flow("x").settled()
    #expect(view.status == .suspended && view.failure?.contains("reserved for the host") == true)
  }

  @Test("a request with an empty key is refused and changes nothing")
  func keys() async throws {
    let host = FlowHost(store: store)
    try await host.register(asking).start(id: "x", with: "")
    let flow = host.flow("x")
    _ = try await flow.settled()
    let answer = await error { try await flow.answer(Form.self, with: "yes", key: "") }
    #expect(answer?.code == .notStorable && answer?.message.contains("key is empty") == true)
    let signal = await error { try await flow.send("yes", to: Signal<String>("s"), key: "") }
    #expect(signal?.code == .notStorable)
    #expect(try await flow.view().questions.count == 1)
  }

  @Test("in memory, a signal with an empty key is refused")
  func signalsInMemory() async throws {
    let coordinator = FlowCoordinator()
    async let output = coordinator.run(asking, with: "")
    _ = try await coordinator.settled()
    let refused = await error { try await coordinator.send("1", to: Signal<String>("s"), key: "") }
    #expect(refused?.code == .notStorable)
    try await coordinator.answer(Form.self, with: "yes")
    #expect(try await output == "yes")
  }

  @Test("an answer to a question that is not open says to wait; one with wrong digits says where the id is")
  func hints() async throws {
    let host = FlowHost(store: store)
    try await host.register(asking).start(id: "x", with: "")
    let early = await error { try await host.flow("x").answer(Approval.self, with: .init(isApproved: true)) }
    #expect(early?.code == .noSuchQuestion && early?.message.contains("settled()") == true)
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    let forged = try #require(Question.ID("x/1/1/~\(String(repeating: "0", count: 32))"))
    #expect(forged.number == question.number)
    let wrong = await error { try await host.flow("x").answer(forged, with: "yes") }
    #expect(wrong?.code == .noSuchQuestion && wrong?.message.contains("secret digits") == true)
  }

  @Test("an id with line breaks or marks of direction stands on one line in errors and logs")
  func quoting() async throws {
    let id: FlowID = "a\nERROR b\u{202E}\u{7}"
    let host = FlowHost(store: store)
    try await host.register(asking)
    let missing = await error { try await host.flow(id).view() }
    #expect(missing.map { "\($0)".contains(#"flow a\u{a}ERROR b\u{202e}\u{7}"#) } == true, "\(missing as Any)")
    let question = try #require(Question.ID("\(id)/1/1"))
    #expect(question.debugDescription == #"a\u{a}ERROR b\u{202e}\u{7}/1/1"# && question.flow == id)
  }

  @Test("ids are made of literals with interpolations")
  func interpolation() {
    let number = 17
    let (flow, step): (FlowID, StepID) = ("order-\(number)", "checkout/\(number)")
    #expect(flow == FlowID("order-17") && step.path == "checkout/17")
  }
}
