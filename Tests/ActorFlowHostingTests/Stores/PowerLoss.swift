import ActorFlow
import ActorFlowHosting
import Foundation

/// Plays a disk that forgets at a crash what was not synced: the bytes of files, and also names, if they are to be lost.
final class PowerLoss: Sendable {
  private struct State: Sendable {
    var isArmed = false
    var count = 0
    var last: DiskOperation?
    /// What a file has on the disk; nil if it is not there.
    var durable: [String: Data?] = [:]
    var dirty: Set<String> = []
    /// Names that were changed and not synced, with what stood under them.
    var volatile: [String: Data?] = [:]
  }

  private let losesNames: Bool
  private let crashAt: Int
  private let state = Lock(State())

  /// A disk that dies before the operation of this number after it was armed.
  init(at crashAt: Int, losesNames: Bool) {
    self.crashAt = crashAt
    self.losesNames = losesNames
  }

  func arm() { state.withLock { $0.isArmed = true } }

  var hasCrashed: Bool { state.withLock { $0.count >= crashAt } }

  func fault(_ operation: DiskOperation) -> DiskFault? {
    state.withLock { state in
      if let last = state.last { note(last, &state) }
      if operation.kind == .rename || operation.kind == .remove {
        // What stood there before, unless an older name there was not synced either.
        let path = operation.path
        if state.volatile[path] == nil { state.volatile[path] = .some(state.durable[path] ?? contents(path)) }
      }
      state.last = operation
      if state.isArmed { state.count += 1 }
      guard state.count == crashAt else { return nil }
      forget(state)
      return .crash
    }
  }

  private func contents(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  /// Takes over what an operation has done.
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
      let source = path.replacingOccurrences(of: ".flow", with: ".new")
      if state.dirty.remove(source) != nil { state.dirty.insert(path) }
      state.durable[path] = .some(state.durable[source] ?? nil)
    case .remove: state.durable[path] = .some(nil)
    case .syncDirectory:
      for name in state.volatile.keys where name.hasPrefix(path + "/") { state.volatile[name] = nil }
    case .read, .makeDirectory: break
    }
  }

  private func forget(_ state: State) {
    for path in state.dirty where contents(path) != nil {
      let kept = (state.durable[path] ?? nil) ?? Data()
      _ = FileManager.default.createFile(atPath: path, contents: kept)
    }
    guard losesNames else { return }
    for (path, old) in state.volatile {
      // The crash came before the last operation was done, so a name it was to change is as it was.
      if let old {
        _ = FileManager.default.createFile(atPath: path, contents: old)
      } else {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }
}
