import ActorFlowHosting
import ApprovalFlow
import Foundation

/// Messages as lines of a file. A message whose key is known is not written again.
actor Outbox: Post {
  private let path: String
  private let clock: any WallClock

  init(path: String, clock: any WallClock) {
    (self.path, self.clock) = (path, clock)
  }

  func send(_ notice: Notice) throws {
    let old = FileManager.default.contents(atPath: path) ?? Data()
    let text = String(decoding: old, as: UTF8.self)
    let ending = "\t\(notice.key)"
    guard !text.split(separator: "\n").contains(where: { $0.hasSuffix(ending) }) else { return }
    // A line that a crash has cut off ends here, so that the next one is whole.
    let start = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
    let line = "\(start)\(Time.text(clock.now))\t\(notice.to)\t\(notice.text)\(ending)\n"
    if old.isEmpty, !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(filePath: path), options: .withoutOverwriting)
    }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data(line.utf8))
    try file.synchronize()
  }
}
