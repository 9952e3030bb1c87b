/// The id of a track: a line of steps with a stack of its own, which is the flow itself or a branch of a fork.
package struct TrackID: Hashable, Sendable {
  /// The track's number, never reused in a run; later tracks have greater numbers.
  package let number: Int32
  /// The slot in which a ``TrackMap`` stores the track's data; reused when the track is over.
  let slot: Int32

  init(_ number: Int32, in slot: Int32) {
    self.number = number
    self.slot = slot
  }

  /// The track of the flow itself.
  package static let main = TrackID(0, in: 0)

  /// The slot of the first branch.
  static let firstSlot: Int32 = 1
}

extension TrackID: Comparable {
  package static func < (left: TrackID, right: TrackID) -> Bool { left.number < right.number }
}

/// A visit and its track: the identity of a context.
package struct Stay: Hashable, Sendable {
  package let visit: VisitID
  package let track: TrackID

  package init(_ visit: VisitID, on track: TrackID = .main) {
    self.visit = visit
    self.track = track
  }
}
