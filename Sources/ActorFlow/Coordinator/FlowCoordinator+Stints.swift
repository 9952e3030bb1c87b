// One stint: what the flow's task does from one leave to the next.
extension FlowCoordinator {
  /// Rolls back as far as the machine says, then walks until the flow ends, fails or is left.
  ///
  /// A walk that was left ends the stint: its task is cancelled, or is about to be, and must run no rollback.
  @concurrent
  nonisolated func stint(of track: TrackID) async {
    while await rollBack(on: track) {
      guard await walk(on: track) == .over, await walkIsOver(on: track) else { return }
    }
  }

  /// The walk has ended by itself. False: the track is over, or it was left in that moment, so that this task is
  /// cancelled or about to be.
  private func walkIsOver(on track: TrackID) -> Bool {
    switch machine.look(at: track, { $0.phase }) {
    case .ended, .leaving, .idle: return false
    case .walking, .compensating:
      with(track) { $0.isWalking = false }
      return true
    }
  }

  /// Takes turns until there is something to walk, from the place on top; false: the run has ended, or was left
  /// meanwhile.
  ///
  /// Beside the walk and not around it, so that a waiting flow keeps no room for it.
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

  /// What comes next.
  ///
  /// - Parameter backUp: What became of the `backUp` that the turn before asked for. It goes in together with the
  ///   question for the next turn, because a rollback of many places is made of little else.
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

  /// The flow was put away while a `backUp` ran: it does not run again when the flow is taken up.
  private nonisolated func record(_ backUp: Result<Void, any Error>, on track: TrackID) async {
    await waitForRunningWork(on: track)
    _ = try? await decide(on: track, evenPassivated: true) { machine, _ in
      _ = machine.returned(on: track)
      machine.compensated(backUp.error, on: track)
    }
  }

  /// Nil: a `once` of the `backUp` is still under way.
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
    guard let backUp = place.node.body.backUp else { return .success(()) }
    let context = RollbackContext(
      runtime: self, info: place.visit.info, stay: Stay(place.visit.id, on: track), reason: reason)
    do {
      // The instance did not outlive the process that made it.
      let remade = place.instance == nil ? try await place.node.body.make?() : nil
      guard let instance = place.instance ?? remade else { return .success(()) }
      return .success(try await backUp(instance, context))
    } catch { return .failure(error) }
  }

  /// A new instance for a place that is visited on.
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

  /// Waits until no `once` of the place on top is under way: what the outside world did is recorded before the flow
  /// moves on.
  nonisolated func waitForRunningWork(on track: TrackID) async {
    while let waiter = await beginWaitingForWork(on: track) {
      _ = try? await waiter.uncancellableValue()
    }
  }

  private func beginWaitingForWork(on track: TrackID) -> OneShot? {
    guard machine.hasRunningWork(on: track) else { return nil }
    let waiter = OneShot()
    onceWaiters.append(waiter)
    return waiter
  }

  /// A decision of the run's own could not be committed. Waits for a commit under way: what that one adopts would
  /// otherwise bring the run back to life.
  nonisolated func halt(_ error: any Error) async {
    _ = try? await decide(isCommitted: false) { machine, _ in machine.halt(error) }
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
  /// Tasks that wait for what they gave up before, as far as the visit is replayed.
  var held: [OneShot] = []
  /// The task that walks or rolls back.
  var stint: Task<Void, Never>?
  /// Whether the stint is in its walk, so that a leave cancels it.
  var isWalking = false
  /// The branches of its fork whose stints have ended, in that order, and the task that waits for the next one.
  var endedBranches: [TrackID] = []
  var branchWaiter: OneShot?
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

// MARK: - Ends of branches

extension FlowCoordinator {
  /// A stint of a branch has ended: wakes the walk that has reached the fork.
  nonisolated func noteEnd(of branch: TrackID, on track: TrackID) async {
    await ended(branch, on: track)?.fulfil(.success(()))
  }

  private func ended(_ branch: TrackID, on track: TrackID) -> OneShot? {
    with(track) { tasks in
      tasks.endedBranches.append(branch)
      return tasks.branchWaiter.take()
    }
  }

  /// Waits until the stint of a branch ends; cancelled or not, because a stint that was begun is always awaited.
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
