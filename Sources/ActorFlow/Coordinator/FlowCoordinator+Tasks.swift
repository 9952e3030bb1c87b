// The library's only unstructured tasks, and why they are none of Swift's structured kinds:
//
// 1. The stint: one walk of one track, with the rollback before it. Leaving a visit cancels it from outside while the
//    caller's task goes on; a child task can be cancelled by its parent only, and a group cannot be cancelled from
//    outside its body. A rollback must run in a task that is not cancelled, although the caller's may be.
// 2. The work of a `once`: it must go on when the step that began it is cancelled (`withTaskCancellationShield` does
//    not exist before Swift 6.4).
// 3. The timer: one sleep for all deadlines of a run. It is begun by whatever arms the first of them, deep in a step,
//    and is to outlive that; so it is nobody's child.
// 4. The work of a rendered step's effect: it is cancelled alone, in the turn in which a render no longer asks for it; a
//    group can only cancel all its children, and only from inside its body.
// 5. The word that the caller of `run` was cancelled: its cancellation handler cannot wait for a turn of the actor.
//
// A stint is awaited by `run` or by the walk that has reached the fork, the work by the `once` that began it, the timer
// and the word of a cancellation by `run`, an effect by the `proceed` of its step. So none outlives the run. `Task.init`
// passes the caller's task-local values and priority on, as a child task would. The timer is detached, with its maker's
// priority: an answer may arm it, and what it commits days later must not happen under the task-local values of that
// answer's request.
extension FlowCoordinator {
  /// Runs stints until the run has ended, or the flow was put away. Called by `run`, once.
  nonisolated func drive() async {
    let chain = FlowChain(serial, around: FlowChain.current)
    await withTaskCancellationHandler {
      repeat {
        // Awaited as a task, which hands a raised priority on.
        await beginStint(under: chain).value
      } while await !endStint()
    } onCancel: {
      cancellation.request { Task { await self.callerCancelled() } }
    }
    await cancellation.isTold()
    await endTimer()
  }

  private func beginStint(under chain: FlowChain) -> Task<Void, Never> {
    isDriven = true
    let stint = stint(under: chain)
    main.stint = stint
    return stint
  }

  private nonisolated func stint(under chain: FlowChain) -> Task<Void, Never> {
    // Bound in there, because a task copies what its maker has bound to room of its own.
    Task { await FlowChain.$current.withValue(chain) { await self.stint(of: .main) } }
  }

  /// Begins a stint of a branch of the fork on top of a track. ``nextEndedBranch(on:)`` hears of its end.
  func startStint(of branch: TrackID, on track: TrackID) -> Task<Void, Never> {
    let stint = branchStint(of: branch, on: track)
    with(branch) { $0.stint = stint }
    return stint
  }

  private nonisolated func branchStint(of branch: TrackID, on track: TrackID) -> Task<Void, Never> {
    Task {
      await self.stint(of: branch)
      await self.noteEnd(of: branch, on: track)
    }
  }

  /// Runs `work` in a task of its own and waits for it, cancelled or not.
  nonisolated func shielded<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
    let task = Task { try await work() }
    return try await task.value
  }

  /// Begins an effect's work, which was counted. Called by the `proceed` of a rendered step, so that the effect has its
  /// task-local values.
  nonisolated func startEffect(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let chain = FlowChain(serial, .effect, around: FlowChain.current)
    return Task {
      await FlowChain.$current.withValue(chain, operation: work)
      await countEffects(-1)
    }
  }

  /// Sleeps until the earliest timer, after the sleep before has ended.
  nonisolated func timekeeping(after old: Task<Void, Never>?) -> Task<Void, Never> {
    Task.detached(priority: Task.currentPriority) {
      await old?.value
      await self.keepTime()
    }
  }

  private nonisolated func endTimer() async {
    let task = await stopTimer()
    task?.cancel()
    await task?.value
  }

  private func stopTimer() -> Task<Void, Never>? {
    timer.isOver = true
    return timer.task.take()
  }

  /// Whether that was the last one. A flow that stands still is put away: nothing is left here that could carry out what
  /// it is asked from now on.
  private nonisolated func endStint() async -> Bool {
    switch await stintHasEnded() {
    case .last: true
    case .isSuspended: await passivateIfSuspended() ? true : await isOver
    case .another: false
    }
  }

  private enum Ended { case last, another, isSuspended }

  private func stintHasEnded() -> Ended {
    main.stint = nil
    if machine.fault != nil { return .isSuspended }
    return isOver ? .last : .another
  }

  private var isOver: Bool { machine.phase == .ended || isPassivated }

  /// A stint of a branch has ended. Whether that was the last one.
  nonisolated func endBranch(_ branch: TrackID) async -> Bool {
    let isOver = try? await decide(on: branch, isCommitted: false) { machine, _ in machine.isOver(branch) }
    guard isOver != false else { return false }
    await forget(branch)
    return true
  }

  private func forget(_ branch: TrackID) { _ = branches.remove(branch) }
}
