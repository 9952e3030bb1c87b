import ActorFlow
import ActorFlowHosting
import Foundation

/// Simulates a disk that loses unsynced data in a crash: the bytes of files, and changes of names.
final class PowerLoss: Sendable {
  /// The unsynced changes of names, which a crash reverts.
  enum Names: Sendable, CaseIterable {
    case none, all, oldest, newest, odd, even

    fileprivate func loses(_ index: Int, of count: Int) -> Bool {
      switch self {
      case .none: false
      case .all: true
      case .oldest: index == 0
      case .newest: index == count - 1
      case .odd: index % 2 == 1
      case .even: index % 2 == 0
      }
    }
  }

  /// A name that was created, moved or removed, with the contents under the names before.
  private struct Change: Sendable {
    var old: [String: Data?]
    /// The names of a file that was moved: the bytes synced since move with it.
    var move: (from: String, to: String)?
  }

  private struct State: Sendable {
    var isArmed = false
    var count = 0
    var last: DiskOperation?
    /// The change that the last operation makes, if it is done.
    var change: Change?
    /// The bytes of a file on the disk; nil if they were never synced.
    var durable: [String: Data?] = [:]
    var dirty: Set<String> = []
    var volatile: [Change] = []
  }

  private let names: Names
  private let crashAt: Int
  private let state = Lock(State())

  /// A disk that dies before the operation of this number after it was armed.
  init(at crashAt: Int, losing names: Names) {
    self.crashAt = crashAt
    self.names = names
  }

  func arm() { state.withLock { $0.isArmed = true } }

  var hasCrashed: Bool { state.withLock { $0.count >= crashAt } }

  func fault(_ operation: DiskOperation) -> DiskFault? {
    state.withLock { state in
      if let last = state.last { note(last, &state) }
      if let change = state.change { state.volatile.append(change) }
      state.change = change(by: operation)
      state.last = operation
      if state.isArmed { state.count += 1 }
      guard state.count == crashAt else { return nil }
      // The crash happens before the last operation is done.
      forget(state)
      return .crash
    }
  }

  private func contents(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  private func change(by operation: DiskOperation) -> Change? {
    let old = contents(operation.path)
    switch operation.kind {
    case .rename:
      var change = Change(old: [operation.path: old])
      if let source = operation.source {
        change.old[source] = .some(contents(source))
        change.move = (source, operation.path)
      }
      return change
    case .remove: return old == nil ? nil : Change(old: [operation.path: old])
    case .create, .openHistory: return old == nil ? Change(old: [operation.path: nil]) : nil
    default: return nil
    }
  }

  /// Applies the effect of an operation.
  private func note(_ operation: DiskOperation, _ state: inout State) {
    let path = operation.path
    switch operation.kind {
    case .create, .write, .openHistory, .truncate:
      if state.durable[path] == nil { state.durable[path] = .some(nil) }
      state.dirty.insert(path)
    case .sync:
      state.durable[path] = .some(contents(path))
      state.dirty.remove(path)
    case .rename:
      let source = operation.source ?? path
      if state.dirty.remove(source) != nil { state.dirty.insert(path) }
      state.durable[path] = .some(state.durable[source] ?? nil)
    case .remove: state.durable[path] = .some(nil)
    case .syncDirectory: state.volatile.removeAll { $0.old.keys.contains { $0.hasPrefix(path + "/") } }
    case .read, .makeDirectory, .open, .status, .openLock, .lock: break
    }
  }

  private func forget(_ state: State) {
    for path in state.dirty where contents(path) != nil {
      let bytes = (state.durable[path] ?? nil) ?? Data()
      _ = FileManager.default.createFile(atPath: path, contents: bytes)
    }
    var lost: [Change] = []
    for (index, change) in state.volatile.enumerated() {
      // A lost change of a name loses all later changes under that name.
      let follows = lost.contains { !Set($0.old.keys).isDisjoint(with: change.old.keys) }
      if follows || names.loses(index, of: state.volatile.count) { lost.append(change) }
    }
    for change in lost.reversed() {
      var old = change.old
      if let move = change.move { old[move.from] = .some(contents(move.to)) }
      for (path, old) in old {
        if let old {
          _ = FileManager.default.createFile(atPath: path, contents: old)
        } else {
          try? FileManager.default.removeItem(atPath: path)
        }
      }
    }
  }
}
