import ActorFlow

extension EventLine {
  /// Fills in the change.
  mutating func describe(_ change: Change) {
    switch change {
    case .launched: self.change = "launched"
    case .moved(let from, let to): name("moved", to.step, from: from?.step)
    case .skipped(let step): name("skipped", step)
    case .finalizing(let step): name("finalizing", step)
    case .asked(let question): name("asked", question.step)
    case .updated(let question): name("updated", question.step)
    case .answered: self.change = "answered"
    case .withdrawn: self.change = "withdrawn"
    case .leaving(let visit, let why): name("leaving", visit.step, reason: Self.word(why))
    case .backedUp(let from, let to, let errors):
      name("backedUp", to.step, from: from.step, reason: Self.sentence(errors))
    case .caught(let step, let error, let catcher):
      name("caught", step, reason: "\(error); \(catcher)")
    case .unwound(let to, let errors): name("unwound", to?.step, reason: Self.sentence(errors))
    case .joined(let visit, let errors): name("joined", visit.step, reason: Self.sentence(errors))
    case .waiting(let wait): name("waiting", wait.step, reason: wait.signal)
    case .received(let wait): name("received", wait.step, reason: wait.signal)
    case .stoppedWaiting(let wait): name("stoppedWaiting", wait.step, reason: wait.signal)
    case .finished: self.change = "finished"
    case .failed(let step, let error): name("failed", step, reason: "\(error)")
    case .suspended(let step, let error): name("suspended", step, reason: "\(error)")
    case .abandoned(let reason): name("abandoned", nil, reason: reason)
    case .cancelled: self.change = "cancelled"
    case .rolledBack(let errors): name("rolledBack", nil, reason: Self.sentence(errors))
    @unknown default: self.change = "\(change)"
    }
  }

  private mutating func name(_ change: String, _ step: StepID?, from: StepID? = nil, reason: String? = nil) {
    self.change = change
    self.step = step?.path
    self.from = from?.path
    self.reason = reason
  }

  private static func sentence(_ errors: [any Error]) -> String? {
    errors.isEmpty ? nil : errors.map { "\($0)" }.joined(separator: "; ")
  }

  private static func word(_ reason: LeaveReason) -> String {
    switch reason {
    case .back: "back"
    case .abandoned(let reason): "abandoned: \(reason)"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .timedOut: "timedOut"
    case .superseded: "superseded"
    case .completed: "completed"
    case .enteredAnew: "entered anew"
    @unknown default: "\(reason)"
    }
  }

  /// The status in one word.
  static func word(_ status: Status) -> String {
    switch status {
    case .idle: "idle"
    case .running: "running"
    case .leaving: "leaving"
    case .rollingBack: "rollingBack"
    case .ended(let ending): word(ending)
    @unknown default: "\(status)"
    }
  }

  private static func word(_ ending: Ending) -> String {
    switch ending {
    case .finished: "finished"
    case .failed: "failed"
    case .abandoned: "abandoned"
    case .cancelled: "cancelled"
    @unknown default: "\(ending)"
    }
  }
}
