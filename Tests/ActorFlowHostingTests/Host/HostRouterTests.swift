import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

private struct Ticket: Codable, Sendable { var text: String }
private struct Urgent: Codable, Sendable { var text: String }
private struct Later: Codable, Sendable { var text: String }
private struct Reply: Codable, Sendable { var text: String }

@Suite("Hosted routers", .timeLimit(.minutes(15))) struct HostRouterTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// Sorts tickets; an urgent one is asked about by a step that takes either kind, and the end takes one of two types.
  private func desk<Start: Codable & Sendable>(
    _ start: Start.Type
  ) throws -> Flow<Start, OneOf2<Bool, Reply>> {
    let router = try TypeRouter(start: start, end: OneOf2<Bool, Reply>.self) {
      Step("sort") { (ticket: Ticket, context: StepContext) -> OneOf2<Urgent, OneOf2<Later, Reply>> in
        switch try await context.ask(Form(text: ticket.text)) {
        case "fail": throw Refused()
        case "urgent": .first(Urgent(text: ticket.text))
        default: .second(.first(Later(text: ticket.text)))
        }
      }
      Step("handle") { (value: OneOf3<Int, Later, Urgent>, context: StepContext) -> Reply in
        guard case .third(let urgent) = value else { return Reply(text: "later") }
        return Reply(text: urgent.text + (try await context.ask(Form(text: urgent.text))))
      }
    }
    return Flow("desk") { router.retry(2) }
  }

  /// Answers the open question at a host that has never had the flow.
  private func answer<Start: Codable & Sendable>(_ text: String, _ start: Start.Type) async throws {
    let host = FlowHost(store: store, clock: clock)
    try await host.register(try desk(start))
    try await host.flow("s").answer(Form.self, with: text)
    _ = try await host.flow("s").settled()
    await host.isQuiet()
  }

  private func play<Start: Codable & Sendable>(_ input: Start) async throws {
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(try desk(Start.self))
    try await flows.start(id: "s", with: input)
    _ = try await host.flow("s").settled()
    await host.isQuiet()
    // The retry begins the router again with the input from the store.
    try await answer("fail", Start.self)
    #expect(try await host.flow("s").view().questions.map(\.step.name) == ["sort"])
    try await answer("urgent", Start.self)
    #expect(try await host.flow("s").view().questions.map(\.step.name) == ["handle"])
    try await answer("!", Start.self)
    guard case .finished(.second(let reply)) = try await flows.outcome(of: "s") else {
      Issue.record("\(try await host.flow("s").view().status): \(try await host.flow("s").view().failure ?? "")")
      return
    }
    #expect(reply.text == "x!")
  }

  @Test("a router that begins again with an input from the store finds the step that takes it")
  func again() async throws {
    try await play(Ticket(text: "x"))
  }

  @Test("a router that begins again with a one-of from the store finds the step that takes its case")
  func oneOfAgain() async throws {
    try await play(OneOf2<Urgent, OneOf2<Ticket, Later>>.second(.first(Ticket(text: "x"))))
  }
}
