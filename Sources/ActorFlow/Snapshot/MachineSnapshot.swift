/// What a machine is, said without references: places by their paths, values packed, times from the run's start. It can
/// be kept, and made a machine of again by whoever has the flow's definition.
///
/// It holds what decides how the flow goes on, and nothing that a step's instance knew. Things that several places share
/// stand in tables, and are named by their index.
package struct MachineSnapshot: Sendable, Equatable {
  package var run = 0
  package var sequence = 0
  package var numbers = Numbers()
  package var ending: PackedEnding?
  /// What the flow has made, once it has finished.
  package var output: PackedValue?
  /// Why it stands still, if it does.
  package var fault: PackedFault?
  /// Why it has failed, or fails.
  package var failure: StoredFailure?
  package var rollbackErrors: [StoredFailure] = []
  package var cargoes: [PackedCargo] = []
  package var kept: [PackedKept] = []
  package var frames: [PackedFrame] = []
  package var main = PackedTrack()
  /// By their numbers; a fork's are never before the track that they branch from.
  package var branches: [PackedTrack] = []
  package var mail = PackedMail()
  package var alarms: [PackedAlarm] = []

  package struct Numbers: Sendable, Equatable {
    package var visit = 0
    package var question = 0
    package var leave = 0
    package var track: Int32 = 0
    package var wait = 0

    package init() {}
  }

  package init() {}
}

package enum PackedEnding: Sendable, Equatable {
  case finished, failed, cancelled
  case abandoned(reason: String)
}

// MARK: - Values

package struct PackedCargo: Sendable, Equatable {
  package var value: PackedValue
  /// Of ``MachineSnapshot/kept``.
  package var kept: Int?
  /// Of ``MachineSnapshot/frames``.
  package var scopes: Int?
}

package struct PackedKept: Sendable, Equatable {
  package var value: PackedValue
  package var below: Int?
}

package struct PackedFrame: Sendable, Equatable {
  package var scope: ScopeName
  package var cargo: Int
  package var attempt: Int
}

/// Which scope of a definition: the nth of its kind that begins with this step.
package struct ScopeName: Sendable, Hashable {
  package var kind: String
  package var step: StepID
  package var number: Int
}

// MARK: - Tracks

package struct PackedTrack: Sendable, Equatable {
  package enum Phase: UInt8, Sendable { case walking, leaving, compensating, ended }

  package var number: Int32 = 0
  package var branch: PackedBranch?
  package var phase = Phase.walking
  package var leave: PackedLeave?
  /// The oldest first.
  package var places: [PackedPlace] = []
  package var focus = PackedFocus()
  /// What the world sees on top, where that is not the newest place.
  package var visit: PackedVisit?
  package var hasAsked = false
  package var isSealed = false
  package var closedAt: Int32 = -1
  package var start: PackedStart?
  package var fork: PackedFork?
  package var question: PackedQuestion?
  package var waits: [PackedWait] = []
}

package struct PackedBranch: Sendable, Equatable {
  package var parent: Int32
  package var number: Int
  package var path: StepID
  package var elements: [Int]
}

package struct PackedVisit: Sendable, Equatable {
  package var id: Int
  package var step: StepID
  package var isSkipped = false
  package var canBackUp = false
}

package struct PackedPlace: Sendable, Equatable {
  package var visit: PackedVisit
  package var cargo: Int
  package var backTarget: Int32
  package var isInner = false
  package var isClosed = false
  package var records: [PackedRecord] = []
}

package struct PackedFocus: Sendable, Equatable {
  package var isEntered = false
  package var hasAsked = false
  package var records: [PackedRecord] = []
  package var answers: [PackedAnswer] = []
}

package struct PackedRecord: Sendable, Equatable {
  package var key: String
  package var type: String
  package var idempotencyKey: String
  /// Nil: begun, and what became of it is not known.
  package var value: PackedValue?
}

package struct PackedAnswer: Sendable, Equatable {
  package enum Entry: Sendable, Equatable { case answered(PackedValue), withdrawn, overdue }

  package var key: JournalKey
  package var entry: Entry
}

package struct PackedQuestion: Sendable, Equatable {
  package var number: Int
  package var token: QuestionToken?
  package var revision: Int
  /// Nil: a rendering's.
  package var key: JournalKey?
  package var prompt: PackedValue
}

package struct PackedWait: Sendable, Equatable {
  package var signal: String
  package var key: JournalKey
  package var number: Int
  package var type: String
}

package struct PackedFork: Sendable, Equatable {
  package var tracks: [Int32]
  package var results: [PackedResult] = []
  package var failure: PackedFault?
  package var errors: [StoredFailure] = []
  package var judged = 0
  package var isDecided = false
}

package struct PackedResult: Sendable, Equatable {
  package var branch: Int
  package var value: PackedValue
}

/// A step that failed, and why.
package struct PackedFault: Sendable, Equatable {
  package var step: StepID
  package var error: StoredFailure
}

package struct PackedLeave: Sendable, Equatable {
  package enum Goal: Sendable, Equatable {
    case back(to: Int, update: PackedValue?)
    case end(PackedEnding, rollBack: Bool)
    case unwind(frame: Int, PackedFault, isTimeout: Bool)
    case prune(cargo: Int)
    case dissolve
  }

  package var goal: Goal
  package var number: Int
  package var visit: PackedVisit?
  package var since: Duration
  package var errors: [StoredFailure] = []
  package var isAnnounced = false
}

package struct PackedStart: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case at(Address, cargo: Int)
    case top
    case recovery(PackedFault, frame: Int)
    case failure(PackedFault, frame: Int?)
  }

  /// Where a walk begins.
  package enum Address: Sendable, Equatable {
    /// Of the flow, or of the branch.
    case beginning
    /// Of the innermost scope.
    case scope
    case behind(StepID)
  }

  package var kind: Kind
  package var pause = Duration.zero
  package var update: PackedValue?
}

// MARK: - Mail and alarms

package struct PackedMail: Sendable, Equatable {
  package struct Signal: Sendable, Equatable {
    package var name: String
    package var value: PackedValue
  }

  package struct Key: Sendable, Equatable {
    package var signal: String
    package var key: String
  }

  /// The oldest first.
  package var buffer: [Signal] = []
  package var keys: [Key] = []
}

package struct PackedAlarm: Sendable, Equatable {
  package enum Subject: Sendable, Equatable {
    case scope(frame: Int)
    case idle(frame: Int, after: Duration)
    case question(Int)
    case reminder(question: Int, number: Int, every: Duration, of: Int)
    case wait(Int)
    case pause
  }

  package var due: Duration
  package var track: Int32
  package var subject: Subject
}
