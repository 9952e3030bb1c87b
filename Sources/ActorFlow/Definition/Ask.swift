/// A step that asks one question, and whose output is the answer.
///
/// ```swift
/// Ask("address") { (cart: Cart) in AddressForm(cart: cart) }
/// ```
///
/// Like any step it has a place on the stack, a back lands on it, and it asks again then. It has nothing
/// to undo. Policies, scopes and names are added as to a ``Step``.
///
/// In a hosted flow, the answer, the move and the question of the next `Ask` are one commit, if only closures that do not
/// suspend lie between the two: ``FlowComponent/map(_:)``, ``FlowComponent/carrying(_:)``, the cases of a choice. Nothing
/// of a step's own runs in between, so nothing can act on an answer that a crash forgets. If a closure throws, or the
/// next question cannot be stored, the answer is committed alone, and the closures run again after it.
public struct Ask<Input: Sendable, P: Prompt>: FlowComponent {
  public typealias Output = P.Answer

  private let name: String
  private let prompt: @Sendable (Input) -> P

  /// Creates a step that asks one question.
  ///
  /// - Parameters:
  ///   - id: The step's part in paths. As for every step, a `/` adds parts, and equal paths get `#2`.
  ///   - prompt: Makes the prompt from the step's input, whenever the step asks: also after a back, and when a durable
  ///     flow is activated. It may run in the task of the caller that answers the question before, so let it depend on
  ///     the input alone.
  public init(_ id: String, _ prompt: @escaping @Sendable (Input) -> P) {
    name = id.isEmpty ? "ask" : id
    self.prompt = prompt
  }

  /// The step as a flow of its own.
  public var flow: Flow<Input, P.Answer> {
    let body = StepBody(
      make: nil, skip: nil,
      proceed: { [prompt] _, input, context in
        // Not cast here: it may be the answer to a later question, see `FlowCoordinator.leaveAsker`.
        try await context.answer(to: prompt(try StepBody.cast(input, to: Input.self)))
      }, backUp: nil, types: StepTypes(Input.self, P.Answer.self),
      question: StepBody.OnlyQuestion(
        prompt: { [prompt] input in prompt(try StepBody.cast(input, to: Input.self)) },
        typed: { answer in try StepBody.cast(answer, to: P.Answer.self) }))
    return Flow(segments: [.step(name: name, body)])
  }
}

extension Ask where Input == Void {
  /// Creates a step without input that asks one question, as ``init(_:_:)`` does.
  public init(_ id: String, _ prompt: @escaping @Sendable () -> P) {
    self.init(id) { (_: Void) in prompt() }
  }
}
