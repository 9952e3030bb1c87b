import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation

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

  func open(_ disk: Disk = Disk()) async throws -> FileFlowStore {
    try await FileFlowStore(directory: path + "/store", clock: clock, disk: disk)
  }

  /// The paths of all files with this ending, below the store's directory, sorted.
  func files(_ ending: String = "") throws -> [String] {
    let all = try FileManager.default.subpathsOfDirectory(atPath: path + "/store")
    return all.filter { $0.hasSuffix(ending) }.sorted()
  }

  /// The bytes of all files of flows.
  func snapshot() throws -> [String: [UInt8]] {
    let names = try files().filter { $0.hasPrefix("flows/") && $0.contains(".") }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try bytes($0)) })
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/store/" + name)
  }

  /// Exchanges the names of two files.
  func swap(_ one: String, _ other: String) throws {
    let bytes = (try bytes(one), try bytes(other))
    try write(bytes.1, to: one)
    try write(bytes.0, to: other)
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
    var harness = FlowStoreHarness(clock: clock) { try await self.open() }
    harness.reopen = { store in
      await (store as? FileFlowStore)?.close()
      return try await self.open()
    }
    harness.close = { await ($0 as? FileFlowStore)?.close() }
    harness.damage = { _, id, damage in
      guard let name = try self.files(".flow").first(where: { self.isFile($0, of: id) }) else { return }
      try self.write(damage.applied(to: try self.bytes(name)), to: name)
    }
    return harness
  }
}

extension Folder {
  /// Whether a file belongs to the flow: its name is the id, with capitals escaped.
  func isFile(_ name: String, of id: FlowID) -> Bool {
    let own = name.split(separator: "/").last ?? ""
    return own.removingPercentEncoding == "\(id).flow"
  }
}
