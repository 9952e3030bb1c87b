import ActorFlow
import ActorFlowHosting
import Foundation

/// Files in memory that lose unsynced data in a crash: any sectors of files, and any changes of names.
final class SimulatedFiles: FileSystem {
  private static let sector = 512

  fileprivate struct File: Sendable {
    var bytes: [UInt8] = []
    /// The bytes that a crash leaves.
    var durable: [UInt8] = []
    /// The sectors that the next sync writes.
    var dirty: Set<Int> = []
    var isResized = false
    var isLocked = false
    /// The bytes that the file takes of the disk at least.
    var reserved = 0
  }

  /// A change of names that a crash may lose.
  fileprivate enum Change: Sendable {
    case link(String, Int)
    case unlink(String)
    case rename(String, String, Int)

    var names: [String] {
      switch self {
      case .link(let name, _), .unlink(let name): [name]
      case .rename(let old, let new, _): [old, new]
      }
    }

    func apply(to names: inout [String: Int]) {
      switch self {
      case .link(let name, let number): names[name] = number
      case .unlink(let name): names[name] = nil
      case .rename(let old, let new, let number): (names[old], names[new]) = (nil, number)
      }
    }
  }

  fileprivate struct Directory: Sendable {
    var names: [String: Int] = [:]
    var durable: [String: Int] = [:]
    var changes: [Change] = []

    mutating func make(_ change: Change) {
      change.apply(to: &names)
      changes.append(change)
    }
  }

  fileprivate struct State: Sendable {
    var files: [Int: File] = [:]
    fileprivate var directories: [Int: Directory] = [0: Directory()]
    var next = 1
    /// The number of crashes; a file that was opened before one is not usable.
    var epoch = 0
    /// The bytes that the disk has.
    var capacity = Int.max
    var canReserve = true
    var syncs = 0
    var losesSync = false
    var random: RandomState
  }

  fileprivate let state: Lock<State>

  /// A sync that this disk does not do, as if the store had forgotten it.
  enum Ignored: Sendable, CaseIterable {
    case files, directories
  }

  fileprivate let ignored: Ignored?

  init(seed: UInt64, ignoring ignored: Ignored? = nil) {
    self.ignored = ignored
    state = Lock(State(random: RandomState(seed: seed)))
  }

  /// Creates a copy of another disk, as it is after the process has died.
  init(copying other: SimulatedFiles) {
    ignored = nil
    state = Lock(other.state.withLock { $0 })
    kill()
  }

  // MARK: - What a test does to the disk

  /// The process dies; nothing is lost that it has written.
  func kill() {
    state.withLock { state in
      state.epoch += 1
      for number in Array(state.files.keys) { state.files[number]?.isLocked = false }
    }
  }

  /// The power fails: a random part of what is not synced is lost.
  func crash() {
    state.withLock { state in
      state.epoch += 1
      for number in Array(state.files.keys) {
        guard var file = state.files[number] else { continue }
        file.lose(Self.sector, &state.random)
        file.isLocked = false
        state.files[number] = file
      }
      for number in Array(state.directories.keys) {
        guard var directory = state.directories[number] else { continue }
        var names = directory.durable
        var lost: Set<String> = []
        let share = state.random.below(4)
        for change in directory.changes {
          // A lost change of a name loses all later changes of that name.
          if !lost.isDisjoint(with: change.names) || state.random.below(3) < share {
            lost.formUnion(change.names)
          } else {
            change.apply(to: &names)
          }
        }
        directory = Directory(names: names, durable: names)
        state.directories[number] = directory
      }
    }
  }

  var syncs: Int { state.withLock { $0.syncs } }

  /// Lets the file system refuse to reserve space, as some do.
  func refuseReserves() { state.withLock { $0.canReserve = false } }

  func setCapacity(_ bytes: Int) { state.withLock { $0.capacity = bytes } }

  var used: Int { state.withLock { $0.used } }

  /// The bytes of all files that have a name, by path.
  func contents() -> [String: [UInt8]] { state.withLock { $0.contents(of: 0, at: "") } }

  func set(_ bytes: [UInt8], at path: String) {
    let number = state.withLock { state -> Int? in
      guard let (directory, name) = state.parent(path) else { return nil }
      return state.directories[directory]?.names[name]
    }
    state.withLock { state in
      guard let number else { return }
      state.files[number]?.bytes = bytes
      state.files[number]?.durable = bytes
    }
  }

  /// Makes the next sync of a file fail after a random part of it. A later sync does not write the rest.
  func loseNextSync() { state.withLock { $0.losesSync = true } }

  // MARK: - FileSystem

  func open(_ path: String, _ access: FileAccess) throws(SystemFailure) -> (any SystemFile)? {
    try state.withLock { state throws(SystemFailure) in
      guard let (directory, name) = state.parent(path) else { throw SystemFailure(ENOENT) }
      if let number = state.directories[directory]?.names[name] {
        guard state.files[number] != nil else { throw SystemFailure(EISDIR) }
        if access == .create {
          state.files[number]?.resize(to: 0)
        }
        return OpenFile(self, number, state.epoch)
      }
      if access == .read { return nil }
      let number = state.next
      state.next += 1
      state.files[number] = File()
      state.directories[directory]?.make(.link(name, number))
      return OpenFile(self, number, state.epoch)
    }
  }

  func rename(_ path: String, to target: String) throws(SystemFailure) {
    try state.withLock { state throws(SystemFailure) in
      guard let (directory, name) = state.parent(path), let number = state.directories[directory]?.names[name],
        let (other, new) = state.parent(target), other == directory
      else { throw SystemFailure(ENOENT) }
      state.directories[directory]?.make(.rename(name, new, number))
    }
  }

  func remove(_ path: String) throws(SystemFailure) {
    state.withLock { state in
      guard let (directory, name) = state.parent(path), state.directories[directory]?.names[name] != nil else { return }
      state.directories[directory]?.make(.unlink(name))
    }
  }

  func syncDirectory(_ path: String) throws(SystemFailure) {
    if ignored == .directories { return }
    try state.withLock { state throws(SystemFailure) in
      guard let number = state.directory(path), var directory = state.directories[number] else {
        throw SystemFailure(ENOENT)
      }
      directory.durable = directory.names
      directory.changes = []
      state.directories[number] = directory
    }
  }

  func makeDirectory(_ path: String) throws(SystemFailure) -> Bool {
    try state.withLock { state throws(SystemFailure) in
      guard let (directory, name) = state.parent(path) else { throw SystemFailure(ENOENT) }
      guard state.directories[directory]?.names[name] == nil else { return false }
      let number = state.next
      state.next += 1
      state.directories[number] = Directory()
      state.directories[directory]?.make(.link(name, number))
      return true
    }
  }

  func names(in path: String) throws(SystemFailure) -> [String] {
    try state.withLock { state throws(SystemFailure) in
      guard let number = state.directory(path) else { throw SystemFailure(ENOENT) }
      return state.directories[number]?.names.keys.sorted() ?? []
    }
  }

  func identity(at path: String) throws(SystemFailure) -> FileIdentity? {
    state.withLock { state in
      guard let (directory, name) = state.parent(path), let number = state.directories[directory]?.names[name] else {
        return nil
      }
      return FileIdentity(device: 1, inode: UInt64(number))
    }
  }
}

extension SimulatedFiles.State {
  /// The directory of a path, and the last part of the path.
  fileprivate func parent(_ path: String) -> (Int, String)? {
    let parts = path.split(separator: "/")
    var directory = 0
    for part in parts.dropLast() {
      guard let next = directories[directory]?.names[String(part)], directories[next] != nil else { return nil }
      directory = next
    }
    return parts.last.map { (directory, String($0)) }
  }

  fileprivate func directory(_ path: String) -> Int? {
    guard let (parent, name) = parent(path) else { return 0 }
    return directories[parent]?.names[name]
  }

  fileprivate func contents(of directory: Int, at path: String) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for (name, number) in directories[directory]?.names ?? [:] {
      if let file = files[number] {
        found[path + name] = file.bytes
      } else {
        found.merge(contents(of: number, at: path + name + "/")) { $1 }
      }
    }
    return found
  }

  fileprivate var used: Int {
    directories.values.reduce(0) { sum, directory in
      directory.names.values.reduce(sum) { $0 + (files[$1]?.size ?? 0) }
    }
  }
}

extension SimulatedFiles.File {
  fileprivate var size: Int { max(bytes.count, reserved) }

  fileprivate mutating func resize(to size: Int) {
    if size < bytes.count { bytes.removeLast(bytes.count - size) }
    if size > bytes.count { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
    isResized = true
  }

  fileprivate mutating func sync() {
    if dirty.isEmpty, !isResized { return }
    (durable, dirty, isResized) = (bytes, [], false)
  }

  /// Applies a random part of what is not synced to the bytes that a crash leaves.
  fileprivate mutating func lose(_ sector: Int, _ random: inout RandomState) {
    guard !dirty.isEmpty || isResized else {
      bytes = durable
      return
    }
    var left = durable
    if isResized, random.below(2) == 0 { left = Array(left.prefix(bytes.count)) }
    let share = random.below(4)
    for number in dirty.sorted() where random.below(3) >= share {
      let start = number * sector
      guard start < bytes.count else { continue }
      let range = start..<min(start + sector, bytes.count)
      if left.count < range.upperBound { left += [UInt8](repeating: 0, count: range.upperBound - left.count) }
      left.replaceSubrange(range, with: bytes[range])
    }
    (bytes, durable, dirty, isResized) = (left, left, [], false)
  }
}

private final class OpenFile: SystemFile {
  private let disk: SimulatedFiles
  private let number: Int
  private let epoch: Int

  init(_ disk: SimulatedFiles, _ number: Int, _ epoch: Int) {
    (self.disk, self.number, self.epoch) = (disk, number, epoch)
  }

  private func withFile<Value>(
    _ body: (inout SimulatedFiles.State, inout SimulatedFiles.File) throws(SystemFailure) -> Value
  ) throws(SystemFailure) -> Value {
    try disk.state.withLock { state throws(SystemFailure) in
      guard state.epoch == epoch, var file = state.files.removeValue(forKey: number) else { throw SystemFailure(EIO) }
      defer { state.files[number] = file }
      return try body(&state, &file)
    }
  }

  func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    try withFile { _, file in Array(file.bytes.dropFirst(offset).prefix(count)) }
  }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemFailure) {
    try withFile { state, file throws(SystemFailure) in
      var bytes = bytes
      var failure: SystemFailure?
      if state.capacity < .max {
        let room = max(0, state.capacity - state.used - file.size)
        let grows = offset + bytes.count - file.size
        if grows > room {
          bytes = bytes.prefix(max(0, bytes.count - (grows - room)))
          failure = SystemFailure(ENOSPC)
        }
      }
      if !bytes.isEmpty {
        if file.bytes.count < offset { file.resize(to: offset) }
        let end = offset + bytes.count
        file.bytes.replaceSubrange(offset..<min(end, file.bytes.count), with: bytes)
        for sector in offset / 512...(end - 1) / 512 { file.dirty.insert(sector) }
      }
      if let failure { throw failure }
    }
  }

  func sync() throws(SystemFailure) {
    try withFile { state, file throws(SystemFailure) in
      state.syncs += 1
      if disk.ignored == .files { return }
      guard state.losesSync else { return file.sync() }
      state.losesSync = false
      var left = file
      left.lose(512, &state.random)
      (file.durable, file.dirty, file.isResized) = (left.durable, [], false)
      throw SystemFailure(EIO)
    }
  }

  func truncate(to size: Int) throws(SystemFailure) { try withFile { _, file in file.resize(to: size) } }

  func reserve(_ size: Int) throws(SystemFailure) {
    try withFile { state, file throws(SystemFailure) in
      if !state.canReserve { throw SystemFailure(EOPNOTSUPP) }
      if state.capacity < .max, state.capacity - state.used < size { throw SystemFailure(ENOSPC) }
      file.reserved = size
    }
  }

  func size() throws(SystemFailure) -> Int { try withFile { _, file in file.bytes.count } }

  func identity() throws(SystemFailure) -> FileIdentity { FileIdentity(device: 1, inode: UInt64(number)) }

  func lock() throws(SystemFailure) -> Bool {
    try withFile { _, file in
      defer { file.isLocked = true }
      return !file.isLocked
    }
  }

  func unlock() { _ = try? withFile { _, file in file.isLocked = false } }
}
