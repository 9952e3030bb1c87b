/// An error of a handover to a Temporal server.
public struct HandoverError: Error, Sendable, CustomStringConvertible {
  /// The kind of error.
  public let code: Code
  /// The message, which names the workflow or the place, and the remedy. It has no key and no secret.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }

  /// The kind of an error.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The base URL, the namespace, the key or the callback cannot be used. Correct the settings.
    case badAddress
    /// The workflow's id cannot stand in a URL, or the arguments cannot be encoded. Choose others.
    case badWorkflow
    /// The server was away or busy in every attempt. The same call later, under the same key, repeats nothing.
    case unreachable
    /// The server does not accept the API key, or the key may not do this.
    case notAllowed
    /// The server has no such namespace.
    case noSuchNamespace
    /// The workflow's id is taken by a workflow that was not started under this key.
    case workflowTaken
    /// The server refuses the request; the message has its reason.
    case refused
    /// The server's reply is not as its API describes it. Is the base URL that of the server's HTTP port?
    case malformedReply
    /// The server's reply is larger than the limit.
    case replyTooLarge
    /// A payload is not in an encoding, or has not the form, that was asked for.
    case unreadablePayload
    /// The workflow has failed.
    case workflowFailed
    /// The workflow was cancelled.
    case workflowCancelled
    /// The time that the workflow had is over.
    case workflowTimedOut
    /// The workflow was terminated by an operator.
    case workflowTerminated
    /// The server does not know the workflow any more.
    case workflowNotFound
    /// The result is too large for a signal.
    case resultTooLarge
  }

  static let replyTooLarge = HandoverError(.replyTooLarge, "the reply of the server is larger than the limit")
}
