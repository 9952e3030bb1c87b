import ActorFlow

/// Holds steps until a test releases them, and the test until they have arrived.
final class Gate: Sendable {
  private typealias Waiter = CheckedContinuation<Void, Never>
  private let state = Lock<(arrived: Int, isOpen: Bool, steps: [Waiter], tests: [(count: Int, Waiter)])>(
    (0, false, [], []))

  func pass() async {
    await withCheckedContinuation { continuation in
      let (passes, tests) = state.withLock { state in
        state.arrived += 1
        if !state.isOpen { state.steps.append(continuation) }
        let arrived = state.arrived
        defer { state.tests.removeAll { $0.count <= arrived } }
        return (state.isOpen, state.tests.filter { $0.count <= arrived })
      }
      for (_, test) in tests { test.resume() }
      if passes { continuation.resume() }
    }
  }

  func open() {
    let steps = state.withLock { state in
      defer { state.steps = [] }
      state.isOpen = true
      return state.steps
    }
    for step in steps { step.resume() }
  }

  func reached(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.arrived < count { state.tests.append((count, continuation)) }
        return state.arrived >= count
      }
      if isOver { continuation.resume() }
    }
  }
}
