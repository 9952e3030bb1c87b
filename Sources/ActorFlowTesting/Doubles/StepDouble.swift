public import ActorFlow

/// A stand-in for a step of a flow under test, which follows a script and records how it was called.
///
/// ```swift
/// let payment = StepDouble<Order, Receipt>(.throwing(Declined()), .returning(receipt))
/// let flow = Flow("checkout") {
///   Step("shipping", ShippingStep.init)
///   Step("payment") { payment }
/// }
/// ```
///
/// Each visit takes the next ``Turn`` of the script; the last turn serves all later visits. A visit that is replayed
/// (see ``Passivation/everyQuestion``) repeats its turn, and is recorded once. The double is one actor that stands for
/// all instances that the flow's factory returns, so its records cover all of them.
public actor StepDouble<Input: Sendable, Output: Sendable>: FlowStep {
  /// A recorded call of the double.
  public enum Call: Sendable {
    /// `proceed` was called with this input.
    case proceed(Input)
    /// `backUp` was called for this reason.
    case backUp(LeaveReason)
  }

  private struct VisitKey: Hashable {
    let flow: FlowID
    let visit: VisitID
  }

  private let script: [Turn]
  private let onBackUp: @Sendable (RollbackContext) async throws -> Void
  private var next = 0
  private var current: (key: VisitKey, turn: Turn)?

  /// The calls so far, in order.
  public private(set) var calls: [Call] = []

  /// Creates a double with a script.
  ///
  /// - Parameters:
  ///   - first: The turn of the first visit, and of all others if this is the whole script.
  ///   - others: The turns of the later visits, one for each; the last one serves all that follow.
  ///   - onBackUp: The closure that `backUp` runs after recording the call; `backUp` throws its errors.
  public init(
    _ first: Turn, _ others: Turn..., onBackUp: @escaping @Sendable (RollbackContext) async throws -> Void = { _ in }
  ) {
    script = [first] + others
    self.onBackUp = onBackUp
  }

  /// The inputs of the `proceed` calls so far, in order.
  public var inputs: [Input] {
    calls.compactMap { if case .proceed(let input) = $0 { input } else { nil } }
  }

  /// The reasons of the `backUp` calls so far, in order.
  public var backUps: [LeaveReason] {
    calls.compactMap { if case .backUp(let reason) = $0 { reason } else { nil } }
  }

  /// Records the call and plays the visit's turn.
  public func proceed(_ input: Input, context: StepContext) async throws -> Output {
    try await turn(of: context, with: input).play(input, context)
  }

  /// Records the call and runs the `onBackUp` closure.
  public func backUp(context: RollbackContext) async throws {
    calls.append(.backUp(context.reason))
    try await onBackUp(context)
  }

  private func turn(of context: StepContext, with input: Input) -> Turn {
    let key = VisitKey(flow: context.flow, visit: context.visit)
    // Outside a flow there are no visits, so each call counts as one.
    if let current, current.key == key, context.visit != StepContext.standalone.visit { return current.turn }
    calls.append(.proceed(input))
    let turn = script[min(next, script.count - 1)]
    next += 1
    current = (key, turn)
    return turn
  }
}

extension StepDouble.Call: Equatable where Input: Equatable {}
