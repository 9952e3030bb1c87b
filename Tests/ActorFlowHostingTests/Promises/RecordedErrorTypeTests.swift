import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("The type of a recorded error", .timeLimit(.minutes(15))) struct RecordedErrorTypeTests {
  enum Stripe {
    struct Declined: Error, Codable { var reason: String }
  }
  enum Adyen {
    struct Declined: Error, Codable { var reason: String }
  }
  private struct Hidden: Error, Codable { var reason: String }

  /// A step that attempts, tells in which of the types it finds the failure, asks, and tells it again.
  private func flow(failing error: any Error & Codable & Sendable) -> Flow<String, String> {
    Flow("pay") {
      Step("charge") { (_: String, context: StepContext) in
        let attempt = try await context.attempt("card") { _ -> String in throw error }
        guard case .failed(let error) = attempt else { return "made" }
        let found = [
          error.detail(as: Stripe.Declined.self)?.reason, error.detail(as: Adyen.Declined.self)?.reason,
          error.detail(as: Hidden.self)?.reason,
        ]
        return found.map { $0 ?? "-" }.joined() + (try await context.ask(Form(text: "\(found.map { $0 ?? "-" })")))
      }
    }
  }

  @Test("two types of one name are told apart, and a private type is found, in the first run and in a replay")
  func sameName() async throws {
    let errors: [(any Error & Codable & Sendable, String)] = [
      (Stripe.Declined(reason: "s"), "s--"), (Adyen.Declined(reason: "a"), "-a-"), (Hidden(reason: "h"), "--h"),
    ]
    for (error, found) in errors {
      let store = MemoryFlowStore()
      let first = FlowHost(store: store)
      try await first.register(flow(failing: error)).start(id: "p", with: "")
      let question = try #require(try await first.flow("p").settled().questions.first)
      #expect(try question.prompt(as: Form.self).text == "\(found.map { "\($0)" })")
      await first.isQuiet()
      let second = FlowHost(store: store)
      let flows = try await second.register(flow(failing: error))
      try await second.flow("p").answer(question.id, json: #""!""#.utf8)
      _ = try await second.flow("p").settled()
      #expect(try await flows.outcome(of: "p") == .finished("\(found)!"))
    }
  }
}
