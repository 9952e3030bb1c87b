import Foundation

@testable import ActorFlow

extension FlowCoordinator {
  /// The waiters and tasks that are still there, by what they wait for.
  var leftovers: [String] {
    [
      ("milestones", milestones.count), ("waits", waits.count), ("pauses", pauses.count),
      ("once", onceWaiters.count), ("branches", branches.count), ("stint", main.stint == nil ? 0 : 1),
    ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
  }

  /// Whether a timer is due or firing.
  var isFiring: Bool {
    let due = machine.nextTimer.map { $0 <= stopwatch.elapsed() } ?? false
    return machine.phase == .walking && (due || timer.isFiring)
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
