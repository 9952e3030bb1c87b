public import ActorFlow

/// What a test expects to happen next, for ``FlowTester/expect(_:fileID:line:)``.
///
/// Steps are named as everywhere: by their whole path, or by its last part.
///
/// ```swift
/// try await tester.expect(.moved(to: "pricing"), .skipped("gift-wrap"), .moved(to: "payment"))
/// ```
public struct ExpectedChange: Sendable, CustomStringConvertible {
  /// The expectation in words, as failures show it.
  public let description: String
  let matches: @Sendable (Change) -> Bool
  /// Whether this can be the very next thing to happen while a step waits for an answer.
  let comesDuringQuestion: Bool

  init(_ description: String, duringQuestion: Bool = false, _ matches: @escaping @Sendable (Change) -> Bool) {
    self.description = description
    self.matches = matches
    self.comesDuringQuestion = duringQuestion
  }

  /// Anything that `matches` says is it; `description` names it in failures.
  public static func matching(
    _ description: String, _ matches: @escaping @Sendable (Change) -> Bool
  ) -> ExpectedChange {
    ExpectedChange(description, duringQuestion: true, matches)
  }
}

// MARK: - Walking

extension ExpectedChange {
  /// The run began. Implied wherever it is not named.
  public static let launched = ExpectedChange("launched") { if case .launched = $0 { true } else { false } }

  /// The flow entered `step`; with `from`, out of that step.
  public static func moved(to step: StepID, from: StepID? = nil) -> ExpectedChange {
    let origin = from.map { " from \($0)" } ?? ""
    return ExpectedChange("moved to \(step)\(origin)") { change in
      guard case .moved(let left, let entered) = change, !entered.isSkipped else { return false }
      return step.matches(entered.step) && from.matches(left?.step)
    }
  }

  /// `step` was passed over, whether or not it is kept to be returned to.
  public static func skipped(_ step: StepID) -> ExpectedChange {
    ExpectedChange("skipped \(step)") { change in
      switch change {
      case .skipped(let skipped): step.matches(skipped)
      case .moved(_, let visit): visit.isSkipped && step.matches(visit.step)
      default: false
      }
    }
  }

  /// The last step returned. ``FlowTester/finish(fileID:line:)`` also hands over what it returned.
  public static let finished = ExpectedChange("finished") { if case .finished = $0 { true } else { false } }

  /// `step` failed; whatever it threw.
  public static func failed(_ step: StepID) -> ExpectedChange {
    failed(step, with: (any Error).self)
  }

  /// `step` failed with an error of type `type`.
  public static func failed<Failure: Error>(_ step: StepID, with type: Failure.Type) -> ExpectedChange {
    let kind = type == (any Error).self ? "" : " with \(type)"
    return ExpectedChange("failed at \(step)\(kind)") { change in
      guard case .failed(let failed, let error) = change else { return false }
      return step.matches(failed) && error is Failure
    }
  }
}

extension StepID? {
  /// Whether a step was not named, or is the one meant.
  func matches(_ step: StepID?) -> Bool {
    guard let self else { return true }
    return step.map(self.matches) ?? false
  }
}
