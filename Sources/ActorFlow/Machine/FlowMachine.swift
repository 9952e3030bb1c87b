/// The one place that decides: a value that takes inputs and says what is to be done.
///
/// It has no task, no clock and no I/O. Each input is a method; it returns what the caller is to carry out, or throws a
/// ``FlowError`` and has changed nothing. An input publishes at most one event. The inputs stand in extensions by
/// topic: launching and walking, asking, records, leaving, rolling back.
///
/// It releases no value of a user's inside an input, so that the caller may hold a lock around it: what is dropped is
/// handed out by ``takeDiscarded()``.
package struct FlowMachine: Sendable {
  package enum Phase: Sendable {
    /// Nothing was launched.
    case idle
    /// A walk is under way and may go on.
    case walking
    /// A leave was accepted; the walk is to end.
    case leaving
    /// The walk has ended; places are compensated.
    case compensating
    case ended
  }

  package let flow: FlowID
  package internal(set) var graph = Graph.empty
  package internal(set) var phase = Phase.idle
  package internal(set) var run = 0
  /// The number of the latest event.
  package internal(set) var sequence = 0
  /// The leave under way; there is one exactly while leaving or compensating.
  package internal(set) var leave: Leave?
  package internal(set) var ending: Ending?
  /// What `backUp`s threw on the way to the end, until the next ``takeDiscarded()``.
  package internal(set) var rollbackErrors: [any Error] = []

  /// The newest place of the stack, and what still changes about it.
  var top: Place?
  var focus = Focus()
  /// What the stack shows after the end.
  var lastStack: VisitNode?
  var asking: Asking?
  /// The flow's input, until the first place holds it.
  var launchCargo: Cargo?
  /// What `run` is to return or throw, once ended.
  var result: Result<any Sendable, any Error>?
  var numbers: Numbers
  let journal: Journal
  private(set) var discarded: [any Sendable] = []

  /// The counters that no run restarts.
  package struct Numbers: Sendable {
    package internal(set) var run = 0
    package internal(set) var visit = 0
    package internal(set) var question = 0

    package init() {}
  }

  /// Whether a visit's answers are kept, so that it can be replayed.
  package enum Journal: Sendable {
    /// Answers are handed to the asker and forgotten.
    case off
    /// Each answer is kept, the asker is cancelled, and a new instance of the step replays the visit.
    case reloading
  }

  package init(flow: FlowID, numbers: Numbers = Numbers(), journal: Journal = .off) {
    self.flow = flow
    self.numbers = numbers
    self.journal = journal
  }

  /// The counters a later run continues.
  package var nextNumbers: Numbers { numbers }

  /// Whether the flow waits for somebody outside, or has ended.
  package var isSettled: Bool {
    phase == .ended || (phase == .walking && asking != nil)
  }

  package var hasDiscarded: Bool { !discarded.isEmpty }

  /// The values that inputs have dropped since the last call.
  package mutating func takeDiscarded() -> [any Sendable] {
    if !rollbackErrors.isEmpty {
      discard(rollbackErrors)
      rollbackErrors = []
    }
    guard !discarded.isEmpty else { return [] }
    defer { discarded = [] }
    return discarded
  }

  mutating func discard(_ value: any Sendable) {
    discarded.append(value)
  }

  /// What `run` returns or throws, handed out once.
  package mutating func takeResult() -> Result<any Sendable, any Error>? {
    defer { result = nil }
    return result
  }
}

// MARK: - What the world sees

extension FlowMachine {
  /// Where the flow stands.
  package var position: Position {
    Position(
      stack: StepStack(stack), questions: asking.map { [$0.question] } ?? [], status: status,
      canBackUp: canLeave && (top?.backTarget ?? -1) >= 0)
  }

  /// Whether nobody has asked to leave. A reload is nobody's business, so it does not show.
  private var canLeave: Bool {
    phase == .walking || leave?.isReload == true
  }

  /// What the world sees of the stack. It changes with events only, so during a rollback it still shows what is left.
  var stack: VisitNode? {
    switch phase {
    case .idle: nil
    case .walking: top?.visit
    case .leaving, .compensating: leave?.visit
    case .ended: lastStack
    }
  }

  var status: Status {
    switch phase {
    case .idle: .idle
    case .walking: .running
    case .leaving, .compensating:
      if let leave, !leave.isAnnounced {
        // Before the first step was entered there is no visit to leave, and a reload is nobody's business.
        if let visit = leave.visit, !leave.isReload { .leaving(Visit(visit), since: leave.since) } else { .running }
      } else {
        .rollingBack
      }
    case .ended: .ended(ending ?? .finished)
    }
  }

  /// The next event. Call it last in an input: it carries the position as it stands.
  mutating func publish(_ change: Change) -> NavigationEvent {
    sequence += 1
    return NavigationEvent(flow: flow, run: run, sequence: sequence, entry: LogEntry(change, position))
  }

  func error(_ code: FlowError.Code, _ message: String, step: StepID? = nil) -> FlowError {
    FlowError(code, message, flow: flow, step: step)
  }

  /// Refuses what is only possible during a run.
  func requireRun() throws(FlowError) {
    switch phase {
    case .idle: throw error(.notRunning, "no run has begun; wait for one with `settled()`")
    case .ended: throw error(.flowEnded, "the run has ended; `run` starts another")
    case .walking, .leaving, .compensating: return
    }
  }
}
