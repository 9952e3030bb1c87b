/// A step that a run finds on its stack when it starts in the middle of a flow, so that a back may lead to it.
///
/// See ``FlowCoordinator/run(_:with:startingAt:input:after:by:)``.
public struct EarlierStep: Sendable {
  /// The step: its whole path, or the last part of it.
  public let step: StepID
  /// The input with which the step is called when a back leads to it.
  public let input: any Sendable

  /// An earlier step with its input.
  public init(_ step: StepID, input: any Sendable) {
    self.step = step
    self.input = input
  }
}
