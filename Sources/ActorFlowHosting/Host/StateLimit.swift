import ActorFlow

/// The size limit of a flow's next snapshot, which depends on the change that is committed.
///
/// No store takes more than ``FlowSnapshot/maximumBytes``. Requests from outside leave room for the flow's own steps,
/// and these leave room for the way back. So a full flow can still be abandoned and rolled back.
///
/// | What is committed | Left below the maximum |
/// |---|---|
/// | a request from outside: a start, an answer, a signal | 256 KiB |
/// | what a step does: a move, a question, a `once` | 64 KiB |
/// | a back, and whatever else leaves a step or a branch | 32 KiB |
/// | the way to an end: an abandon, a rollback | nothing |
///
/// While `once` operations are running, 16 KiB are reserved for the result of each, up to 32 KiB in all. So a `once`
/// for whose result there is certainly no room does not begin.
struct StateLimit: Sendable {
  /// The number of bytes that the snapshot may have.
  let bytes: Int
  /// Whether the change is a back, or a part of a leave or of the way to an end.
  let isLeave: Bool
  private let isOutside: Bool

  private static let outside = 256 << 10
  private static let walking = 64 << 10
  private static let leaving = 32 << 10
  private static let result = 16 << 10

  /// The number of bytes that any commit may have.
  static let least = FlowSnapshot.maximumBytes - outside

  /// - Parameters:
  ///   - machine: The machine to commit, packed as `new`.
  ///   - old: The stored state.
  ///   - request: The request from outside that the commit applies, if there is one.
  init(_ machine: FlowMachine, _ new: MachineSnapshot, after old: MachineSnapshot, for request: HostRequest?) {
    isOutside = request.map { !$0.isLeave } ?? false
    isLeave =
      request.map { $0.kind == .backUp || $0.kind == .abandon }
      ?? (machine.isEnding || new.isLeaving || old.isLeaving)
    guard !isOutside else {
      bytes = Self.least
      return
    }
    let reserve = machine.isEnding ? 0 : new.isLeaving || old.isLeaving ? Self.leaving : Self.walking
    bytes = FlowSnapshot.maximumBytes - reserve - min(machine.runningWorks * Self.result, 2 * Self.result)
  }

  func error(_ count: Int, _ flow: FlowID, _ result: FlowError?) -> FlowError {
    if isOutside {
      return FlowError(
        .tooLarge,
        "with this request the flow's state has \(count) bytes, of at most \(bytes) that requests may fill; let steps "
          + "receive the buffered signals, store large values elsewhere, or abandon the flow", flow: flow)
    }
    return result
      ?? FlowError(
        .tooLarge,
        "the flow's state has \(count) bytes, of at most \(bytes); store large values of steps elsewhere, and make a "
          + "step that need not be undone `.settling`", flow: flow)
  }
}

extension MachineSnapshot {
  /// Whether a step or a branch is being left.
  fileprivate var isLeaving: Bool { tracks.contains { $0.phase == .leaving || $0.phase == .compensating } }

  /// Returns the largest result of a `once` that is not in an older snapshot, or `nil` if there is none.
  func largestResult(after old: MachineSnapshot) -> (step: StepID?, record: PackedRecord)? {
    var known: Set<TextKey> = []
    for track in old.tracks {
      for record in track.focus.records where record.value != nil { known.insert(TextKey(record.idempotencyKey)) }
    }
    var largest: (step: StepID?, record: PackedRecord)?
    for track in tracks {
      for record in track.focus.records where !known.contains(TextKey(record.idempotencyKey)) {
        guard let size = record.value?.size, size >= largest?.record.value?.size ?? 0 else { continue }
        largest = (track.places.last?.visit.step, record)
      }
    }
    return largest
  }
}
