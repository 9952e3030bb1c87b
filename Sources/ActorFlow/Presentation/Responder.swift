/// A presenter that answers questions by itself: a program instead of a person.
///
/// ```swift
/// let robot = Responder {
///   On(AddressForm.self) { form in form.cart.isEmpty ? nil : Address(street: "Main St 1") }
///   On(PaymentForm.self) { form in Card(limit: form.total) }
/// }
/// ```
///
/// For every open question of an event the handlers for the type of its prompt are asked in order, one question after
/// the other; the first that returns an answer has answered. A handler that returns nil declines. A question that
/// nobody answers is left open, and the event is left to the next presenter.
///
/// A handler is asked once for each revision of a question, and not for one that is closed by now. If somebody else was
/// quicker, or the prompt has changed in the meantime, its answer is dropped. What ``Prompt/authorize(_:)`` or
/// ``Prompt/validate(_:)`` throw at an answer, and what a handler throws, is thrown by
/// ``present(_:in:)`` and so ends the flow: a program that answers wrongly would do so for ever.
///
/// One responder may serve any number of flows at once.
public actor Responder: Presenter {
  private let handlers: [On]
  private let principal: Principal?
  private var seen: [Seen] = []

  /// A question's revision that the handlers were asked for already.
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
  ///   - principal: Who answers, for ``Prompt/authorize(_:)`` and for the event.
  ///   - handlers: One ``On`` for each type of prompt; `if`, `switch` and `for` are understood.
  public init(by principal: Principal? = nil, @ResponderBuilder _ handlers: () -> [On]) {
    self.handlers = handlers()
    self.principal = principal
  }

  /// Answers what is open.
  ///
  /// - Returns: Whether it has answered something and nothing is left open.
  /// - Throws: What a handler throws, or what the prompt throws at its answer.
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

  /// Whether somebody had an answer, be it too late.
  private func answer(_ question: Question, of coordinator: FlowCoordinator) async throws -> Bool {
    seen.append(Seen(coordinator: coordinator, question: question.id, revision: question.revision))
    for handler in handlers where try await handler.answer(question, coordinator, principal) {
      // Found anew: the handler was waited for, and others may have been served meanwhile.
      if let index = seen.firstIndex(where: { $0.isOf(question, in: coordinator) }) { seen[index].isDeclined = false }
      return true
    }
    return false
  }

  /// A question that is no longer shown is never shown again.
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
