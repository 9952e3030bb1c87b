public import ActorFlow

/// A difference between two versions of a flow, so that flows that wait in the old one can continue in the new one.
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
/// Moves are applied in order. A move has no effect on a flow that does not have its step. If no flow and no definition
/// has the step, its name may be mistyped, and ``FlowHost/plan()`` reports the move. Name a step by its whole path, or
/// by the last part of the path. Below a fork with a branch for each element, `*` stands for the number of the element.
public struct Move: Sendable {
  let apply: @Sendable (inout StoredState) throws -> Void
  /// The kind of move and the step that it names; `nil` if only the closure knows.
  let subject: (name: String, step: StepID)?
  /// The step's name after a `rename`.
  let newName: StepID?

  private init(
    _ name: String, _ step: StepID, to newName: StepID? = nil,
    _ apply: @escaping @Sendable (inout StoredState) throws -> Void
  ) {
    (self.apply, self.newName) = (apply, newName)
    subject = (name, step)
  }

  private init(changing apply: @escaping @Sendable (inout StoredState) throws -> Void) {
    (self.apply, subject, newName) = (apply, nil, nil)
  }

  /// Renames a step, or a part with all its steps.
  public static func rename(_ step: StepID, to name: StepID) -> Move {
    Move("rename", step, to: name) { $0.rename(step, to: name) }
  }

  /// Changes the input of a step.
  ///
  /// The input that a back would enter the step with again is changed as well.
  public static func input<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move("input", step) { try $0.changeInput(of: step, change) }
  }

  /// Lets a flow that is at a step enter another step instead, because the old step is gone.
  ///
  /// The answers and records of the old step are discarded.
  public static func reenter<Old: Decodable & Sendable, New: Encodable & Sendable>(
    _ step: StepID, at other: StepID, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move("reenter", step) { try $0.reenter(step, at: other, change) }
  }

  /// Removes a completed step that is gone; its effects remain, and its `backUp` is not called any more.
  public static func forget(_ step: StepID) -> Move {
    Move("forget", step) { state in
      guard !state.focused.contains(where: { step.means($0) }) else { return }
      try state.forget(step)
    }
  }

  /// Changes the stored state in any other way.
  public static func custom(_ change: @escaping @Sendable (inout StoredState) throws -> Void) -> Move {
    Move(changing: change)
  }
}
