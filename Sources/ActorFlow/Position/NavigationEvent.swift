/// One transition of a flow, with the whole position after it.
///
/// Events of a run are numbered 1, 2, 3… without gaps. A subscriber that sees a gap fell behind the log; the next event
/// it gets is whole again.
public struct NavigationEvent: Sendable {
  /// The flow that moved.
  public let flow: FlowID
  /// Which run of the coordinator: 1 for the first.
  public let run: Int
  /// The event's number within the run.
  public let sequence: Int
  package let entry: LogEntry

  package init(flow: FlowID, run: Int, sequence: Int, entry: LogEntry) {
    self.flow = flow
    self.run = run
    self.sequence = sequence
    self.entry = entry
  }

  /// What happened.
  public var change: Change {
    switch entry {
    case .moved(let node): .moved(from: node.below.map(Visit.init), to: Visit(node))
    case .other(let transition): transition.change
    }
  }

  /// Where the flow stands now.
  public var position: Position {
    switch entry {
    case .moved(let node):
      Position(stack: StepStack(node), questions: [], status: .running, canBackUp: node.canBackUp)
    case .other(let transition): transition.position
    }
  }
}
