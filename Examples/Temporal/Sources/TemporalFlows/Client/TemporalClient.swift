internal import GRPCCore
internal import GRPCNIOTransportHTTP2
public import ServiceLifecycle
internal import TemporalProtocol

/// A connection to a namespace of a Temporal server.
///
/// The connection is made by ``run()``. A call without a connection waits for 5 seconds at most. In a `ServiceGroup` the
/// client stands in front of the workers that use it, because services shut down in reverse order.
public final class TemporalClient: Service, Sendable {
  /// The namespace of the flows.
  public let namespace: String
  /// The name of this process, which the server shows beside what the process has done.
  public let identity: String
  /// The connections; `nil` if another service carries out the calls.
  private let grpc: GRPCClient<HTTP2ClientTransport.Posix>?
  private let service: any TemporalWorkflowService.ClientProtocol
  private let metadata: Metadata
  /// The name and the port of the server, for errors.
  let server: String
  /// Opened when a connection takes the first call.
  private let isConnected = Latch()

  /// Creates a client; nothing is sent before ``run()``.
  ///
  /// - Parameters:
  ///   - host: The name or the address of the server.
  ///   - port: The port of the server's frontend.
  ///   - namespace: The namespace of the flows.
  ///   - security: The way in which connections are secured.
  ///   - apiKey: The key for a server that asks for one; it is sent only over TLS.
  ///   - authority: The name by which the server knows itself, if it is not `host`.
  ///   - identity: The name of this process.
  /// - Throws: ``TemporalFlowError`` with the code `badOptions` for an API key without TLS; an error of the
  ///   transport if the host cannot be resolved or a certificate cannot be read.
  public init(
    host: String, port: Int = 7_233, namespace: String = "default", security: TemporalSecurity = .plaintext,
    apiKey: String? = nil, authority: String? = nil, identity: String = TemporalClient.processName
  ) throws {
    if apiKey != nil, !security.isEncrypted {
      throw TemporalFlowError(.badOptions, "an API key is sent over TLS only; give the client security: .tls()")
    }
    var config = HTTP2ClientTransport.Posix.Config.defaults
    config.http2.authority = authority
    config.connection.maxIdleTime = nil
    config.connection.flushCoalescing = nil
    config.connection.keepalive = .init(time: .seconds(30), timeout: .seconds(15), allowWithoutCalls: false)
    config.backoff.initial = .milliseconds(50)
    config.backoff.max = .seconds(5)
    config.channelDebuggingCallbacks = ServerPings.callbacks
    let grpc = GRPCClient(
      transport: try .http2NIOPosix(
        target: .dns(host: host, port: port), transportSecurity: security.transport, config: config),
      interceptors: [AttemptInterceptor()])
    (self.grpc, service) = (grpc, TemporalWorkflowService.Client(wrapping: grpc))
    var metadata: Metadata = ["client-name": "temporal-swift-actorflow", "client-version": "1.0.0"]
    metadata.addString(namespace, forKey: "temporal-namespace")
    if let apiKey { metadata.addString("Bearer \(apiKey)", forKey: "authorization") }
    (self.namespace, self.identity, self.metadata) = (namespace, identity, metadata)
    server = "\(host):\(port)"
  }

  /// Creates a client whose calls `service` carries out, in the place of a server.
  init(service: any TemporalWorkflowService.ClientProtocol) {
    (grpc, self.service) = (nil, service)
    (namespace, identity, metadata, server) = ("default", "in-process", [:], "this process")
  }

  /// Keeps the connection to the server until a graceful shutdown, or the cancellation of the calling task.
  ///
  /// - Throws: Errors of the transport.
  public func run() async throws {
    guard let grpc else { return }
    try await withTaskCancellationOrGracefulShutdownHandler {
      try await grpc.runConnections()
    } onCancelOrGracefulShutdown: {
      grpc.beginGracefulShutdown()
    }
  }

  /// The number of bytes that a reply may have: pages of a history with large snapshots.
  private static let replyBytes = 64 << 20

  /// The time for which a call waits for a connection.
  @TaskLocal static var patience = Duration.seconds(5)

  /// Whether there has ever been a connection.
  var hasConnected: Bool { grpc == nil || isConnected.isOpen }

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - timeout: The time after which the call fails with `deadlineExceeded`.
  ///   - body: A closure that makes the call with the service, the metadata and the options that it is given.
  /// - Throws: An ``UnsentCall`` if no connection has taken the call in ``patience``; an `RPCError`.
  func call<Reply: Sendable>(
    within timeout: Duration = .seconds(10),
    _ body:
      @escaping @Sendable (any TemporalWorkflowService.ClientProtocol, Metadata, CallOptions) async throws -> Reply
  ) async throws -> Reply {
    var options = CallOptions.defaults
    options.timeout = timeout
    options.waitForReady = true
    // The transport limits replies by the number that is for requests, and otherwise to 4 MiB.
    (options.maxRequestMessageBytes, options.maxResponseMessageBytes) = (Self.replyBytes, Self.replyBytes)
    guard grpc != nil else { return try await body(service, metadata, options) }
    return try await sending { [service, metadata, options] in try await body(service, metadata, options) }
  }

  /// Makes a call that is given up if no connection takes it in time.
  private func sending<Reply: Sendable>(_ body: @escaping @Sendable () async throws -> Reply) async throws -> Reply {
    let (attempt, patience) = (CallAttempt(opening: isConnected), Self.patience)
    do {
      return try await withThrowingTaskGroup(of: Reply?.self) { group in
        group.addTask { try await CallAttempt.$current.withValue(attempt) { try await body() } }
        group.addTask {
          try await Task.sleep(for: patience)
          if attempt.giveUp() { throw CancellationError() }
          return nil
        }
        defer { group.cancelAll() }
        while let next = try await group.next() {
          if let reply = next { return reply }
        }
        throw CancellationError()
      }
    } catch {
      guard !Task.isCancelled, attempt.giveUp() else { throw error }
      throw UnsentCall(server: server, isFirst: !hasConnected, cause: error as? RPCError)
    }
  }
}
