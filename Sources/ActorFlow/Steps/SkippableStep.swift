/// A step that may be skipped, depending on its input.
public protocol SkippableStep<Input, Output>: FlowStep {
  /// Decides whether the step is entered.
  ///
  /// Asked once for each instance, when the step is first reached going forward, never when a back lands on it. While
  /// this runs, the step before still has the focus. A thrown error fails the flow, and this step was then never
  /// entered.
  ///
  /// - Parameters:
  ///   - input: The input that the step would be entered with.
  ///   - context: Tells who has begun the run, and who has answered last.
  func skip(_ input: Input, context: EntryContext) async throws -> Skip<Output>
}

/// The decision of a ``SkippableStep``.
public enum Skip<Output: Sendable>: Sendable {
  /// Enter the step.
  case enter
  /// Skip the step; the next step gets this value.
  case with(Output)
}
