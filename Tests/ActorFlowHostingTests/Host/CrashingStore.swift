import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import RandomPrograms

/// A store in memory, and hosts that die one after the other: after a number of commits nothing that a host does is
/// written any more.
final class CrashingStore: Sendable {
  private struct State: Sendable {
    var limits: [Int]
    var limit = Int.max
    var hosts = 0
    var latest: FaultyStore<MemoryFlowStore>?
  }
  private let store = MemoryFlowStore()
  private let state: Lock<State>

  /// - Parameter limits: After how many commits each host dies; those after them live on.
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
  /// The flow when it is put away, stands still, or has ended. What a flow does takes turns of tasks, and no time; one that
  /// goes on for ever is seen as it is after many.
  ///
  /// - Parameter isDead: Whether the host has died, and nothing goes on.
  func whenIdle(_ id: FlowID, unless hasCrashed: @Sendable () -> Bool = { false }) async throws -> FlowView {
    var view = try await view(id)
    var limit = PollLimit(turns: 2_000)
    while view.status == .runnable, !hasCrashed(), limit.allowsAnother() {
      if limit.turn % 100 == 1 { try await takeUpWork() }
      for _ in 0..<20 { await Task.yield() }
      view = try await self.view(id)
    }
    return view
  }
}
