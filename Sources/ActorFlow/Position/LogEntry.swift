/// An event as machine and log pass it on: one pointer. The everyday move is its visit; the rest of the event is made when
/// somebody reads it.
package enum LogEntry: Sendable {
  case moved(VisitNode)
  case other(Published)

  package init(_ event: NavigationEvent) {
    self = .other(Published(event))
  }

  package func event(flow: FlowID, run: Int, sequence: Int) -> NavigationEvent {
    switch self {
    case .other(let published): published.event
    case .moved(let node):
      NavigationEvent(
        flow: flow, run: run, sequence: sequence,
        change: .moved(from: node.below.map(Visit.init), to: Visit(node)),
        position: Position(
          stack: StepStack(node), questions: [], status: .running, canBackUp: node.canBackUp))
    }
  }
}

/// An event that stands in the log whole.
package final class Published: Sendable {
  package let event: NavigationEvent

  package init(_ event: NavigationEvent) {
    self.event = event
  }
}
