import Foundation

@testable import ActorFlow

extension FlowCoordinator {
  /// The waiters and tasks that are still there, by what they wait for.
  var leftovers: [String] {
    [
      ("milestones", state.milestones.count), ("waits", state.waits.count), ("pauses", state.pauses.count),
      ("once", state.onceWaiters.count), ("branches", state.branches.count),
      ("stint", state.main.stint == nil ? 0 : 1),
    ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
  }

  /// Whether a timer is due or firing.
  var isFiring: Bool {
    let due = state.machine.nextTimer.map { $0 <= state.stopwatch.elapsed() } ?? false
    return state.machine.phase == .walking && (due || state.timer.isFiring)
  }

  /// Blocks the calling thread until the actor has answered, as user code may that the actor must not wait for.
  nonisolated func blocking<Value: Sendable>(_ look: @escaping @Sendable (isolated FlowCoordinator) -> Value) -> Value?
  {
    let done = DispatchSemaphore(value: 0)
    let value = Shared<Value?>(nil)
    Task.detached {
      let found = await look(self)
      value.change { $0 = found }
      done.signal()
    }
    done.wait()
    return value.value
  }
}
