import Dispatch
import Foundation
import Synchronization

/// The system calls of commits to a log, and nothing else: the least that any store must do.
///
/// The writes that wait at the same time are appended by one call and synced by another, as the store does it.
final class BareLog: Sendable {
  private struct State {
    var waiting: [(bytes: Int, done: CheckedContinuation<Void, any Error>)] = []
    var isIdle = true
    var offset = 0
  }
  private let file: Int32
  private let state = Mutex(State())
  private let writer = DispatchQueue(label: "bare")

  init(root: String) throws {
    file = open("\(root)/log", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw WrongResult(description: "cannot open the log") }
    sync()
  }

  deinit { close(file) }

  /// Does the commits: those of one flow one after the other, all flows at once.
  func write(flows: Int, commits: Int, bytes: Int) async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<flows {
        group.addTask { for _ in 0..<commits { try await self.commit(bytes) } }
      }
      try await group.waitForAll()
    }
  }

  private func commit(_ bytes: Int) async throws {
    try await withCheckedThrowingContinuation { done in
      let begins = state.withLock { state in
        state.waiting.append((bytes, done))
        defer { state.isIdle = false }
        return state.isIdle
      }
      if begins { writer.async { self.drain() } }
    }
  }

  private func drain() {
    while true {
      let (group, offset) = state.withLock { state in
        let group = state.waiting
        state.waiting = []
        state.isIdle = group.isEmpty
        return (group, state.offset)
      }
      guard !group.isEmpty else { return }
      let bytes = [UInt8](repeating: 0x5A, count: group.reduce(0) { $0 + $1.bytes })
      let isWritten = pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count && fdatasync(file) == 0
      state.withLock { $0.offset += bytes.count }
      for member in group {
        if isWritten {
          member.done.resume()
        } else {
          member.done.resume(throwing: WrongResult(description: "cannot write: \(String(cString: strerror(errno)))"))
        }
      }
    }
  }
}
