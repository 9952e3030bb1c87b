/// Why a test of a flow failed: what was expected, what was found, and where the test said so.
///
/// It is thrown, so it fails a test of any framework that lets the error through.
public struct FlowTestFailure: Error, Sendable, CustomStringConvertible {
  /// What was expected and what was found; several lines if events are listed.
  public let message: String
  /// The module and the file of the line that failed.
  public let fileID: String
  /// The line that failed.
  public let line: Int
  /// The error behind the failure, where there is one.
  public let underlying: (any Error)?
  /// Whether it names a step that was cancelled and does not come back: there is no use in waiting for it again.
  let namesStuckStep: Bool

  init(
    _ message: String, at location: SourceLocation, underlying: (any Error)? = nil, namesStuckStep: Bool = false
  ) {
    self.message = message
    self.fileID = location.fileID
    self.line = location.line
    self.underlying = underlying
    self.namesStuckStep = namesStuckStep
  }

  /// The line that failed, and the message.
  public var description: String { "\(fileID):\(line): \(message)" }
}

/// A line of a test.
struct SourceLocation: Sendable {
  let fileID: String
  let line: Int

  init(_ fileID: String, _ line: Int) {
    self.fileID = fileID
    self.line = line
  }
}
