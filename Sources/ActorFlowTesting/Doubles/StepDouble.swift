public import ActorFlow

/// Stands in for a step of a flow under test: does what a script says, and records how it was called.
///
/// ```swift
/// let payment = StepDouble<Order, Receipt>(.throwing(Declined()), .returning(receipt))
/// let flow = Flow("checkout") {
///   Step("shipping", ShippingStep.init)
///   Step("payment") { payment }
/// }
/// ```
///
/// Each visit takes the next ``Turn`` of the script, and the last turn serves all visits after. A visit that is replayed
/// (see ``Passivation/everyQuestion``) repeats its turn, and is recorded once. The double is one actor for all
/// instances that the flow's factory is asked for, so its records are those of all of them.
public actor StepDouble<Input: Sendable, Output: Sendable>: FlowStep {
  /// A call that the double has got.
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

  /// A double with a script.
  ///
  /// - Parameters:
  ///   - first: What it does in its first visit, and in all others if this is the whole script.
  ///   - others: What it does in the visits after, one for each; the last one is for all that follow.
  ///   - onBackUp: What `backUp` does after it was recorded; what it throws, `backUp` throws.
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

  /// Records the call.
  public func backUp(context: RollbackContext) async throws {
    calls.append(.backUp(context.reason))
    try await onBackUp(context)
  }

  private func turn(of context: StepContext, with input: Input) -> Turn {
    let key = VisitKey(flow: context.flow, visit: context.visit)
    // Outside a flow there are no visits: each call is one.
    if let current, current.key == key, context.visit != StepContext.standalone.visit { return current.turn }
    calls.append(.proceed(input))
    let turn = script[min(next, script.count - 1)]
    next += 1
    current = (key, turn)
    return turn
  }
}

extension StepDouble.Call: Equatable where Input: Equatable {}
