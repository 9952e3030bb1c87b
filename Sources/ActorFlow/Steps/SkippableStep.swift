/// A step that may be passed over, depending on its input.
public protocol SkippableStep<Input, Output>: FlowStep {
  /// Decides whether the step is entered.
  ///
  /// Asked once for each instance, when it is first reached going forward, never when a back lands on it. While it
  /// runs, the step before still has the focus; an error fails the flow, and this step was then never entered.
  func skip(_ input: Input) async throws -> Skip<Output>
}

/// What a ``SkippableStep`` decided.
public enum Skip<Output: Sendable>: Sendable {
  /// Enter the step.
  case enter
  /// Pass it over; the next step gets this value.
  case with(Output)
}
