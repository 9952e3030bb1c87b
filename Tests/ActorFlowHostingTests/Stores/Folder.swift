import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// A directory for the stores of one test, removed with it.
final class Folder: Sendable {
  let path: String
  let clock = ManualWallClock()

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("ActorFlow-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func open(
    _ disk: Disk = Disk(), segmentBytes: Int = FileFlowStore.usualSegmentBytes
  ) async throws -> FileFlowStore {
    try await FileFlowStore(directory: path + "/store", clock: clock, disk: disk, segmentBytes: segmentBytes)
  }

  /// The paths of all files with this ending, below the store's directory, sorted.
  func files(_ ending: String = "") throws -> [String] {
    let all = try FileManager.default.subpathsOfDirectory(atPath: path + "/store")
    return all.filter { $0.hasSuffix(ending) }.sorted()
  }

  /// The bytes of all files of the log.
  func snapshot() throws -> [String: [UInt8]] {
    let names = try files().filter { $0.hasPrefix("log/") && !$0.hasSuffix("aside") }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try bytes($0)) })
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path + "/store/" + name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = path + "/store/" + name
    guard let handle = FileHandle(forUpdatingAtPath: file) else {
      guard FileManager.default.createFile(atPath: file, contents: Data(bytes)) else {
        throw CocoaError(.fileWriteUnknown)
      }
      return
    }
    // In place, and truncated afterwards: a new file, or one truncated to nothing, would be synced.
    try handle.write(contentsOf: Data(bytes))
    try handle.truncate(atOffset: UInt64(bytes.count))
    try handle.close()
  }

  /// A harness for stores of directories in this one.
  var harness: FlowStoreHarness {
    let disks = HeldDisks()
    let open: @Sendable () async throws -> FileFlowStore = {
      let disk = HeldDisk()
      let store = try await self.open(Disk(fault: disk.fault))
      disks.add(disk, of: store)
      return store
    }
    var harness = FlowStoreHarness(clock: clock) { try await open() }
    harness.reopen = { store in
      await (store as? FileFlowStore)?.close()
      return try await open()
    }
    harness.crash = { store in
      let (store, disk) = try disks[store]
      // What was written and not synced stays: the process dies, and the machine does not.
      disk.die()
      await store.close()
      return try await open()
    }
    disks.hold(&harness)
    harness.close = { await ($0 as? FileFlowStore)?.close() }
    harness.damage = { store, id, damage in
      guard let store = store as? FileFlowStore else { return }
      // The copies of a compaction are written after the commit that caused it; the bytes read here must be the last ones.
      try await store.onWriter { _ throws(FlowStoreError) in }
      guard let place = store.state.withLock({ $0.log[id]?.place }) else { return }
      let name = "log/" + Manifest.segmentName(Int(place.segment))
      var bytes = try self.bytes(name)
      let range = Int(place.offset)..<Int(place.offset) + place.size
      guard damage == .newerFormat else {
        // A record cannot be shorter, because others follow it: what is missing was never written.
        let left = damage.applied(to: Array(bytes[range]))
        bytes.replaceSubrange(range, with: left + [UInt8](repeating: 0, count: range.count - left.count))
        return try self.write(bytes, to: name)
      }
      let salt = store.files.withLock { $0.manifest.segments.first { $0.number == place.segment }?.salt ?? 0 }
      let content = range.dropLast(LogPlace.sumBytes)
      let magic = Array("AFSN".utf8)
      let start = try #require(content.first { bytes[$0...].starts(with: magic) })
      bytes.replaceSubrange(
        start..<content.upperBound, with: damage.applied(to: Array(bytes[start..<content.upperBound])))
      var writer = ByteWriter()
      writer.fixed(Checksum.of(bytes[content], at: content.lowerBound, salt: salt))
      bytes.replaceSubrange(content.upperBound..<range.upperBound, with: writer.bytes)
      try self.write(bytes, to: name)
    }
    return harness
  }
}
