import ActorFlow
import CheckoutFlow

/// A checkout that runs in this process and ends with it.
struct MemoryConversation: Conversation {
  let coordinator: FlowCoordinator
  let events: AsyncStream<NavigationEvent>

  var opening: Page? { nil }
  var isPersisted: Bool { false }

  init(_ coordinator: FlowCoordinator) {
    self.coordinator = coordinator
    events = coordinator.events
  }

  func settled() async -> Page? {
    guard let position = try? await coordinator.settled() else { return nil }
    return try? Page(position)
  }

  func answer<Form: TextPrompt>(
    _ question: Page.Question, _ form: Form.Type, with answer: Form.Answer
  ) async throws -> Bool {
    try await coordinator.answer(question.id, with: answer)
    return await coordinator.position.questions.contains { $0.id == question.id }
  }

  func backUp(from question: Page.Question?) async throws {
    if let question { try await coordinator.backUp(from: question.id) } else { try await coordinator.backUp() }
  }

  func confirm(key: String) async throws -> Delivery {
    try await coordinator.send(Confirmation(), to: Confirmation.signal, key: key)
  }

  func decide(_ verdict: BankVerdict, key: String) async throws -> Delivery {
    try await coordinator.send(verdict, to: BankVerdict.signal, key: key)
  }

  func abandon(reason: String) async throws {
    try await coordinator.abandon(reason: reason)
  }
}
