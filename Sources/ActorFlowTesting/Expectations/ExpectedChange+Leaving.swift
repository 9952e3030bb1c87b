public import ActorFlow

// Events of leaving a visit before its step has returned, and of endings other than a finish.
extension ExpectedChange {
  /// Expects that a request to leave `step` was accepted; with `reason`, for that reason.
  public static func leaving(_ step: StepID, _ reason: LeaveReason? = nil) -> ExpectedChange {
    leaving(step: step, reason)
  }

  /// Expects that a request to leave was accepted; `nil` for any step or any reason.
  static func leaving(step: StepID?, _ reason: LeaveReason?) -> ExpectedChange {
    let place = step.map { " \($0)" } ?? ""
    let why = reason.map { " (\($0))" } ?? ""
    return ExpectedChange("leaving\(place)\(why)", duringQuestion: true) { change in
      guard case .leaving(let visit, let found) = change else { return false }
      return step.matches(visit.step) && (reason == nil || reason == found)
    }
  }

  /// Expects that the flow landed at a step.
  ///
  /// - Parameters:
  ///   - step: The step where the flow landed.
  ///   - from: The step that was left; `nil` for any step.
  ///   - errors: The number of `backUp`s that threw on the way.
  public static func backedUp(to step: StepID, from: StepID? = nil, errors: Int = 0) -> ExpectedChange {
    backedUp(landing: step, from: from, errors: errors)
  }

  static func backedUp(landing step: StepID?, from: StepID? = nil, errors: Int?) -> ExpectedChange {
    let origin = from.map { " from \($0)" } ?? ""
    let target = step.map { " to \($0)" } ?? ""
    return ExpectedChange("backed up\(origin)\(target)\(failing(errors))") { change in
      guard case .backedUp(let left, let landed, let found) = change else { return false }
      return step.matches(landed.step) && from.matches(left.step) && (errors ?? found.count) == found.count
    }
  }

  /// Expects that the flow was abandoned; with `reason`, for that reason.
  public static func abandoned(reason: String? = nil) -> ExpectedChange {
    ExpectedChange("abandoned" + (reason.map { " (\($0))" } ?? "")) { change in
      guard case .abandoned(let found) = change else { return false }
      return reason == nil || reason == found
    }
  }

  /// Expects that the task that called `run` was cancelled, and that the step has returned.
  public static let cancelled = ExpectedChange("cancelled") { if case .cancelled = $0 { true } else { false } }

  /// Expects that everything is rolled back, and that no `backUp` threw.
  public static var rolledBack: ExpectedChange { rolledBack() }

  /// Expects that everything is rolled back as far as possible.
  ///
  /// - Parameter errors: The number of `backUp`s that threw.
  public static func rolledBack(errors: Int = 0) -> ExpectedChange {
    ExpectedChange("rolled back\(failing(errors))") { change in
      if case .rolledBack(let found) = change { found.count == errors } else { false }
    }
  }

  static func failing(_ errors: Int?) -> String {
    switch errors {
    case nil, 0: ""
    case 1: " with 1 error"
    case let count?: " with \(count) errors"
    }
  }
}
