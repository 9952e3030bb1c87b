public import ActorFlow

/// A change that a test expects next, for ``FlowTester/expect(_:fileID:line:)``.
///
/// Name a step by its whole path, or by the last part of the path.
///
/// ```swift
/// try await tester.expect(.moved(to: "pricing"), .skipped("gift-wrap"), .moved(to: "payment"))
/// ```
public struct ExpectedChange: Sendable, CustomStringConvertible {
  /// The expectation in words, as failures show it.
  public let description: String
  let matches: @Sendable (Change) -> Bool
  /// Whether this change can come next while a step waits for an answer.
  let comesDuringQuestion: Bool

  init(_ description: String, duringQuestion: Bool = false, _ matches: @escaping @Sendable (Change) -> Bool) {
    self.description = description
    self.matches = matches
    self.comesDuringQuestion = duringQuestion
  }

  /// Expects any change that `matches` accepts; `description` names the expectation in failures.
  public static func matching(
    _ description: String, _ matches: @escaping @Sendable (Change) -> Bool
  ) -> ExpectedChange {
    ExpectedChange(description, duringQuestion: true, matches)
  }
}

// MARK: - Walking

extension ExpectedChange {
  /// Expects that the run began. Implied wherever it is not named.
  public static let launched = ExpectedChange("launched") { if case .launched = $0 { true } else { false } }

  /// Expects that the flow entered `step`; with `from`, that it came from that step.
  public static func moved(to step: StepID, from: StepID? = nil) -> ExpectedChange {
    let origin = from.map { " from \($0)" } ?? ""
    return ExpectedChange("moved to \(step)\(origin)") { change in
      guard case .moved(let left, let entered) = change, !entered.isSkipped else { return false }
      return step.matches(entered.step) && from.matches(left?.step)
    }
  }

  /// Expects that `step` was skipped, whether or not it stays on the stack to be returned to.
  public static func skipped(_ step: StepID) -> ExpectedChange {
    ExpectedChange("skipped \(step)") { change in
      switch change {
      case .skipped(let skipped): step.matches(skipped)
      case .moved(_, let visit): visit.isSkipped && step.matches(visit.step)
      default: false
      }
    }
  }

  /// Expects that a component with a `finally` of this name ended, so that its finalizer ran.
  public static func finalizing(_ name: StepID) -> ExpectedChange {
    ExpectedChange("finalizing \(name)") { if case .finalizing(let found) = $0 { name.matches(found) } else { false } }
  }

  /// Expects that the last step returned. ``FlowTester/finish(fileID:line:)`` also returns its output.
  public static let finished = ExpectedChange("finished") { if case .finished = $0 { true } else { false } }

  /// Expects that `step` failed, with any error.
  public static func failed(_ step: StepID) -> ExpectedChange {
    failed(step, with: (any Error).self)
  }

  /// Expects that `step` failed with an error of type `type`.
  public static func failed<Failure: Error>(_ step: StepID, with type: Failure.Type) -> ExpectedChange {
    let kind = type == (any Error).self ? "" : " with \(type)"
    return ExpectedChange("failed at \(step)\(kind)") { change in
      guard case .failed(let failed, let error) = change else { return false }
      return step.matches(failed) && error is Failure
    }
  }
}

extension StepID? {
  /// Whether no step was named, or `step` is the one named.
  func matches(_ step: StepID?) -> Bool {
    guard let self else { return true }
    return step.map(self.matches) ?? false
  }
}
