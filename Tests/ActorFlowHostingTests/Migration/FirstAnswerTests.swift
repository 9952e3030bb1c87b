import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("The first answer after a deploy", .timeLimit(.minutes(15))) struct FirstAnswerTests {
  private let store = MemoryFlowStore()

  struct Amount: Prompt, Codable {
    struct Answer: Codable, Sendable { var cents: Int }
  }

  private func asking(_ name: String, _ text: String) -> Step<String, String> {
    Step(name) { (_: String, context: StepContext) in try await context.ask(Form(text: text)) }
  }

  /// The question that a flow of version 1 asks, and a host that has version 2.
  private func deployed(_ second: Flow<String, String>, _ moves: [Move] = []) async throws -> (FlowHost, Question.ID) {
    let first = FlowHost(store: store, owner: "host")
    try await first.register(Flow("f") { asking("a", "old") }).start(id: "x", with: "-")
    let question = try #require(try await first.flow("x").settled().questions.first)
    await first.isQuiet()
    let host = FlowHost(store: store, owner: "host")
    try await host.register(second, version: 2, from: 1, moves: moves)
    let view = try await host.flow("x").settled()
    #expect(view.version == 1 && view.questions.map(\.id) == [question.id])
    #expect(try await host.tasks().tasks.map(\.task.question) == [question.id.description])
    return (host, question.id)
  }

  @Test("the answer is taken if the step still asks the same question, whatever its text is now")
  func same() async throws {
    let (host, question) = try await deployed(Flow("f") { asking("a", "new") })
    try await host.flow("x").answer(question, json: #""yes""#.utf8)
    let view = try await host.flow("x").settled()
    #expect(view.status == .finished && view.version == 2)
  }

  @Test("the answer is refused if the step asks another question, and the new question is shown by then")
  func other() async throws {
    let (host, question) = try await deployed(
      Flow("f") {
        Step("a") { (_: String, context: StepContext) in "\(try await context.ask(Amount()).cents)" }
      })
    #expect(await code { try await host.flow("x").answer(question, json: #""yes""#.utf8) } == .questionClosed)
    await host.isQuiet()
    let view = try await host.flow("x").settled()
    #expect(view.version == 2 && view.questions.map(\.prompt) == [Amount.promptName])
    try await host.answerNext("x", #"{"cents":4}"#)
    #expect(try await host.flow("x").view().status == .finished)
  }

  @Test("the answer is refused if the flow enters another step")
  func reentered() async throws {
    let (host, question) = try await deployed(
      Flow("f") { asking("b", "b") }, [.reenter("f/a", at: "f/b") { (old: String) in old }])
    #expect(await code { try await host.flow("x").answer(question, json: #""yes""#.utf8) } == .questionClosed)
    await host.isQuiet()
    let view = try await host.flow("x").settled()
    #expect(view.version == 2 && view.questions.map(\.step) == ["f/b"])
  }
}
