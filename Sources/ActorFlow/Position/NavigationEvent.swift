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
  /// What happened.
  public let change: Change
  /// Where the flow stands now.
  public let position: Position

  package init(flow: FlowID, run: Int, sequence: Int, change: Change, position: Position) {
    self.flow = flow
    self.run = run
    self.sequence = sequence
    self.change = change
    self.position = position
  }
}
