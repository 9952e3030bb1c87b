import ActorFlowTesting
import Foundation

@testable import ActorFlow
@testable import ActorFlowHosting

/// Stores on simulated files, whose syncs are counted and held, and which lose power.
final class SimulatedStores: Sendable {
  let clock = ManualWallClock()
  private let disks = HeldDisks()
  private let files = Lock<[ObjectIdentifier: SimulatedFiles]>([:])
  private let seed = Lock<UInt64>(1)

  private func open(_ files: SimulatedFiles) async throws -> FileFlowStore {
    let disk = HeldDisk()
    let store = try await FileFlowStore(
      directory: "/store", clock: clock, disk: Disk(files, fault: disk.fault), segmentBytes: 3_000)
    disks.add(disk, of: store)
    self.files.withLock { $0[ObjectIdentifier(store)] = files }
    return store
  }

  private func files(of store: FileFlowStore) throws -> SimulatedFiles {
    guard let files = files.withLock({ $0[ObjectIdentifier(store)] }) else { throw CocoaError(.fileNoSuchFile) }
    return files
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
      let (store, _) = try self.disks[store]
      await store.close()
      return try await self.open(self.files(of: store))
    }
    harness.close = { store in await (store as? FileFlowStore)?.close() }
    harness.crash = { store in
      let (store, disk) = try self.disks[store]
      let files = try self.files(of: store)
      disk.die()
      files.crash()
      let next = try await self.open(files)
      await store.close()
      return next
    }
    disks.hold(&harness)
    return harness
  }
}
