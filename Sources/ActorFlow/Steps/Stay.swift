/// Names one line of steps with a stack of its own: the flow itself, or a branch of a fork.
package struct TrackID: Hashable, Sendable, Comparable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  /// The flow itself.
  package static let main = TrackID(0)

  package static func < (left: TrackID, right: TrackID) -> Bool { left.number < right.number }
}

/// A visit, and the track it takes place on: what a context belongs to.
package struct Stay: Hashable, Sendable {
  package let visit: VisitID
  package let track: TrackID

  package init(_ visit: VisitID, on track: TrackID = .main) {
    self.visit = visit
    self.track = track
  }
}
