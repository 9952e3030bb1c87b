// A stint: the work of a track's task from one leave to the next.
extension FlowCoordinator {
  /// Rolls back as far as the machine says, then walks until the track ends, fails or is left.
  ///
  /// A walk that was left ends the stint. Its task is cancelled or about to be, so it must run no rollback.
  @concurrent
  nonisolated func stint(of track: TrackID) async {
    while await rollBack(on: track) {
      guard await walk(on: track) == .over, await walkIsOver(on: track) else { return }
    }
  }

  /// Handles a walk that has ended by itself. Returns false if the track is over, or if it was left at that moment, so
  /// that this task is cancelled or about to be.
  private func walkIsOver(on track: TrackID) -> Bool {
    switch withState({ $0.machine.phase(of: track) }) {
    case .ended, .leaving, .idle: return false
    case .walking, .compensating:
      with(track) { $0.isWalking = false }
      return true
    }
  }

  /// Takes turns until there is something to walk, from the place on top. Returns false if the run has ended, or was
  /// left meanwhile.
  ///
  /// Called before the walk and not around it, so that it takes no room in a waiting flow.
  @inline(never)
  private nonisolated func rollBack(on track: TrackID) async -> Bool {
    var turn = await nextTurn(on: track)
    while true {
      switch turn {
      case .ended: return false
      case .again: turn = await nextTurn(on: track)
      case .compensate(let place, let reason):
        turn = await nextTurn(on: track, after: backUp(place, reason, on: track))
      case .start, .proceed: return true
      case .reload(let place): return await reload(place, on: track) != nil
      }
    }
  }

  /// Asks the machine for the next turn.
  ///
  /// - Parameter backUp: The outcome of the `backUp` that the previous turn called for. One input reports it and asks
  ///   for the next turn, because a rollback of many places consists of little else.
  @inline(never)
  private nonisolated func nextTurn(
    on track: TrackID, after backUp: Result<Void, any Error>? = nil
  ) async -> FlowMachine.Turn {
    if isPersisted, let backUp, let lost = await takeLoss(on: track), case .failure = backUp {
      await halt(lost)
      return .ended
    }
    do {
      while true {
        let turn = try await decide(on: track) { machine, _ in
          Self.nextTurn(of: &machine, on: track, after: backUp)
        }
        if let turn { return turn }
        await waitForRunningWork(on: track)
      }
    } catch {
      if let backUp, await isPassivated { await record(backUp, on: track) } else { await halt(error) }
      return .ended
    }
  }

  /// Records a `backUp` that ended after the flow was passivated, so that it does not run again after activation.
  private nonisolated func record(_ backUp: Result<Void, any Error>, on track: TrackID) async {
    await waitForRunningWork(on: track)
    _ = try? await decide(on: track, evenPassivated: true) { machine, _ in
      _ = machine.returned(on: track)
      machine.compensated(backUp.error, on: track)
    }
  }

  /// Returns the next turn; `nil` if a `once` of the `backUp` is still under way.
  private static func nextTurn(
    of machine: inout FlowMachine, on track: TrackID, after backUp: Result<Void, any Error>?
  ) -> FlowMachine.Turn? {
    if let backUp {
      _ = machine.returned(on: track)
      if machine.hasRunningWork(on: track) { return nil }
      machine.compensated(backUp.error, on: track)
    }
    return machine.turn(on: track)
  }

  @inline(never)
  private nonisolated func backUp(
    _ place: Place, _ reason: LeaveReason, on track: TrackID
  ) async -> Result<Void, any Error> {
    if let finalizer = place.node.finalizer {
      return await observed(compensating: place, on: track) { try await finalizer.run(place.input) }
    }
    guard let backUp = place.node.body.backUp else { return .success(()) }
    let context = RollbackContext(
      runtime: self, info: place.visit.info, stay: Stay(place.visit.id, on: track), reason: reason)
    return await observed(compensating: place, on: track) {
      // The place was read back, so its instance is gone.
      let remade = place.instance == nil ? try await place.node.body.make?() : nil
      guard let instance = place.instance ?? remade else { return }
      try await backUp(instance, context)
    }
  }

  /// Makes a new instance for a place whose visit goes on.
  @inline(never)
  private nonisolated func reload(_ place: Place, on track: TrackID) async -> Place? {
    do {
      let instance = try await place.node.body.make?()
      return try await decideWalking(on: track) { machine, _ in machine.reloaded(instance, on: track) }
    } catch {
      _ = await failed(place.node, error, place.payload.scopes, on: track)
      return nil
    }
  }

  /// Waits until no `once` of the place on top is under way, so that its outcome is recorded before the flow moves on.
  nonisolated func waitForRunningWork(on track: TrackID) async {
    while let waiter = await beginWaitingForWork(on: track) {
      await waiter.end()
    }
  }

  private func beginWaitingForWork(on track: TrackID) -> OneShot? {
    guard withState({ $0.machine.hasRunningWork(on: track) }) else { return nil }
    let waiter = OneShot()
    state.onceWaiters.append(waiter)
    return waiter
  }

  /// Stops the run, because one of its own decisions could not be committed. Waits for a commit under way, which would
  /// otherwise revive the run when it is adopted.
  nonisolated func halt(_ error: any Error) async {
    _ = try? await decide { machine, _ in machine.halt(error) }
  }
}

extension Result<Void, any Error> {
  fileprivate var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}

/// The task of a track, and the tasks that wait within its step.
struct TrackTasks: Sendable {
  /// The asker of the open question.
  var asker: OneShot?
  /// In a replay, the tasks that wait for something that they gave up the first time.
  var held: [OneShot] = []
  /// Those of them that may be told to ask again.
  var presumed: [OneShot] = []
  /// The task that walks or rolls back.
  var stint: Task<Void, Never>?
  /// Whether the stint is walking, so that a leave or a passivation cancels it. False once it was cancelled: the next
  /// stint may roll back, and no `backUp` is cancelled.
  var isWalking = false
  /// The branches of its fork whose stints have ended, in that order, and the task that waits for the next one.
  var endedBranches: [TrackID] = []
  var branchWaiter: OneShot?
  /// The task in which the step runs, if visits are replayed. A caller in another task is a child of it.
  var walker: Int?
  /// The error that kept an input of the running step, or of its `backUp`, from being committed. If the step then
  /// fails, the failure is not its own.
  var loss: (any Error)?

  /// Returns the stint if it is walking, to be cancelled.
  mutating func takeWalk() -> Task<Void, Never>? {
    guard isWalking else { return nil }
    isWalking = false
    return stint
  }

  mutating func takeHeld() -> [OneShot] {
    defer { held = [] }
    return held + takePresumed()
  }

  mutating func takePresumed() -> [OneShot] {
    defer { presumed = [] }
    return presumed
  }
}

extension TrackTasks: TrackValue {
  static let noBranches: ContiguousArray = [TrackSlot.absent(TrackTasks())]
}

extension FlowCoordinator {
  subscript(track: TrackID) -> TrackTasks { state[track] }

  @inline(__always)
  func with<Result>(_ track: TrackID, _ body: (inout TrackTasks) -> Result) -> Result { state.with(track, body) }
}

/// The number of effects of rendered steps that run or are about to start, and the tasks that wait for their end.
/// Counted for durable flows only.
struct EffectCount: Sendable {
  var running = 0
  var waiters: [OneShot] = []
}

// MARK: - Ends of branches

extension FlowCoordinator {
  /// Reports the end of a stint of a branch to the walk that has reached the fork.
  nonisolated func noteEnd(of branch: TrackID, on track: TrackID) async {
    await ended(branch, on: track)?.fulfil(.success(()))
  }

  private func ended(_ branch: TrackID, on track: TrackID) -> OneShot? {
    with(track) { tasks in
      tasks.endedBranches.append(branch)
      return tasks.branchWaiter.take()
    }
  }

  /// Waits until the stint of a branch ends, even if cancelled, because a stint that was started is always awaited.
  nonisolated func nextEndedBranch(on track: TrackID) async -> TrackID {
    while true {
      let waiter = OneShot()
      if let branch = await takeEndedBranch(on: track, orWaitWith: waiter) { return branch }
      await waiter.end()
    }
  }

  private func takeEndedBranch(on track: TrackID, orWaitWith waiter: OneShot) -> TrackID? {
    with(track) { tasks in
      guard tasks.endedBranches.isEmpty else { return tasks.endedBranches.removeFirst() }
      tasks.branchWaiter = waiter
      return nil
    }
  }
}
