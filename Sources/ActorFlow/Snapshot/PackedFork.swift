package struct PackedFork: Sendable, Equatable {
  package var tracks: [Int32]
  package var results: [PackedResult] = []
  package var failure: PackedFault?
  package var failures: [PackedUndoFailure] = []
  package var judged = 0
  package var isDecided = false

  package init(
    tracks: [Int32], results: [PackedResult] = [], failure: PackedFault? = nil, failures: [PackedUndoFailure] = [],
    judged: Int = 0, isDecided: Bool = false
  ) {
    (self.tracks, self.results, self.failure, self.failures, self.judged, self.isDecided) = (
      tracks, results, failure, failures, judged, isDecided
    )
  }
}

package struct PackedResult: Sendable, Equatable {
  package var branch: Int
  package var value: PackedValue

  package init(branch: Int, value: PackedValue) {
    (self.branch, self.value) = (branch, value)
  }
}

package struct PackedLeave: Sendable, Equatable {
  package enum Goal: Sendable, Equatable {
    case back(to: Int, update: PackedValue?)
    case end(PackedEnding, rollBack: Bool)
    case unwind(frame: Int, PackedFault, isTimeout: Bool)
    case dropSuperseded(payload: Int)
    case supersede
  }

  package var goal: Goal
  package var number: Int
  package var visit: PackedVisit?
  package var since: Duration
  package var failures: [PackedUndoFailure] = []
  package var isAnnounced = false

  package init(
    goal: Goal, number: Int, visit: PackedVisit? = nil, since: Duration, failures: [PackedUndoFailure] = [],
    isAnnounced: Bool = false
  ) {
    (self.goal, self.number, self.visit, self.since, self.failures, self.isAnnounced) = (
      goal, number, visit, since, failures, isAnnounced
    )
  }
}

/// A `backUp` that threw, and the place that is still to be compensated.
package struct PackedUndoFailure: Sendable, Equatable {
  package var error: StoredFailure
  package var place: PackedPlace?

  package init(error: StoredFailure, place: PackedPlace? = nil) {
    (self.error, self.place) = (error, place)
  }
}

package struct PackedStart: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case at(Address, payload: Int)
    case top
    /// With another place of the step on top; since format 9.
    case anew(payload: Int)
    case recovery(PackedFault, frame: Int)
    case failure(PackedFault, frame: Int?)
  }

  /// The address at which a walk begins.
  package enum Address: Sendable, Equatable {
    /// The beginning of the flow or of the branch.
    case beginning
    /// The beginning of the innermost scope.
    case scope
    case behind(StepID)
    case past(ScopeName)
  }

  package var kind: Kind
  package var pause = Duration.zero
  package var update: PackedValue?

  package init(kind: Kind, pause: Duration = .zero, update: PackedValue? = nil) {
    (self.kind, self.pause, self.update) = (kind, pause, update)
  }
}
