/// A client for HTTP requests, which a test or an application may put in the place of ``URLSessionTransport``.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns the whole response, whatever its status is.
  ///
  /// - Throws: A ``HandoverError`` with the code `replyTooLarge` if the body has more than
  ///   ``HTTPRequest/maximumReplyBytes``; `CancellationError` if the calling task is cancelled; any other error if there
  ///   was no response within ``HTTPRequest/timeout``. Redirects are not followed: they would carry the API key elsewhere.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// A request of HTTP.
public struct HTTPRequest: Sendable {
  /// The method, such as `POST`.
  public var method: String
  /// The whole URL, percent-encoded; for a request that was received, its path and query are enough.
  public var url: String
  /// The header fields. Names are compared without regard to case.
  public var headers: [String: String]
  /// The body.
  public var body: [UInt8]
  /// The time that the whole exchange may take.
  public var timeout: Duration
  /// The number of bytes that the body of the response may have.
  public var maximumReplyBytes: Int

  /// Creates a request.
  public init(
    method: String, url: String, headers: [String: String] = [:], body: [UInt8] = [], timeout: Duration = .seconds(10),
    maximumReplyBytes: Int = 4 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumReplyBytes = maximumReplyBytes
  }

  /// Returns the value of a header field, or `nil` if there is none.
  func header(_ name: String) -> String? {
    headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }
}

/// A response of HTTP.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }
}
