public import ActorFlow

/// One thing that differs between two versions of a flow, so that a flow that waits in the old one can go on in the new.
///
/// ```swift
/// try await host.register(
///   checkout, version: 2, from: 1,
///   moves: [
///     .rename("checkout/ship", to: "checkout/delivery"),
///     .input(of: "checkout/delivery") { (cents: Int) in Expense(purpose: "", cents: cents) },
///   ])
/// ```
///
/// Moves are applied in order. They do nothing to a flow that has nothing of the kind. A step is named by its whole path,
/// or by the last part of it; below a fork with a branch for each element `*` stands for the number.
public struct Move: Sendable {
  let apply: @Sendable (inout StoredState) throws -> Void

  /// A step, or a part with all its steps, has another name.
  public static func rename(_ step: StepID, to name: StepID) -> Move {
    Move { $0.rename(step, to: name) }
  }

  /// A step is given something else. Also what it was given when a back leads to it is changed.
  public static func input<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move { try $0.changeInput(of: step, change) }
  }

  /// A flow that is at a step enters another one instead: its old step is gone. What it answered and recorded there is
  /// forgotten.
  public static func reenter<Old: Decodable & Sendable, New: Encodable & Sendable>(
    _ step: StepID, at other: StepID, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move { try $0.reenter(step, at: other, change) }
  }

  /// A step that was done is gone. What it did is not undone any more.
  public static func forget(_ step: StepID) -> Move {
    Move { state in
      guard !state.focused.contains(where: { step.means($0) }) else { return }
      try state.forget(step)
    }
  }

  /// Anything else.
  public static func custom(_ change: @escaping @Sendable (inout StoredState) throws -> Void) -> Move {
    Move(apply: change)
  }
}
