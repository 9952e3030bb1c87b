import ActorFlow

/// Computes the position from the changes alone, as a watcher does, and throws when an event's own position differs, a
/// number is missing, or a change is impossible in its phase.
struct Fold {
  enum Phase: Equatable { case idle, running, leaving(Visit), rollingBack, ended(Ending) }

  /// The steps that drop the places before them when they are left forwards.
  var settling: Set<StepID> = []
  private(set) var stack: [Visit] = []
  private(set) var question: Question?
  private(set) var waits: [Wait] = []
  private(set) var phase = Phase.idle
  private(set) var sequence = 0

  /// The fold over all events of a run, which must have ended.
  static func whole(_ events: [NavigationEvent], settling: Set<StepID> = []) throws(Finding) {
    var fold = Fold(settling: settling)
    for event in events { try fold.take(event) }
    guard case .ended = fold.phase else { throw Finding("the last event does not end the run") }
  }

  mutating func take(_ event: NavigationEvent) throws(Finding) {
    try demandEqual(event.sequence, sequence + 1, "the event's number")
    sequence += 1
    guard apply(event.change, to: event.position) else {
      throw Finding("\(describe(event)) cannot happen in phase \(phase)")
    }
    try demand(
      event.position.stack.reversed().elementsEqual(stack), "the changes lead to \(stack), not \(describe(event))")
    try demand(
      event.position.questions.map(\.id) == (question.map { [$0.id] } ?? [])
        && event.position.questions.first?.revision == question?.revision,
      "another question is open: \(describe(event))")
    try demand(event.position.waits == waits, "other waits are open: \(describe(event))")
    try demand(Self.phase(event.position.status) == phase, "the phase is \(phase), not that of \(describe(event))")
  }

  /// Returns false if the change is impossible now.
  private mutating func apply(_ change: Change, to position: Position) -> Bool {
    switch change {
    case .launched:
      guard phase == .idle else { return false }
      phase = .running
    case .moved(let from, let to):
      guard phase == .running, from == stack.last, question == nil else { return false }
      if let from, settling.contains(from.step) { stack = [] }
      stack.append(to)
    case .skipped, .finalizing: return phase == .running
    case .asked(let new):
      guard phase == .running, question == nil, new.visit == stack.last?.id else { return false }
      question = new
    case .updated(let new):
      guard phase == .running, question?.id == new.id, question?.revision == new.revision - 1 else { return false }
      question = new
    case .answered(let id, _), .withdrawn(let id):
      guard phase == .running, question?.id == id else { return false }
      question = nil
    case .leaving(let visit, let reason): return leave(visit, reason)
    case .backedUp(let from, let to, _): return land(from, to)
    case .waiting(let wait):
      guard phase == .running, !waits.contains(wait) else { return false }
      waits.append(wait)
    case .received(let wait), .stoppedWaiting(let wait):
      guard phase == .running, let index = waits.firstIndex(of: wait) else { return false }
      waits.remove(at: index)
    case .caught, .unwound, .joined, .suspended: return false
    case .finished:
      guard phase == .running, question == nil else { return false }
      phase = .ended(.finished)
      if let last = stack.last, settling.contains(last.step) { stack = [] }
    case .failed:
      guard phase == .running else { return false }
      phase = .rollingBack
      (question, waits) = (nil, [])
    case .abandoned, .cancelled:
      guard phase == .leaving(stack.last ?? nil) || (phase == .running && stack.isEmpty) else { return false }
      phase = Self.phase(position.status)
      if phase == .running { return false }
    case .rolledBack:
      guard phase == .rollingBack else { return false }
      phase = Self.phase(position.status)
      stack = []
    }
    return true
  }

  private mutating func leave(_ visit: Visit, _ reason: LeaveReason) -> Bool {
    guard stack.last == visit, phase == .running || (phase == .leaving(visit) && reason != .back) else { return false }
    phase = .leaving(visit)
    (question, waits) = (nil, [])
    return true
  }

  private mutating func land(_ from: Visit, _ to: Visit) -> Bool {
    guard phase == .leaving(from), let depth = stack.dropLast().lastIndex(where: { $0.step == to.step }) else {
      return false
    }
    stack.removeSubrange(depth...)
    stack.append(to)
    phase = .running
    return true
  }

  private static func phase(_ status: Status) -> Phase {
    switch status {
    case .idle: .idle
    case .running: .running
    case .leaving(let visit, _): .leaving(visit)
    case .rollingBack: .rollingBack
    case .ended(let ending): .ended(ending)
    }
  }
}

extension Fold.Phase {
  fileprivate static func leaving(_ visit: Visit?) -> Fold.Phase? { visit.map { .leaving($0) } }
}
