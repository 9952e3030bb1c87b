internal import GRPCCore

/// The meaning of a failed call, for what has to be done next.
enum CallOutcome: Sendable {
  /// The server does not know the task, the workflow or the update: it is over, or has never been.
  case gone
  /// The server has refused the call, and nothing was done.
  case refused
  /// No connection has taken the call, so nothing was done. A repetition may succeed.
  case unsent
  /// The call may have been done or not. A repetition may succeed.
  case unknown

  /// The outcome of a call that has failed.
  ///
  /// A stream that the server or the network closes in the middle of a call ends with `unavailable` or `internalError`,
  /// and says nothing of the call: every error that is not known to be a refusal counts as unknown.
  init(_ error: any Error) {
    if error is UnsentCall {
      self = .unsent
      return
    }
    guard let code = (error as? RPCError)?.code else {
      self = .unknown
      return
    }
    switch code {
    case .notFound: self = .gone
    case .invalidArgument, .failedPrecondition, .permissionDenied, .unauthenticated, .unimplemented, .alreadyExists,
      .outOfRange:
      self = .refused
    default: self = .unknown
    }
  }
}

extension RPCError {
  /// The message of an error, without the metadata, which may have a secret.
  static func text(_ error: any Error) -> String {
    if let error = error as? UnsentCall { return error.message }
    guard let error = error as? RPCError else { return "\(type(of: error))" }
    return "\(error.code): \(error.message)"
  }
}

/// The growing pauses between the attempts at a call.
struct CallPauses: Sendable {
  private var next: Duration
  private let most: Duration

  init(from first: Duration = .milliseconds(20), to most: Duration = .milliseconds(500)) {
    (next, self.most) = (first, most)
  }

  /// The pause before the next attempt.
  mutating func take() -> Duration {
    defer { next = min(next * 2, most) }
    return next
  }

  /// Waits for the next attempt.
  ///
  /// - Throws: `CancellationError`.
  mutating func wait() async throws { try await Task.sleep(for: take()) }
}
