import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import RandomPrograms

/// A store in memory for hosts that crash one after the other: after a number of commits the store takes no more writes
/// of a host.
final class CrashingStore: Sendable {
  private struct State: Sendable {
    var limits: [Int]
    var limit = Int.max
    var hosts = 0
    var latest: FaultyStore<MemoryFlowStore>?
  }
  private let store = MemoryFlowStore()
  private let state: Lock<State>

  /// - Parameter limits: The number of commits after which each host crashes; later hosts do not crash.
  init(crashingAfter limits: [Int] = []) {
    state = Lock(State(limits: limits))
  }

  /// The store for another host.
  func next() -> FaultyStore<MemoryFlowStore> {
    state.withLock { state in
      let limit = state.limits.isEmpty ? Int.max : state.limits.removeFirst()
      let next = FaultyStore(store) { call in
        call.operation == .commit && call.numberOfOperation > limit ? .fail(.unavailable) : nil
      }
      (state.latest, state.limit) = (next, limit)
      state.hosts += 1
      return next
    }
  }

  /// The number of hosts that took over from another one.
  var takeovers: Int { state.withLock { $0.hosts - 1 } }

  var hasCrashed: Bool {
    state.withLock { $0.latest.map { [limit = $0.limit] in $0.count(of: .commit) > limit } ?? false }
  }

  /// Throws if the latest host has died.
  func requireRunning() throws {
    if hasCrashed { throw FlowStoreError(.unavailable, "the host has died") }
  }
}

extension FlowHost {
  /// Waits until the flow is passivated, suspended or ended, and returns its page. The flow needs turns of tasks and no
  /// time; after many turns the page of a flow that never stops is returned as it is.
  ///
  /// - Parameter hasCrashed: Whether the host has crashed, so that nothing changes any more.
  func whenIdle(_ id: FlowID, unless hasCrashed: @Sendable () -> Bool = { false }) async throws -> FlowView {
    var view = try await flow(id).view()
    var limit = PollLimit(turns: 2_000)
    while view.status == .runnable, !hasCrashed(), limit.allowsAnother() {
      if limit.turn % 100 == 1 { try await takeUpWork() }
      for _ in 0..<20 { await Task.yield() }
      view = try await flow(id).view()
    }
    return view
  }
}
