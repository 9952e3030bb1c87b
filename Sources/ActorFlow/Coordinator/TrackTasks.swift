/// The task of a track, and the tasks that wait within its step.
struct TrackTasks: Sendable {
  /// The asker of the open question.
  var asker: OneShot?
  /// Tasks that wait for what they gave up before, as far as the visit is replayed.
  var held: [OneShot] = []
  /// The task that walks or rolls back.
  var stint: Task<Void, Never>?
  /// Whether the stint is in its walk, so that a leave cancels it.
  var isWalking = false
  /// The task in which the step runs, where visits are replayed: a caller in another task is a child of it.
  var walker: Int?
  /// The error that kept an input of the running step, or of its `backUp`, from being committed: if the step then fails,
  /// the failure is not its own.
  var loss: (any Error)?

  mutating func takeHeld() -> [OneShot] {
    defer { held = [] }
    return held
  }
}

extension TrackTasks: TrackValue {
  static let noBranches: ContiguousArray = [TrackSlot.absent(TrackTasks())]
}

extension FlowCoordinator {
  subscript(track: TrackID) -> TrackTasks {
    track == .main ? main : branches[track]
  }

  /// Changes the tasks of a track where they stand, as ``FlowMachine/with(_:_:)`` does with a track.
  @inline(__always)
  func with<Result>(_ track: TrackID, _ body: (inout TrackTasks) -> Result) -> Result {
    guard track != .main else { return body(&main) }
    return body(&branches[track])
  }
}

/// How many effects of rendered steps run or are about to, where flows are kept, and the tasks that wait for their end.
struct EffectCount: Sendable {
  var running = 0
  var waiters: [OneShot] = []
}
