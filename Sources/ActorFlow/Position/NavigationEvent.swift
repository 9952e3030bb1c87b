/// A transition of a flow, with the whole position after it.
///
/// The events of a run are numbered 1, 2, 3… without gaps. A subscriber that sees a gap fell behind the log; the next
/// event that it receives carries the whole position again.
public struct NavigationEvent: Sendable {
  /// The flow that moved.
  public let flow: FlowID
  /// The number of the coordinator's run: 1 for the first.
  public let run: Int
  /// The event's number within the run.
  public let sequence: Int
  /// The time of the transition, from the run's start, by the coordinator's clock. The difference between
  /// two events tells how long the step between them took. For a durable flow the time also runs while no host does.
  public let at: Duration
  package let entry: LogEntry

  package init(flow: FlowID, run: Int, sequence: Int, at time: Duration, entry: LogEntry) {
    self.flow = flow
    self.run = run
    self.sequence = sequence
    at = time
    self.entry = entry
  }

  /// The change that the transition made.
  public var change: Change {
    switch entry {
    case .moved(let node): .moved(from: node.below.map(Visit.init), to: Visit(node))
    case .other(let transition): transition.change
    }
  }

  /// The position of the flow after the transition.
  public var position: Position {
    switch entry {
    case .moved(let node):
      Position(stack: StepStack(node), questions: [], status: .running, canBackUp: node.canBackUp)
    case .other(let transition): transition.position
    }
  }
}
