/// A handler of a ``Responder`` for one type of prompt.
public struct On: Sendable {
  /// Returns whether the handler made an answer; `false` if the prompt is of another type or the handler declines.
  let answer: @Sendable (Question, FlowCoordinator, Principal?) async throws -> Bool

  /// A handler for prompts of type `P`.
  ///
  /// - Parameters:
  ///   - prompt: The type of prompt.
  ///   - handler: Makes the answer; `nil` declines. The next event waits for the handler, however long it takes. The
  ///     handler is cancelled with the task that called `run`.
  public init<P: Prompt>(_ prompt: P.Type, _ handler: @escaping @Sendable (P) async throws -> P.Answer?) {
    answer = { question, coordinator, principal in
      guard let prompt = question.prompt as? P, let answer = try await handler(prompt) else { return false }
      do {
        try await coordinator.answer(question.id, with: answer, by: principal, revision: question.revision)
      } catch let error as FlowError where Self.isTooLate(error.code) {
        // Another answerer was faster, or the prompt has changed: not an error.
      }
      return true
    }
  }

  private static func isTooLate(_ code: FlowError.Code) -> Bool {
    [.questionClosed, .staleRevision, .flowEnded, .notRunning].contains(code)
  }
}

/// The builder of a ``Responder``'s list of handlers.
@resultBuilder
public enum ResponderBuilder: Sendable {
  /// A single handler.
  public static func buildExpression(_ handler: On) -> [On] { [handler] }
  /// The handlers, in order.
  public static func buildBlock(_ handlers: [On]...) -> [On] { handlers.flatMap { $0 } }
  /// `if`.
  public static func buildOptional(_ handlers: [On]?) -> [On] { handlers ?? [] }
  /// The first branch of an `if`/`else` or `switch`.
  public static func buildEither(first handlers: [On]) -> [On] { handlers }
  /// The other branches of an `if`/`else` or `switch`.
  public static func buildEither(second handlers: [On]) -> [On] { handlers }
  /// `for`.
  public static func buildArray(_ handlers: [[On]]) -> [On] { handlers.flatMap { $0 } }
  /// `if #available`.
  public static func buildLimitedAvailability(_ handlers: [On]) -> [On] { handlers }
}
