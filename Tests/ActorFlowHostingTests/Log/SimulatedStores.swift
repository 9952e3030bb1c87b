import ActorFlowTesting
import Foundation

@testable import ActorFlow
@testable import ActorFlowHosting

/// Stores on simulated files, whose syncs are counted and held, and which lose power.
final class SimulatedStores: Sendable {
  /// The files of a store, and the thread that waits in a sync.
  final class Machine: Sendable {
    private struct State: Sendable {
      var syncs = 0
      var heldSync: Int?
      var isDead = false
    }
    let files: SimulatedFiles
    private let state = Lock(State())
    private let condition = NSCondition()
    private let (reached, continuation) = AsyncStream.makeStream(of: Void.self)

    init(_ files: SimulatedFiles) {
      self.files = files
    }

    var syncs: Int { state.withLock { $0.syncs } }

    func hold(after count: Int) -> FlowStoreHarness.HeldSync {
      state.withLock { $0.heldSync = $0.syncs + count + 1 }
      return FlowStoreHarness.HeldSync(
        reached: {
          for await _ in self.reached { return }
          throw CancellationError()
        },
        release: { self.wake { $0.heldSync = nil } })
    }

    func die() { wake { $0.isDead = true } }

    private func wake(_ change: (inout State) -> Void) {
      condition.lock()
      state.withLock { change(&$0) }
      condition.broadcast()
      condition.unlock()
    }

    func fault(_ operation: DiskOperation) -> DiskFault? {
      guard operation.kind == .sync || operation.kind == .syncDirectory else {
        return state.withLock { $0.isDead } ? .crash : nil
      }
      let isHeld = state.withLock { state in
        state.syncs += 1
        return state.heldSync == state.syncs
      }
      if isHeld {
        continuation.yield()
        condition.lock()
        while state.withLock({ $0.heldSync != nil && !$0.isDead }) { condition.wait() }
        condition.unlock()
      }
      return state.withLock { $0.isDead } ? .crash : nil
    }
  }

  let clock = ManualWallClock()
  private let machines = Lock<[ObjectIdentifier: Machine]>([:])
  private let seed = Lock<UInt64>(1)

  private func open(_ files: SimulatedFiles) async throws -> FileFlowStore {
    let machine = Machine(files)
    let store = try await FileFlowStore(
      directory: "/store", clock: clock, disk: Disk(files, fault: machine.fault), segmentBytes: 3_000)
    machines.withLock { $0[ObjectIdentifier(store)] = machine }
    return store
  }

  private func machine(_ store: any FlowStore) throws -> (FileFlowStore, Machine) {
    guard let store = store as? FileFlowStore, let machine = machines.withLock({ $0[ObjectIdentifier(store)] }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return (store, machine)
  }

  var harness: FlowStoreHarness {
    var harness = FlowStoreHarness(clock: clock) {
      try await self.open(
        SimulatedFiles(
          seed: self.seed.withLock { seed in
            seed += 1
            return seed
          }))
    }
    harness.reopen = { store in
      let (store, machine) = try self.machine(store)
      await store.close()
      return try await self.open(machine.files)
    }
    harness.close = { store in await (store as? FileFlowStore)?.close() }
    harness.crash = { store in
      let (store, machine) = try self.machine(store)
      machine.die()
      machine.files.crash()
      let next = try await self.open(machine.files)
      await store.close()
      return next
    }
    harness.syncs = { store in try self.machine(store).1.syncs }
    harness.holdSync = { store, count in try self.machine(store).1.hold(after: count) }
    return harness
  }
}
