// The library's only unstructured tasks, and why they are none of Swift's structured kinds:
//
// 1. The stint: one walk, with the rollback before it. Leaving a visit cancels it from outside while the caller's task
//    goes on; a child task can be cancelled by its parent only, and a group cannot be cancelled from outside its body.
//    A rollback must run in a task that is not cancelled, although the caller's may be.
// 2. The work of a `once`: it must go on when the step that began it is cancelled (`withTaskCancellationShield` does
//    not exist before Swift 6.4).
//
// Each is awaited where it is made, so none outlives the call that made it. `Task.init` passes the caller's task-local
// values and priority on, as a child task would.
extension FlowCore {
  /// Runs stints until the run has ended. Called by `run`, once.
  func drive() async {
    let chain = FlowChain(serial, around: FlowChain.current)
    await withTaskCancellationHandler {
      repeat {
        // Bound in there, because a task copies what its maker has bound to room of its own.
        let stint = Task { await FlowChain.$current.withValue(chain) { await self.stint() } }
        register(stint)
        await stint.value
      } while !endStint()
    } onCancel: {
      callerCancelled()
    }
  }

  /// Runs `work` in a task of its own and waits for it, cancelled or not.
  func shielded<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
    let task = Task { try await work() }
    return try await task.value
  }

  /// From here on a leave can cancel the stint; one that came before does so now.
  private func register(_ stint: Task<Void, Never>) {
    let (cancels, asker) = withState { state in
      state.stint = stint
      defer { (state.cancelsStint, state.lateAsker) = (false, nil) }
      return (state.cancelsStint, state.lateAsker)
    }
    if cancels { stint.cancel() }
    asker?.fulfil(.failure(CancellationError()))
  }

  /// Whether that was the last one.
  private func endStint() -> Bool {
    withState { state in
      state.stint = nil
      return state.machine.phase == .ended
    }
  }

  var hasEnded: Bool { withState { $0.machine.phase == .ended } }

  private func callerCancelled() {
    let since = elapsed
    try? decideNow { machine in machine.cancel(since: since).decision }
  }
}

extension FlowMachine.Leaving {
  /// The leave as something to carry out.
  var decision: Decision<Void> {
    var decision = Decision((), event: event)
    decision.cancelsWalk = cancelsWalk
    return decision
  }
}
