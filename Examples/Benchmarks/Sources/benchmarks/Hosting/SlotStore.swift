import ActorFlow
import ActorFlowHosting
import Foundation
import Synchronization

/// Stores the latest snapshot of each flow in a slot of memory that was taken and touched before: so the growth of the
/// process when flows are started is the host's own. The store has no index and no history. A flow's id is the number
/// of its slot.
final class SlotStore: FlowStore {
  private static let slot = 1_024
  private let bytes: Mutex<[UInt8]>

  init(slots: Int) {
    bytes = Mutex([UInt8](repeating: 0xFF, count: slots * Self.slot))
  }

  /// Every slot is empty, and touched.
  func clear() {
    bytes.withLock { bytes in
      for index in bytes.indices { bytes[index] = 0 }
    }
  }

  private func start(of id: FlowID) throws -> Int {
    guard let number = Int(id.description) else { throw FlowStoreError(.notFound, "\(id) is no number") }
    return number * Self.slot
  }

  func load(_ id: FlowID) async throws -> StoredFlow? {
    let start = try start(of: id)
    let (revision, snapshot) = bytes.withLock { bytes in
      func number(_ index: Int) -> Int { Int(bytes[start + index]) | Int(bytes[start + index + 1]) << 8 }
      let count = number(0)
      return (number(2), Array(bytes[(start + 4)..<(start + 4 + count)]))
    }
    guard revision > 0 else { return nil }
    return StoredFlow(
      id: id, revision: Revision(revision), snapshot: try FlowSnapshot(decoding: snapshot), changedAt: .distantPast)
  }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    let start = try start(of: write.id)
    let encoded = write.snapshot.encoded()
    guard encoded.count + 4 <= Self.slot else { throw FlowStoreError(.tooLarge, "\(encoded.count) bytes fit no slot") }
    let next = write.expecting.next
    bytes.withLock { bytes in
      for (index, byte) in encoded.enumerated() { bytes[start + 4 + index] = byte }
      for (index, number) in [encoded.count, next.number].enumerated() {
        bytes[start + 2 * index] = UInt8(truncatingIfNeeded: number)
        bytes[start + 2 * index + 1] = UInt8(truncatingIfNeeded: number >> 8)
      }
    }
    return StoredFlow(id: write.id, revision: next, snapshot: write.snapshot, changedAt: .distantPast)
  }

  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws {
    let start = try start(of: id)
    bytes.withLock { bytes in for index in 0..<4 { bytes[start + index] = 0 } }
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    FlowPage(flows: [], cursor: nil)
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    TaskPage(tasks: [], cursor: nil)
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] { [] }

  func note(_ key: String) async throws -> StoreNote? { nil }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    throw FlowStoreError(.unavailable, "a store of slots has no notes")
  }
}
