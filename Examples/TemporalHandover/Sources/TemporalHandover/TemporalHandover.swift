/// A Temporal server to which steps hand work over: it starts workflows of another team exactly once, waits for their
/// ends, and requests their cancellation, over the HTTP API of the server.
///
/// ```swift
/// func proceed(_ order: Order, context: StepContext) async throws -> Parcel {
///   let flow = context.flow
///   let run = try await context.once("start") { [temporal] key in
///     try await temporal.start("Ship", id: "shipment-\(flow)", queue: "ship", key: key, calling: flow, with: order)
///   }
///   return try await context.outcome(of: run).result(as: Parcel.self)
/// }
///
/// func backUp(context: RollbackContext) async throws {
///   try await context.cancelWorkflow("start", id: "shipment-\(context.flow)", on: temporal)
/// }
/// ```
///
/// An ``OutcomeDelivery`` sends the outcome to the flow, which takes no memory while it waits. With ``Callbacks`` the
/// server calls when the workflow has ended, and a ``CallbackReceiver`` sends the outcome at once.
///
/// Tested with Temporal server 1.32.
public struct TemporalHandover: Sendable {
  /// The URL of the server's HTTP port, without a slash at its end.
  let baseURL: String
  let namespace: String
  let apiKey: Secret?
  let callbacks: Callbacks?
  let transport: any HTTPTransport
  let clock: any Clock<Duration>
  let options: Options

  /// Creates a handover to a server. Nothing is sent.
  ///
  /// - Parameters:
  ///   - baseURL: The URL of the server's HTTP port, such as `http://127.0.0.1:7243`. With `https` the system's TLS is used.
  ///   - namespace: The namespace of the workflows.
  ///   - apiKey: The API key. It is sent in each request, so it needs `https`, except to this machine.
  ///   - callbacks: The address that the server is to call when a workflow has ended; `nil` to only poll.
  ///   - options: Times and limits of requests.
  ///   - transport: The client for HTTP.
  ///   - clock: The clock of the pauses between attempts.
  /// - Throws: A ``HandoverError`` with the code `badAddress`.
  public init(
    baseURL: String, namespace: String = "default", apiKey: String? = nil, callbacks: Callbacks? = nil,
    options: Options = Options(), transport: any HTTPTransport = URLSessionTransport(),
    clock: any Clock<Duration> = ContinuousClock()
  ) throws(HandoverError) {
    let address = try ServerAddress(baseURL)
    guard !namespace.isEmpty, !namespace.contains("/") else {
      throw HandoverError(.badAddress, "the namespace \"\(namespace)\" is empty or has a slash")
    }
    if let apiKey {
      guard address.isSecure || address.isLocal else {
        throw HandoverError(.badAddress, "an API key needs https, but the address is \(address.text)")
      }
      guard !apiKey.isEmpty, apiKey.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw HandoverError(.badAddress, "the API key is empty, or has characters that cannot stand in a header")
      }
    }
    self.baseURL = address.text
    self.namespace = namespace
    self.apiKey = apiKey.map(Secret.init)
    self.callbacks = callbacks
    self.options = options
    self.transport = transport
    self.clock = clock
  }

  /// Times and limits of requests.
  public struct Options: Sendable {
    /// The number of times that a request is sent before it throws `unreachable`; at least 1. Work of `once` should end
    /// in bounded time: with the defaults a start ends within three minutes.
    public var attempts = 4
    /// The pause before the second attempt; each further one is twice as long, up to 30 seconds.
    public var firstPause: Duration = .milliseconds(250)
    /// The time that one attempt may take.
    public var timeout: Duration = .seconds(10)
    /// The time that a long poll may take. The server ends it after about 20 seconds.
    public var pollTimeout: Duration = .seconds(40)
    /// The number of bytes that a reply may have.
    public var maximumReplyBytes = 8 << 20
    /// The number of bytes that all payloads of an outcome may have. A signal has at most 1 MiB as JSON, so a larger
    /// result arrives as ``WorkflowOutcome/Ending/tooLarge(bytes:)``.
    public var maximumResultBytes = 512 << 10

    /// Creates options with their default values.
    public init() {}
  }
}

/// A secret, which no description shows.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
  let text: String

  var description: String { "secret" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
