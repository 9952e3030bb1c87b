/// What an event carries, as machine and log pass it on: one pointer. The everyday move is its visit; change and position
/// are made when somebody looks at them.
package enum LogEntry: Sendable {
  case moved(VisitNode)
  case other(Transition)

  package init(_ change: Change, _ position: Position) {
    self = .other(Transition(change, position))
  }

  /// The change and the position that the visit alone does not tell.
  package final class Transition: Sendable {
    package let change: Change
    package let position: Position

    init(_ change: Change, _ position: Position) {
      self.change = change
      self.position = position
    }
  }
}
