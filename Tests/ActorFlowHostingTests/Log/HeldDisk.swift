import ActorFlowTesting
import Foundation

@testable import ActorFlow
@testable import ActorFlowHosting

/// Faults for the disk of a store: syncs are counted and held, one may fail, and the disk may die.
final class HeldDisk: Sendable {
  private struct State: Sendable {
    var syncs = 0
    var heldSync: Int?
    var failsNextSync = false
    var isDead = false
  }
  private let state = Lock(State())
  private let condition = NSCondition()
  private let (reached, continuation) = AsyncStream.makeStream(of: Void.self)

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

  /// Lets the next sync of a segment fail, after which its bytes may or may not be on the disk.
  func failNextSync() { state.withLock { $0.failsNextSync = true } }

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
    let (isHeld, fails) = state.withLock { state in
      state.syncs += 1
      let fails = state.failsNextSync && operation.path.hasSuffix(".segment")
      if fails { state.failsNextSync = false }
      return (state.heldSync == state.syncs, fails)
    }
    if fails { return .error(EIO) }
    if isHeld {
      continuation.yield()
      condition.lock()
      while state.withLock({ $0.heldSync != nil && !$0.isDead }) { condition.wait() }
      condition.unlock()
    }
    return state.withLock { $0.isDead } ? .crash : nil
  }
}

/// The disks of open stores.
final class HeldDisks: Sendable {
  private let disks = Lock<[ObjectIdentifier: HeldDisk]>([:])

  func add(_ disk: HeldDisk, of store: FileFlowStore) { disks.withLock { $0[ObjectIdentifier(store)] = disk } }

  /// The store and its disk.
  subscript(store: any FlowStore) -> (FileFlowStore, HeldDisk) {
    get throws {
      guard let store = store as? FileFlowStore, let disk = disks.withLock({ $0[ObjectIdentifier(store)] }) else {
        throw CocoaError(.fileNoSuchFile)
      }
      return (store, disk)
    }
  }

  /// Lets a harness count and hold the syncs of its stores, and lets one fail.
  func hold(_ harness: inout FlowStoreHarness) {
    harness.syncs = { try self[$0].1.syncs }
    harness.holdSync = { try self[$0].1.hold(after: $1) }
    // A log has no reply that can be lost. A failed sync is its only unknown outcome, and such a group is not adopted.
    harness.severances = [.beforeTheWrite]
    harness.sever = { store, _ in try self[store].1.failNextSync() }
  }
}
