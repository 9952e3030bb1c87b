internal import GRPCCore
internal import Synchronization

/// The error of a call that no connection has taken, so that nothing of it was done.
struct UnsentCall: Error {
  /// The name and the port of the server.
  let server: String
  /// Whether the client has never had a connection.
  let isFirst: Bool
  /// The error of the transport, if the call has failed with one.
  let cause: RPCError?

  var message: String {
    let reason = cause.map { " (\($0.code): \($0.message))" } ?? ""
    return isFirst
      ? "there is no connection to \(server)\(reason); see that a Temporal server listens there, that the client has its "
        + "host, port and security, and that run() of the client is called"
      : "the connection to \(server) is gone\(reason); repeat the call when the server is back"
  }
}

/// An attempt at a call: it is either sent or given up, and never both.
final class CallAttempt: Sendable {
  /// The attempt of the calling task.
  @TaskLocal static var current: CallAttempt?

  private enum State { case waiting, sent, givenUp }

  private let state = Mutex(State.waiting)
  private let isConnected: Latch

  /// - Parameter isConnected: The latch that is opened when a connection takes the call.
  init(opening isConnected: Latch) { self.isConnected = isConnected }

  /// Notes that a connection has taken the call.
  ///
  /// - Throws: An `RPCError` if the call was given up.
  func send() throws {
    let isSent = state.withLock { state in
      if state == .waiting { state = .sent }
      return state == .sent
    }
    guard isSent else { throw RPCError(code: .unavailable, message: "the call was given up") }
    isConnected.open()
  }

  /// Gives the call up unless it was sent. Returns whether nothing of it was sent, and will be.
  func giveUp() -> Bool {
    state.withLock { state in
      if state == .waiting { state = .givenUp }
      return state == .givenUp
    }
  }
}

/// Tells the attempt of a call when a connection has taken it. The transport asks for the message only then.
struct AttemptInterceptor: ClientInterceptor {
  @concurrent func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingClientRequest<Input>, context: ClientContext,
    next: @concurrent (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
  ) async throws -> StreamingClientResponse<Output> {
    guard let attempt = CallAttempt.current else { return try await next(request, context) }
    var request = request
    let producer = request.producer
    request.producer = { writer in
      try attempt.send()
      try await producer(writer)
    }
    return try await next(request, context)
  }
}
