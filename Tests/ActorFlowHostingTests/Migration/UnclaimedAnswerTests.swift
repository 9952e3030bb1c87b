import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Answers that nobody asks for any more", .timeLimit(.minutes(15))) struct UnclaimedAnswerTests {
  private let store = MemoryFlowStore()

  private struct NameForm: Prompt, Codable {
    typealias Answer = String
    static let promptName = "NameForm"
  }
  private struct PersonForm: Prompt, Codable {
    typealias Answer = String
    static let promptName = "PersonForm"
  }

  /// A flow of one step with this code.
  private func flow(_ proceed: @escaping @Sendable (StepContext) async throws -> String) -> Flow<String, String> {
    Flow("kyc") { Step("name") { (_: String, context: StepContext) in try await proceed(context) } }
  }

  private var first: Flow<String, String> {
    flow { try await $0.ask(NameForm()) + "," + $0.ask(Form(text: "more")) }
  }

  /// The prompt has another name.
  private var renamed: Flow<String, String> {
    flow { try await $0.ask(PersonForm()) + "," + $0.ask(Form(text: "more")) }
  }

  /// A flow that has got its first answer, and whose second question is open or not.
  private func fill(_ flow: Flow<String, String>, answering answers: [String] = ["\"Ada\""]) async throws {
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "k", with: "")
    for answer in answers { try await host.answerNext("k", answer) }
    await host.isQuiet()
  }

  private func events(_ host: FlowHost) async throws -> [String] { try await host.flow("k").history().map(\.what) }

  @Test("the renamed prompt in the next process: unmigrated, nothing is asked, and the answer is kept")
  func renamedPrompt() async throws {
    try await fill(first)
    let host = FlowHost(store: store)
    let before = try await events(host)
    try await host.register(renamed)
    let question = try #require(try await host.flow("k").view().questions.first)
    let error = await #expect(throws: FlowError.self) {
      try await host.flow("k").answer(question.id, json: #""yes""#.utf8)
    }
    #expect(error?.code == .unmigrated && error?.step == "kyc/name")
    let message = try #require(error?.message)
    #expect(message.contains("\"NameForm\"") && message.contains("\"PersonForm\""), "\(message)")
    #expect(message.contains("Move.forgetAnswer(of: \"kyc/name\", key: \"NameForm\")"), "\(message)")
    #expect(!message.contains("Ada"))
    await host.isQuiet()
    let view = try await host.flow("k").view()
    #expect(view.status == .unmigrated && view.failure == message)
    #expect(view.questions.map(\.id) == [question.id], "nothing was asked or closed")
    #expect(try await events(host) == before + ["unmigrated"])
    // Further requests change nothing, and write nothing.
    #expect(await code { try await host.flow("k").answer(question.id, json: #""yes""#.utf8) } == .unmigrated)
    await host.isQuiet()
    #expect(try await events(host) == before + ["unmigrated"])
    let flow = try #require(try await host.plan().unchecked.first)
    #expect(flow.values.contains { $0.kind == .standstill && $0.reason == message })

    let back = FlowHost(store: store)
    let flows = try await back.register(first)
    #expect(try await back.flow("k").settled().questions.map(\.id) == [question.id])
    try await back.flow("k").answer(question.id, json: #""yes""#.utf8)
    _ = try await back.flow("k").settled()
    #expect(try await flows.outcome(of: "k") == .finished("Ada,yes"))
  }

  @Test("the old name as the promptName of the renamed type lets the flow go on, with its answer")
  func namedAsBefore() async throws {
    struct NewForm: Prompt, Codable {
      typealias Answer = String
      static let promptName = NameForm.promptName
    }
    try await fill(first)
    let renaming = FlowHost(store: store)
    try await renaming.register(renamed)
    #expect(await code { try await renaming.flow("k").answer(Form.self, with: "y") } == .unmigrated)
    await renaming.isQuiet()
    let host = FlowHost(store: store)
    let flows = try await host.register(flow { try await $0.ask(NewForm()) + "," + $0.ask(Form(text: "more")) })
    #expect(try await host.flow("k").settled().status == .waiting)
    try await host.answerNext("k", "\"yes\"")
    #expect(try await flows.outcome(of: "k") == .finished("Ada,yes"))
  }

  @Test("dropping the answer lets the step ask under the new name")
  func forgotten() async throws {
    try await fill(first)
    let host = FlowHost(store: store)
    try await host.register(renamed)
    #expect(await code { try await host.flow("k").answer(Form.self, with: "y") } == .unmigrated)
    await host.isQuiet()
    let later = FlowHost(store: store)
    let flows = try await later.register(
      renamed, version: 2, from: 1, moves: [.forgetAnswer(of: "kyc/name", key: "NameForm")])
    #expect(try await later.plan().applied.map(\.flows) == [1])
    #expect(try await later.flow("k").settled().questions.map(\.prompt) == ["PersonForm"])
    try await later.answerNext("k", "\"Eve\"")
    try await later.answerNext("k", "\"yes\"")
    #expect(try await flows.outcome(of: "k") == .finished("Eve,yes"))
  }

  @Test("a flow that was about to move stays on its version")
  func moving() async throws {
    try await fill(first)
    let host = FlowHost(store: store)
    let before = try await events(host)
    try await host.register(renamed, version: 2, from: 1)
    #expect(await code { try await host.flow("k").answer(Form.self, with: "y") } == .unmigrated)
    await host.isQuiet()
    #expect(try await host.flow("k").view().version == 1)
    #expect(try await events(host) == before + ["unmigrated"])
  }

  @Test("a renamed signal is found like a renamed prompt, by a question and by a wait")
  func signals() async throws {
    for asksNext in [true, false] {
      let (id, host) = (FlowID("s\(asksNext)"), FlowHost(store: store))
      try await host.register(
        flow { context in
          let paid = try await context.wait(for: Signal<Int>("paid"))
          return "\(paid)" + (try await context.ask(Form(text: "more")))
        }, version: asksNext ? 1 : 2
      ).start(id: id, with: "")
      _ = try await host.flow(id).send(7, to: Signal<Int>("paid"), key: "1")
      _ = try await host.flow(id).settled()
      await host.isQuiet()
      let later = FlowHost(store: store)
      try await later.register(
        flow { context in
          if asksNext { return try await context.ask(NameForm()) }
          return "\(try await context.wait(for: Signal<Int>("settled")))"
        }, version: asksNext ? 1 : 2)
      #expect(await code { try await later.flow(id).answer(Form.self, with: "y") } == .unmigrated)
      await later.isQuiet()
      #expect(try await later.flow(id).view().failure?.contains("\"paid\"") == true)
    }
  }

  @Test("a step that ends, asks for the same, or begins an effect first goes on")
  func harmless() async throws {
    let codes: [@Sendable (StepContext) async throws -> String] = [
      { _ in "ended" },
      { try await $0.ask(Form(text: "more")) },
      { context in
        let made = try await context.once("new") { _ in "made " }
        return made + (try await context.ask(NameForm()) + "," + context.ask(Form(text: "more")))
      },
    ]
    for (index, code) in codes.enumerated() {
      let store = MemoryFlowStore()
      let host = FlowHost(store: store)
      try await host.register(first).start(id: "k", with: "")
      try await host.answerNext("k", "\"Ada\"")
      await host.isQuiet()
      let later = FlowHost(store: store)
      let flows = try await later.register(flow(code), version: 2, from: 1)
      _ = try? await later.flow("k").answer(Form.self, with: "yes")
      _ = try await later.flow("k").settled()
      #expect(try await flows.outcome(of: "k") == .finished(["ended", "yes", "made Ada,yes"][index]))
    }
  }

  @Test("answers of child tasks are not counted: they may come back later than what the step itself asks")
  func children() async throws {
    let host = FlowHost(store: store)
    try await host.register(
      flow { context in
        let paid = try await withThrowingTaskGroup(of: Int.self) { group in
          group.addTask { try await context.wait(for: Signal<Int>("paid")) }
          return try await group.next() ?? 0
        }
        return "\(paid)" + (try await context.ask(Form(text: "more")))
      }
    ).start(id: "k", with: "")
    _ = try await host.flow("k").send(7, to: Signal<Int>("paid"), key: "1")
    _ = try await host.flow("k").settled()
    await host.isQuiet()
    let later = FlowHost(store: store)
    let flows = try await later.register(flow { try await $0.ask(NameForm()) })
    #expect(try await later.flow("k").settled().status == .waiting)
    _ = try? await later.flow("k").answer(Form.self, with: "lost")
    try await later.answerNext("k", "\"Ada\"")
    #expect(try await flows.outcome(of: "k") == .finished("Ada"))
  }
}
