/// A presenter that answers questions by itself: a program instead of a person.
///
/// ```swift
/// let robot = Responder {
///   On(AddressForm.self) { form in form.cart.isEmpty ? nil : Address(street: "Main St 1") }
///   On(PaymentForm.self) { form in Card(limit: form.total) }
/// }
/// ```
///
/// For every open question of an event, the handlers for the type of its prompt are asked in order, one question after
/// the other. The first answer that a handler returns is given. A handler that returns `nil` declines. A question
/// without an answer is left open, and the event is left to the next presenter.
///
/// A handler is asked once for each revision of a question, and is not asked about a question that has closed. If
/// another answerer was faster, or the prompt has changed in the meantime, the handler's answer is dropped.
///
/// ``present(_:in:)`` throws the errors of handlers, and those of ``Prompt/authorize(_:)`` and ``Prompt/validate(_:)``
/// for an answer. Such an error ends the flow, because a program that answers wrongly would repeat its answer for ever.
///
/// A responder may serve any number of flows at once.
public actor Responder: Presenter {
  private let handlers: [On]
  private let principal: Principal?
  private var seen: [Seen] = []

  /// A revision of a question that the handlers were already asked about.
  private struct Seen: Sendable {
    weak let coordinator: FlowCoordinator?
    let question: Question.ID
    let revision: Int
    var isDeclined = true

    func isOf(_ question: Question, in coordinator: FlowCoordinator) -> Bool {
      self.coordinator === coordinator && self.question == question.id && revision == question.revision
    }
  }

  /// A responder with its handlers.
  ///
  /// - Parameters:
  ///   - principal: The answerer, for ``Prompt/authorize(_:)`` and for the event.
  ///   - handlers: An ``On`` for each type of prompt; `if`, `switch` and `for` are supported.
  public init(by principal: Principal? = nil, @ResponderBuilder _ handlers: () -> [On]) {
    self.handlers = handlers()
    self.principal = principal
  }

  /// Answers the open questions of an event.
  ///
  /// - Returns: Whether the responder has answered a question and leaves none open.
  /// - Throws: The error of a handler, or of the prompt's check of an answer.
  public func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
    forgetAll(but: event.position.questions, of: coordinator)
    var hasAnswered = false
    var leavesOpen = false
    for question in event.position.questions {
      if let known = seen.first(where: { $0.isOf(question, in: coordinator) }) {
        if known.isDeclined { leavesOpen = true }
      } else if await coordinator.position.questions.contains(where: question.isSame) {
        if try await answer(question, of: coordinator) { hasAnswered = true } else { leavesOpen = true }
      }
    }
    return hasAnswered && !leavesOpen
  }

  /// Returns whether a handler made an answer, even if the answer came too late.
  private func answer(_ question: Question, of coordinator: FlowCoordinator) async throws -> Bool {
    seen.append(Seen(coordinator: coordinator, question: question.id, revision: question.revision))
    for handler in handlers where try await handler.answer(question, coordinator, principal) {
      // Looked up again: other flows may have been served while the handler ran.
      if let index = seen.firstIndex(where: { $0.isOf(question, in: coordinator) }) { seen[index].isDeclined = false }
      return true
    }
    return false
  }

  /// Forgets closed questions and old revisions: they are never shown again.
  private func forgetAll(but questions: [Question], of coordinator: FlowCoordinator) {
    seen.removeAll { seen in
      guard let other = seen.coordinator else { return true }
      return other === coordinator && !questions.contains { $0.id == seen.question && $0.revision == seen.revision }
    }
  }
}

extension Question {
  fileprivate func isSame(_ other: Question) -> Bool { id == other.id && revision == other.revision }
}
