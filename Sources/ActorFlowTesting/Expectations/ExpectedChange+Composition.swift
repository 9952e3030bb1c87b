public import ActorFlow

// What happens to forks, and to scopes around failures.
extension ExpectedChange {
  /// A failure of `step` was caught by a scope of the definition; with `catcher`, by that one.
  public static func caught(_ step: StepID, by catcher: Catcher? = nil) -> ExpectedChange {
    caught(step, with: (any Error).self, by: catcher)
  }

  /// A failure of `step` with an error of type `type` was caught by a scope; with `catcher`, by that one.
  public static func caught<Failure: Error>(
    _ step: StepID, with type: Failure.Type, by catcher: Catcher? = nil
  ) -> ExpectedChange {
    let kind = type == (any Error).self ? "" : " with \(type)"
    return ExpectedChange("caught at \(step)\(kind)\(catcher.map { " by \($0)" } ?? "")") { change in
      guard case .caught(let failed, let error, let found) = change else { return false }
      return step.matches(failed) && error is Failure && (catcher == nil || catcher == found)
    }
  }

  /// What was done inside a scope is undone, because of a failure or because its time was over.
  ///
  /// - Parameters:
  ///   - step: The step before it; nil: any, or none.
  ///   - errors: How many `backUp`s threw.
  public static func unwound(to step: StepID? = nil, errors: Int = 0) -> ExpectedChange {
    ExpectedChange("unwound\(step.map { " to \($0)" } ?? "")\(failing(errors))") { change in
      guard case .unwound(let visit, let found) = change else { return false }
      return step.matches(visit?.step) && found.count == errors
    }
  }

  /// All branches of the fork `step` have ended, and the superfluous ones are undone.
  ///
  /// - Parameters:
  ///   - step: The fork, by its name: `parallel`, `race`, `each`, or what `.named` calls it.
  ///   - errors: How many `backUp`s of superfluous branches threw.
  public static func joined(_ step: StepID, errors: Int = 0) -> ExpectedChange {
    ExpectedChange("joined \(step)\(failing(errors))") { change in
      guard case .joined(let visit, let found) = change else { return false }
      return step.matches(visit.step) && found.count == errors
    }
  }
}

// MARK: - Signals

extension ExpectedChange {
  /// A step began to wait for this signal; with `step`, that one. A signal that was there already makes no event.
  public static func waitingForSignal<Value: Sendable>(
    _ signal: Signal<Value>, at step: StepID? = nil
  ) -> ExpectedChange {
    ExpectedChange("waiting for signal \(signal.name)\(at(step))", duringQuestion: true) { change in
      if case .waiting(let wait) = change { wait.signal == signal.name && step.matches(wait.step) } else { false }
    }
  }

  /// A step that waited got this signal; with `step`, that one.
  public static func receivedSignal<Value: Sendable>(
    _ signal: Signal<Value>, at step: StepID? = nil
  ) -> ExpectedChange {
    ExpectedChange("received signal \(signal.name)\(at(step))", duringQuestion: true) { change in
      if case .received(let wait) = change { wait.signal == signal.name && step.matches(wait.step) } else { false }
    }
  }

  /// A step no longer waits for this signal and has not got it: its time was over, or it gave up; with `step`, that one.
  public static func stoppedWaitingForSignal<Value: Sendable>(
    _ signal: Signal<Value>, at step: StepID? = nil
  ) -> ExpectedChange {
    ExpectedChange("stopped waiting for signal \(signal.name)\(at(step))", duringQuestion: true) { change in
      if case .stoppedWaiting(let wait) = change {
        wait.signal == signal.name && step.matches(wait.step)
      } else {
        false
      }
    }
  }
}
