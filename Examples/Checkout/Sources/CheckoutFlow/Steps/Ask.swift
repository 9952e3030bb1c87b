package import ActorFlow

/// A step that asks one question and hands on the answer. It does nothing to the world, so it has nothing to undo.
package struct Ask<Input: Sendable, Form: Prompt>: FlowComponent {
  private let id: String
  private let form: @Sendable (Input) -> Form

  /// A step of this name; `form` makes the question from what the step receives.
  package init(_ id: String, _ form: @escaping @Sendable (Input) -> Form) {
    self.id = id
    self.form = form
  }

  /// The question as a flow of one step.
  package var flow: Flow<Input, Form.Answer> {
    Step(id) { [form] (input: Input, context: StepContext) in try await context.ask(form(input)) }.flow
  }
}
