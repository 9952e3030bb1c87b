/// Names one line of steps with a stack of its own: the flow itself, or a branch of a fork.
package struct TrackID: Hashable, Sendable {
  /// Never used again in a run; later tracks have greater ones.
  package let number: Int32
  /// Where a ``TrackMap`` keeps what belongs to it; used again when the track is over.
  let slot: Int32

  init(_ number: Int32, in slot: Int32) {
    self.number = number
    self.slot = slot
  }

  /// The flow itself.
  package static let main = TrackID(0, in: 0)

  /// The slot of the first branch.
  static let firstSlot: Int32 = 1
}

extension TrackID: Comparable {
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
