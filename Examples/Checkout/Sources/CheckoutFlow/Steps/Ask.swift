package import ActorFlow

/// A step that asks one question and returns the answer. It has no effect, so it has nothing to compensate.
package struct Ask<Input: Sendable, Form: Prompt>: FlowComponent {
  private let id: String
  private let form: @Sendable (Input) -> Form

  /// A step of this name; `form` makes the question from the step's input.
  package init(_ id: String, _ form: @escaping @Sendable (Input) -> Form) {
    self.id = id
    self.form = form
  }

  /// The question as a flow of one step.
  package var flow: Flow<Input, Form.Answer> {
    Step(id) { [form] (input: Input, context: StepContext) in try await context.ask(form(input)) }.flow
  }
}
