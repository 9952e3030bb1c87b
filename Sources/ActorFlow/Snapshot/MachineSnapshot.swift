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
  /// The `backUp`s that threw on the way to the end.
  package var undoFailures: [PackedUndoFailure] = []
  package var cargoes: [PackedCargo] = []
  package var kept: [PackedKept] = []
  package var frames: [PackedFrame] = []
  package var main = PackedTrack()
  /// By their numbers; a fork's are never before the track that they branch from.
  package var branches: [PackedTrack] = []
  package var mail = PackedMail()
  package var alarms: [PackedAlarm] = []
  /// The visits that the world sees after the end, the oldest first; empty before the end.
  package var lastStack: [PackedVisit] = []
  /// Ends the idempotency keys of the flow; nil if it was stored before there were any.
  package var keyBits: KeyBits?

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
