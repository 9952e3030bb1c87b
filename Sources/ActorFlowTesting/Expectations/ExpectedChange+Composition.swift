public import ActorFlow

// Events of forks, and of scopes around failures.
extension ExpectedChange {
  /// Expects that a scope of the definition caught a failure of `step`; with `catcher`, that this catcher did.
  public static func caught(_ step: StepID, by catcher: Catcher? = nil) -> ExpectedChange {
    caught(step, with: (any Error).self, by: catcher)
  }

  /// Expects that a scope caught an error of type `type` that `step` threw; with `catcher`, that this catcher did.
  public static func caught<Failure: Error>(
    _ step: StepID, with type: Failure.Type, by catcher: Catcher? = nil
  ) -> ExpectedChange {
    let kind = type == (any Error).self ? "" : " with \(type)"
    return ExpectedChange("caught at \(step)\(kind)\(catcher.map { " by \($0)" } ?? "")") { change in
      guard case .caught(let failed, let error, let found) = change else { return false }
      return step.matches(failed) && error is Failure && (catcher == nil || catcher == found)
    }
  }

  /// Expects that the steps inside a scope were compensated, because of a failure or because its time was over.
  ///
  /// - Parameters:
  ///   - step: The step before the scope; `nil` for any step or none.
  ///   - errors: The number of `backUp`s that threw.
  public static func unwound(to step: StepID? = nil, errors: Int = 0) -> ExpectedChange {
    ExpectedChange("unwound\(step.map { " to \($0)" } ?? "")\(failing(errors))") { change in
      guard case .unwound(let visit, let found) = change else { return false }
      return step.matches(visit?.step) && found.count == errors
    }
  }

  /// Expects that all branches of the fork `step` have ended, and that the superseded ones are rolled back.
  ///
  /// - Parameters:
  ///   - step: The name of the fork: `parallel`, `race`, `each`, or the name that `.named` gives it.
  ///   - errors: The number of `backUp`s of superseded branches that threw.
  public static func joined(_ step: StepID, errors: Int = 0) -> ExpectedChange {
    ExpectedChange("joined \(step)\(failing(errors))") { change in
      guard case .joined(let visit, let found) = change else { return false }
      return step.matches(visit.step) && found.count == errors
    }
  }
}

// MARK: - Signals

extension ExpectedChange {
  /// Expects that a step began to wait for this signal, or that `step` did. A buffered signal makes no event.
  public static func waitingForSignal<Value: Sendable>(
    _ signal: Signal<Value>, at step: StepID? = nil
  ) -> ExpectedChange {
    ExpectedChange("waiting for signal \(signal.name)\(at(step))", duringQuestion: true) { change in
      if case .waiting(let wait) = change { wait.signal == signal.name && step.matches(wait.step) } else { false }
    }
  }

  /// Expects that a step that waited received this signal, or that `step` did.
  public static func receivedSignal<Value: Sendable>(
    _ signal: Signal<Value>, at step: StepID? = nil
  ) -> ExpectedChange {
    ExpectedChange("received signal \(signal.name)\(at(step))", duringQuestion: true) { change in
      if case .received(let wait) = change { wait.signal == signal.name && step.matches(wait.step) } else { false }
    }
  }

  /// Expects that a step, or `step`, stopped waiting for this signal without receiving it: it timed out or gave up.
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
