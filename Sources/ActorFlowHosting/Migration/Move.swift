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
/// Moves are applied in order. They do nothing to a flow that has nothing of the kind; one that has nothing of the kind in
/// any flow may be mistyped, and ``FlowHost/plan()`` names it. A step is named by its whole path,
/// or by the last part of it; below a fork with a branch for each element `*` stands for the number.
public struct Move: Sendable {
  let apply: @Sendable (inout StoredState) throws -> Void
  /// What it is called, and the step that it is about; nil where only its closure knows.
  let subject: (name: String, step: StepID)?
  /// What the step is called then.
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

  /// A step, or a part with all its steps, has another name.
  public static func rename(_ step: StepID, to name: StepID) -> Move {
    Move("rename", step, to: name) { $0.rename(step, to: name) }
  }

  /// A step is given something else. Also what it was given when a back leads to it is changed.
  public static func input<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move("input", step) { try $0.changeInput(of: step, change) }
  }

  /// A flow that is at a step enters another one instead: its old step is gone. What it answered and recorded there is
  /// forgotten.
  public static func reenter<Old: Decodable & Sendable, New: Encodable & Sendable>(
    _ step: StepID, at other: StepID, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move("reenter", step) { try $0.reenter(step, at: other, change) }
  }

  /// A step that was done is gone. What it did is not undone any more.
  public static func forget(_ step: StepID) -> Move {
    Move("forget", step) { state in
      guard !state.focused.contains(where: { step.means($0) }) else { return }
      try state.forget(step)
    }
  }

  /// Anything else.
  public static func custom(_ change: @escaping @Sendable (inout StoredState) throws -> Void) -> Move {
    Move(changing: change)
  }
}
