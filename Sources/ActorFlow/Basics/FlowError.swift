/// The error type of everything that ActorFlow itself throws.
///
/// Switch over ``code``, and show ``message``, which names the flow, the step and the remedy. An error thrown by a step
/// reaches the caller of ``FlowCoordinator/run(_:with:by:)`` as itself, not as a `FlowError`.
public struct FlowError: Error, Sendable, CustomStringConvertible {
  /// The kind of the error.
  public let code: Code

  /// A sentence that describes the error and its remedy.
  public let message: String

  /// The flow that the error is about; `nil` for a step used outside a flow.
  public let flow: FlowID?

  /// The step that the error is about, if there is one.
  public let step: StepID?

  /// The first error that caused this one; for ``Code/rollbackFailed`` the first of ``underlyingErrors``.
  public var underlying: (any Error)? { underlyingErrors.first }

  /// All errors that caused this one; for ``Code/rollbackFailed`` one for each `backUp` that threw, in the order they
  /// ran.
  public let underlyingErrors: [any Error]

  /// Further facts that a room above this one attaches and reads; a reference, because most errors have none.
  package let attachment: (any AnyObject & Sendable)?

  package init(
    _ code: Code, _ message: String, flow: FlowID? = nil, step: StepID? = nil, underlying: [any Error] = [],
    attaching attachment: (any AnyObject & Sendable)? = nil
  ) {
    self.code = code
    self.message = message
    self.flow = flow
    self.step = step
    self.underlyingErrors = underlying
    self.attachment = attachment
  }

  /// Returns the error with its place, if it was created without one.
  package func located(in flow: FlowID, at step: StepID) -> FlowError {
    guard self.flow == nil else { return self }
    let place = self.step ?? (step.path.isEmpty ? nil : step)
    return FlowError(code, message, flow: flow, step: place, underlying: underlyingErrors, attaching: attachment)
  }

  /// The code, the place and the message, with the underlying errors.
  public var description: String {
    var text = "\(code)"
    if let flow { text += " in flow \(flow.shown)" }
    if let step { text += " at \(step.shown)" }
    text += ": \(message)"
    if !underlyingErrors.isEmpty {
      text += " (" + underlyingErrors.map { "\($0)" }.joined(separator: "; ") + ")"
    }
    return text
  }
}
