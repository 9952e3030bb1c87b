/// The failure of a flow test: what was expected, what was found, and the line of the test.
///
/// The failure is thrown, so it fails the test in any framework that lets the error through.
public struct FlowTestFailure: Error, Sendable, CustomStringConvertible {
  /// The expectation and the finding, on several lines if events are listed.
  public let message: String
  /// The module and the file of the line that failed.
  public let fileID: String
  /// The line that failed.
  public let line: Int
  /// The error behind the failure, if there is one.
  public let underlying: (any Error)?
  /// Whether the failure names a step that was cancelled and does not return, so that waiting again is useless.
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

/// A line in the source of a test.
struct SourceLocation: Sendable {
  let fileID: String
  let line: Int

  init(_ fileID: String, _ line: Int) {
    self.fileID = fileID
    self.line = line
  }
}
