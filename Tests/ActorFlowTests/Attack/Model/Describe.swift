import ActorFlow

// The observable state of the library, in the reference's words.

func describe(_ event: NavigationEvent) -> String {
  "\(event.run).\(event.sequence) \(describe(event.change)) | \(describe(event.position))"
}

func describe(_ position: Position) -> String {
  let stack = position.stack.reversed().map(describe).joined(separator: " ")
  let asked = position.questions.map { "\($0.id.number).\($0.revision)" }.joined(separator: " ")
  let back = position.canBackUp ? " back" : ""
  return "[\(stack)] \(asked.isEmpty ? "-" : asked) \(describe(position.status))\(back)"
}

func describe(_ visit: Visit) -> String { "\(visit.step)@\(visit.id)\(visit.isSkipped ? "s" : "")" }

private func describe(_ status: Status) -> String {
  switch status {
  case .idle: "idle"
  case .running: "running"
  case .leaving(let visit, _): "leaving \(describe(visit))"
  case .rollingBack: "rollingBack"
  case .ended(.finished): "ended finished"
  case .ended(.failed): "ended failed"
  case .ended(.abandoned(let reason)): "ended abandoned \(reason)"
  case .ended(.cancelled): "ended cancelled"
  }
}

private func describe(_ reason: LeaveReason) -> String {
  if case .abandoned(let reason) = reason { "abandoned \(reason)" } else { reason.word }
}

private func describe(_ change: Change) -> String {
  switch change {
  case .launched: "launched"
  case .moved(let from, let to): "moved \(from.map(describe) ?? "-")→\(describe(to))"
  case .skipped(let step): "skipped \(step)"
  case .finalizing(let name): "finalizing \(name)"
  case .asked(let question): "asked \(question.id.number)"
  case .updated(let question): "updated \(question.id.number)"
  case .answered(let id, _): "answered \(id.number)"
  case .withdrawn(let id): "withdrawn \(id.number)"
  case .leaving(let visit, let reason): "leaving \(describe(visit)) \(describe(reason))"
  case .backedUp(let from, let to, let errors): "backedUp \(describe(from))→\(describe(to)) \(errors.count)"
  case .caught, .unwound, .joined, .waiting, .received, .stoppedWaiting, .suspended: "\(change)"
  case .finished: "finished"
  case .failed(let step, _): "failed \(step)"
  case .abandoned(let reason): "abandoned \(reason)"
  case .cancelled: "cancelled"
  case .rolledBack(let errors): "rolledBack \(errors.count)"
  }
}
