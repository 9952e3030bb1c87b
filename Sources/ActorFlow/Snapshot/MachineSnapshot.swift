/// The state of a machine without references: places by their paths, values packed, times from the run's start.
///
/// A snapshot can be persisted, and the flow's definition makes a machine of it again. It holds the state that decides
/// how the flow goes on, and nothing that a step's instance knew. State that several places share is in tables, and is
/// named by its index there.
package struct MachineSnapshot: Sendable, Equatable {
  package var run = 0
  package var sequence = 0
  package var numbers = Numbers()
  package var ending: PackedEnding?
  /// The flow's output, once it has finished.
  package var output: PackedValue?
  /// The failure that suspended the flow, if it is suspended.
  package var fault: PackedFault?
  /// The error with which the flow has failed or is failing.
  package var failure: StoredFailure?
  /// The `backUp`s that threw on the way to the end.
  package var undoFailures: [PackedUndoFailure] = []
  package var payloads: [PackedPayload] = []
  package var carried: [PackedCarried] = []
  package var frames: [PackedFrame] = []
  package var main = PackedTrack()
  /// The branches by their numbers; a fork's branches are never before the track that they branch from.
  package var branches: [PackedTrack] = []
  package var signals = PackedSignals()
  package var timers: [PackedTimer] = []
  /// The visits that are visible after the end, the oldest first; empty before the end.
  package var lastStack: [PackedVisit] = []
  /// The bits that end the flow's idempotency keys; `nil` if an earlier version stored the flow without them.
  package var keyBits: KeyBits?
  /// The principals that began the run and that answered last; `nil` if none is known.
  package var participants: Participants?

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
