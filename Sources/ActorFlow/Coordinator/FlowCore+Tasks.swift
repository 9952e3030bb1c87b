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
//
// A stint is awaited by `run` or by the walk that has reached the fork, the work by the `once` that began it, the timer
// by `run`, an effect by the `proceed` of its step. So none outlives the run. `Task.init` passes the caller's task-local
// values and priority on, as a child task would. The timer is detached, with its maker's priority: an answer may arm it,
// and what it commits days later must not happen under the task-local values of that answer's request.
extension FlowCore {
  /// Runs stints until the run has ended, or the flow was put away. Called by `run`, once.
  func drive() async {
    let chain = FlowChain(serial, around: FlowChain.current)
    await withTaskCancellationHandler {
      repeat {
        await beginStint(under: chain).value
      } while await !endStint()
    } onCancel: {
      callerCancelled()
    }
    await endTimer()
  }

  @inline(never)
  private func beginStint(under chain: FlowChain) -> Task<Void, Never> {
    begin(.main) {
      // Bound in there, because a task copies what its maker has bound to room of its own.
      Task { await FlowChain.$current.withValue(chain) { await self.stint(of: .main) } }
    }
  }

  /// Begins a stint of a branch. Its end is told to `inbox`.
  func startStint(of branch: TrackID, telling inbox: Inbox) -> Task<Void, Never> {
    begin(branch) {
      Task {
        await self.stint(of: branch)
        inbox.put(branch)
      }
    }
  }

  /// Makes the task under the lock: nothing that it does comes before a leave can cancel it.
  private func begin(_ track: TrackID, _ make: () -> Task<Void, Never>) -> Task<Void, Never> {
    withState { state in
      let stint = make()
      state.with(track) { $0.stint = stint }
      return stint
    }
  }

  /// Runs `work` in a task of its own and waits for it, cancelled or not.
  func shielded<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
    let task = Task { try await work() }
    return try await task.value
  }

  /// Begins an effect's work. Called by the `proceed` of a rendered step, so that the effect has its task-local values.
  func startEffect(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let chain = FlowChain(serial, .effect, around: FlowChain.current)
    guard isKept else { return Task { await FlowChain.$current.withValue(chain, operation: work) } }
    countEffects(1)
    return Task {
      await FlowChain.$current.withValue(chain, operation: work)
      countEffects(-1)
    }
  }

  /// Begins to sleep until the earliest alarm, unless a sleep that ends no later is under way.
  func setTimer() {
    withState { state in
      guard !state.timer.isOver, !state.timer.isRinging, let due = state.machine.nextAlarm else { return }
      if let wakes = state.timer.wakes, wakes <= due { return }
      state.timer.wakes = due
      let old = state.timer.task
      old?.cancel()
      state.timer.task = Task.detached(priority: Task.currentPriority) {
        await old?.value
        await self.keepTime()
      }
    }
  }

  private func endTimer() async {
    let timer = withState { state in
      state.timer.isOver = true
      return state.timer.task
    }
    timer?.cancel()
    await timer?.value
  }

  /// Whether that was the last one. A flow that stands still is put away: nothing is left here that could carry out what
  /// it is asked from now on.
  private func endStint() async -> Bool {
    withState { $0.main.stint = nil }
    if await parkIfStandingStill() { return true }
    return withState { $0.machine.phase == .ended || $0.isParked }
  }

  /// A stint of a branch has ended. Whether that was the last one.
  func endBranch(_ branch: TrackID) async -> Bool {
    let isOver = try? await decide(on: branch, commits: false) { Decision($0.isOver(branch)) }
    guard isOver != false else { return false }
    withState { _ = $0.branches.remove(branch) }
    return true
  }

  private func callerCancelled() {
    guard !isKept else { return park() }
    let since = elapsed
    try? decideNow { machine in machine.cancel(since: since).decision }
  }
}

extension FlowMachine.Leaving {
  /// The leave as something to carry out.
  var decision: Decision<Void> {
    var decision = Decision((), event: event)
    decision.track = track
    decision.cancelsWalk = cancelsWalk
    return decision
  }
}
