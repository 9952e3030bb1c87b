// The library's only unstructured tasks, and the reasons why none of them can be structured:
//
// 1. The stint: one walk of one track, with the rollback before it. Leaving a visit cancels it from outside while the
//    caller's task goes on. A child task can be cancelled by its parent only, and a group cannot be cancelled from
//    outside its body. A rollback must run in a task that is not cancelled, although the caller's may be.
// 2. The work of a `once`: it must go on when the step that began it is cancelled (`withTaskCancellationShield` does
//    not exist before Swift 6.4).
// 3. The timer: one sleep for all deadlines of a run. The code that arms the first deadline starts it, deep in a step,
//    and the sleep must outlive that code; so it has no parent.
// 4. The work of a rendered step's effect: it is cancelled alone, in the turn in which a render no longer requests it.
//    A group can only cancel all its children, and only from inside its body.
// 5. The report that the caller of `run` was cancelled: its cancellation handler cannot wait for a turn of the actor.
//
// Every task is awaited, so none outlives the run: a stint by `run` or by the walk that has reached the fork, the work
// by the `once` that began it, the timer and the report of a cancellation by `run`, an effect by the `proceed` of its
// step. `Task.init` passes the caller's task-local values and priority on, as a child task would. The timer is
// detached, with its creator's priority: an answer may arm it, and a commit of the timer days later must not run under
// the task-local values of that answer's request.
extension FlowCoordinator {
  /// Runs stints until the run has ended or the flow was passivated. Called once, by `run` or ``activate()``.
  @inline(__always)
  nonisolated func drive() async {
    let chain = FlowChain(serial, around: FlowChain.current)
    await withTaskCancellationHandler {
      repeat {
        // Awaiting the task passes a raised priority on to it.
        await beginStint(under: chain).value
      } while await !endStint()
    } onCancel: {
      cancellation.request { Task { await self.callerCancelled() } }
    }
    await endTasks()
  }

  private func beginStint(under chain: FlowChain) -> Task<Void, Never> {
    isDriven = true
    let stint = stint(under: chain)
    state.main.stint = stint
    return stint
  }

  private nonisolated func stint(under chain: FlowChain) -> Task<Void, Never> {
    // Bound inside the task, because a task allocates copies of the values that its creator has bound.
    Task { await FlowChain.$current.withValue(chain) { await self.stint(of: .main) } }
  }

  /// Starts a stint of a branch of the fork on top of a track. ``nextEndedBranch(on:)`` reports its end.
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

  /// Runs `work` in a task of its own and waits for it, even if cancelled.
  nonisolated func shielded<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
    let task = Task { try await work() }
    return try await task.value
  }

  /// Starts the work of an effect that was counted. Called by the `proceed` of a rendered step, so that the effect has
  /// its task-local values.
  nonisolated func startEffect(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let chain = FlowChain(serial, .effect, around: FlowChain.current)
    return Task {
      await FlowChain.$current.withValue(chain, operation: work)
      await countEffects(-1)
    }
  }

  /// Starts to sleep until the earliest timer, after the previous sleep has ended.
  nonisolated func timekeeping(after old: Task<Void, Never>?) -> Task<Void, Never> {
    Task.detached(priority: Task.currentPriority) {
      await old?.value
      await self.keepTime()
    }
  }

  /// Waits for the tasks that may outlive the last stint.
  @inline(never)
  private nonisolated func endTasks() async {
    await cancellation.isTold()
    let task = await stopTimer()
    task?.cancel()
    await task?.value
  }

  private func stopTimer() -> Task<Void, Never>? {
    state.timer.isOver = true
    return state.timer.task.take()
  }

  /// Ends a stint, and returns whether it was the last. A suspended flow is passivated, because no task is left here to
  /// carry out later requests.
  @inline(never)
  private nonisolated func endStint() async -> Bool {
    switch await stintHasEnded() {
    case .last: true
    case .isSuspended: await passivateIfSuspended() ? true : await isOver
    case .another: false
    }
  }

  private enum Ended { case last, another, isSuspended }

  private func stintHasEnded() -> Ended {
    state.main.stint = nil
    if state.machine.fault != nil { return .isSuspended }
    return isOver ? .last : .another
  }

  private var isOver: Bool { state.machine.phase == .ended || state.isPassivated }

  /// Ends a stint of a branch, and returns whether it was the branch's last.
  nonisolated func endBranch(_ branch: TrackID) async -> Bool {
    let isOver = try? await decide(on: branch) { machine, _ in machine.isOver(branch) }
    guard isOver != false else { return false }
    await forget(branch)
    return true
  }

  private func forget(_ branch: TrackID) { _ = state.branches.remove(branch) }
}
