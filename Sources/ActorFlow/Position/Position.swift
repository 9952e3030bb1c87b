/// The state of a flow after an event, as seen from outside.
///
/// A position is a value that shares its parts with the positions before and after it. Keeping a position keeps no step
/// alive. The lists about branches are computed when they are read, so an event of a fork with many branches costs no
/// more than one of a fork with few. Reading such a list takes time proportional to its length.
public struct Position: Sendable {
  /// The visits that led here, top first.
  public let stack: StepStack
  private let content: Content

  private enum Content: Sendable {
    case unforked(questions: [Question], waits: [Wait], status: Status, canBackUp: Bool)
    case forked(TrackView, status: Status)
  }

  package init(
    stack: StepStack, questions: [Question], status: Status, canBackUp: Bool, waits: [Wait] = []
  ) {
    self.stack = stack
    content = .unforked(questions: questions, waits: waits, status: status, canBackUp: canBackUp)
  }

  /// The position of a flow with a fork on top of its stack.
  ///
  /// - Parameter status: The status of the flow itself. If it is `running`, the position's status also reports a branch
  ///   that is being left.
  package init(_ view: TrackView, status: Status) {
    stack = view.stack
    content = .forked(view, status: status)
  }

  /// The open questions, oldest first.
  public var questions: [Question] {
    switch content {
    case .unforked(let questions, _, _, _): return questions
    case .forked(let view, _):
      var questions: [Question] = []
      view.forEach { if let question = $0.question { questions.append(question) } }
      return questions.sorted { $0.id.number < $1.id.number }
    }
  }

  /// The activity of the flow.
  public var status: Status {
    switch content {
    case .unforked(_, _, let status, _): return status
    case .forked(let view, let status):
      guard status == .running, let leaving = view.leavingBranch else { return status }
      return .leaving(Visit(leaving.visit), since: leaving.since)
    }
  }

  /// Whether `backUp()` has a target. With several open branches, `backUp()` may ask for a branch to be named.
  public var canBackUp: Bool {
    switch content {
    case .unforked(_, _, _, let canBackUp): canBackUp
    case .forked(let view, _): view.canBackUp(orTo: false)
    }
  }

  /// The signals that steps wait for, oldest first.
  public var waits: [Wait] {
    switch content {
    case .unforked(_, let waits, _, _): return waits
    case .forked(let view, _):
      var waits: [Wait] = []
      view.forEach { waits += $0.waits }
      return waits.sorted { $0.number < $1.number }
    }
  }

  /// The branches of the fork on top of the stack; empty if the step in focus is not a fork.
  public var branches: [Branch] {
    switch content {
    case .unforked: []
    case .forked(let view, _): view.branches?.map(Branch.init) ?? []
    }
  }

  /// The step in focus.
  public var step: StepID? { stack.top?.step }
}
