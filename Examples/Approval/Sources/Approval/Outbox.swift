import ActorFlowHosting
import ApprovalFlow

/// Messages as lines of a file.
actor Outbox: Post {
  private let lines: KeyedLines
  private let clock: any WallClock

  init(path: String, clock: any WallClock) {
    (lines, self.clock) = (KeyedLines(path: path), clock)
  }

  func send(_ notice: Notice) throws {
    try lines.append(Time.text(clock.now), notice.to, notice.text, key: notice.key)
  }
}
