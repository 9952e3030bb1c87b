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
/// Moves are applied in order. A move has no effect on a flow that does not have its step, or its key. If no flow and no
/// definition has the step, its name may be mistyped, and ``FlowHost/plan()`` reports the move. Name a step by its whole
/// path, or by the last part of the path. Below a fork with a branch for each element, `*` stands for the number of the
/// element.
///
/// A move that throws leaves the flow as it was: it stays on its version if that is registered and can read it, or else
/// it is unmigrated, for the reason that the error gives.
public struct Move: Sendable {
  let apply: @Sendable (inout StoredState) throws -> Void
  /// The kind of move and the step that it names; `nil` if only the closure knows.
  let subject: (name: String, step: StepID)?
  /// The step's name after a `rename`.
  let newName: StepID?
  /// The stored value that the move names, if it names one.
  let value: StoredKey?

  private init(
    _ name: String, _ step: StepID, to newName: StepID? = nil, value: StoredKey? = nil,
    _ apply: @escaping @Sendable (inout StoredState) throws -> Void
  ) {
    (self.apply, self.newName, self.value) = (apply, newName, value)
    subject = (name, step)
  }

  private init(changing apply: @escaping @Sendable (inout StoredState) throws -> Void) {
    (self.apply, subject, newName, value) = (apply, nil, nil, nil)
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

  /// Changes an answer that a step got in its visit under way, because the prompt's `Answer` is another type now.
  ///
  /// A signal that the step has received is an answer as well, under the signal's name. So is the output that a rendered
  /// step has made, under the key `output`.
  ///
  /// - Parameters:
  ///   - step: The step that asked.
  ///   - key: The key that was given with the question, or the name of the prompt's type. A name means every question
  ///     of that name in the visit; add ` #2` for the second one alone.
  ///   - change: Returns the new answer. An error leaves the flow as it was.
  public static func answer<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, key: String, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move("answer", step, value: .answer(key)) { try $0.changeAnswer(of: step, key: key, change) }
  }

  /// Drops an answer that no question asks for any more.
  ///
  /// When a step asks something new although it has not come back to an answer of its visit, its code has changed: the
  /// flow is unmigrated, and the answer is kept. Drop the answer with this move, or let the step ask for it again. The
  /// step then asks from where it was: the answers that remain are replayed.
  ///
  /// - Parameters:
  ///   - step: The step that asked.
  ///   - key: The answer's key, as for ``answer(of:key:_:)``.
  public static func forgetAnswer(of step: StepID, key: String) -> Move {
    Move("forgetAnswer", step, value: .answer(key)) { $0.forgetAnswer(of: step, key: key) }
  }

  /// Changes a record of `once`, because the effect's result is another type now.
  ///
  /// The records at all places of the step are changed, also where its `backUp` threw and may be retried.
  ///
  /// - Parameters:
  ///   - step: The step that called `once`.
  ///   - key: The key of the record.
  ///   - change: Returns the new result. An error leaves the flow as it was.
  public static func record<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, key: String, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move("record", step, value: .record(key)) { try $0.changeRecord(of: step, key: key, change) }
  }

  /// Changes the state of a rendered step, at all its places.
  ///
  /// - Parameters:
  ///   - step: The rendered step.
  ///   - child: The name of a type of its children whose states are changed; `nil` for the step's own state.
  ///   - change: Returns the new state. An error leaves the flow as it was.
  public static func state<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, child: String? = nil, _ change: @escaping @Sendable (Old) throws -> New
  ) -> Move {
    Move("state", step, value: child.map { .state($0) }) { try $0.changeState(of: step, child: child, change) }
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
  ///
  /// If it was `.oneWay`, no back leads to the steps before it, as if it were there.
  public static func forget(_ step: StepID) -> Move {
    Move("forget", step) { state in
      guard !state.focused.contains(where: { step.means($0) }) else { return }
      try state.forget(step)
    }
  }

  /// Gives open forks the branches of the new version, where a `Parallel` or a `Race` has gained, lost or reordered some.
  ///
  /// ```swift
  /// // Before: stock, fraud. Now: address, stock.
  /// .branches(of: "prepare/parallel", from: [nil, 0], forgettingSteps: true)
  /// ```
  ///
  /// A new branch begins with the fork's input when the flow goes on. A lost branch is not walked any more, and what it
  /// has open is closed. Its steps are gone from the definition, so their effects remain, as with ``forget(_:)``.
  /// Forks that are being left or joined stay as they are: the move throws for them. So it does for a lost branch that
  /// has entered a step, unless it is told to forget the steps.
  ///
  /// - Parameters:
  ///   - fork: The fork; `*` in its path stands for the number of an element.
  ///   - old: For each branch of the new version, in order, its number in the old one, from 0; `nil` for a new branch.
  ///   - forgetsSteps: Whether branches may be lost that have entered a step.
  public static func branches(of fork: StepID, from old: [Int?], forgettingSteps forgetsSteps: Bool = false) -> Move {
    Move("branches", fork) { try $0.changeBranches(of: fork, from: old, forgettingSteps: forgetsSteps) }
  }

  /// Changes the stored state in any other way.
  public static func custom(_ change: @escaping @Sendable (inout StoredState) throws -> Void) -> Move {
    Move(changing: change)
  }
}
