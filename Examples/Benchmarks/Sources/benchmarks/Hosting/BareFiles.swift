import Dispatch
import Foundation

/// One commit as written to the disk.
struct FileCommit: Sendable {
  /// The flow's files, without their endings, below the directory.
  let stem: String
  /// The bytes added to the history, and their offset; 0 bytes if it was not touched.
  let historyOffset: Int
  let historyBytes: Int
  /// The size of the flow's file.
  let flowBytes: Int
}

/// The system calls of commits, and nothing else: the least that any store must do.
struct BareFiles: Sendable {
  let root: String

  /// Creates the files that exist before the first commit.
  func prepare(_ flows: [[FileCommit]]) throws {
    for stem in flows.compactMap(\.first?.stem) {
      let directory = "\(root)/\(stem.prefix { $0 != "/" })"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      for ending in [".flow", ".history"] {
        try Data(repeating: 0x5A, count: 512).write(to: URL(fileURLWithPath: "\(root)/\(stem)\(ending)"))
      }
    }
    sync()
  }

  /// Does the commits: those of one flow one after the other on a thread of their own, all flows at once.
  func write(_ flows: [[FileCommit]]) async throws {
    try await withThrowingTaskGroup { group in
      for (number, commits) in flows.enumerated() {
        group.addTask {
          try await withCheckedThrowingContinuation { done in
            DispatchQueue(label: "bare.\(number)").async {
              done.resume(with: Result { for commit in commits { try write(commit) } })
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func write(_ commit: FileCommit) throws {
    let path = "\(root)/\(commit.stem)"
    if commit.historyBytes > 0 {
      try put(commit.historyBytes, at: commit.historyOffset, in: path + ".history", O_WRONLY | O_CREAT | O_CLOEXEC)
    }
    try put(commit.flowBytes, at: 0, in: path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
    try check(rename(path + ".new", path + ".flow"), "rename")
    let directory = open("\(root)/\(commit.stem.prefix { $0 != "/" })", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try check(directory, "open a directory")
    defer { close(directory) }
    try check(fsync(directory), "sync a directory")
  }

  private func put(_ count: Int, at offset: Int, in path: String, _ flags: Int32) throws {
    let file = open(path, flags, 0o600)
    try check(file, "open")
    defer { close(file) }
    let bytes = [UInt8](repeating: 0x5A, count: count)
    try check(Int32(clamping: pwrite(file, bytes, count, off_t(offset)) - count), "write")
    try check(fdatasync(file), "sync")
  }

  private func check(_ result: Int32, _ what: String) throws {
    guard result < 0 else { return }
    throw WrongResult(description: "cannot \(what): \(String(cString: strerror(errno)))")
  }
}
