/// The content of an event, as the machine and the log pass it on: one pointer. The common case, a move, stores only
/// its visit; the change and the position are computed when they are read.
package enum LogEntry: Sendable {
  case moved(VisitNode)
  case other(Transition)

  package init(_ change: Change, _ position: Position) {
    self = .other(Transition(change, position))
  }

  /// A change and a position that the visit alone does not determine.
  package final class Transition: Sendable {
    package let change: Change
    package let position: Position

    init(_ change: Change, _ position: Position) {
      self.change = change
      self.position = position
    }
  }
}
