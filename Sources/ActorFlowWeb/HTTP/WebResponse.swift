/// A response, for the adapter of an HTTP server to send.
public struct WebResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields. The length of the body is left to the server.
  public var headers: WebHeaders
  /// The body.
  public var body: Body

  /// The body of a response.
  public enum Body: Sendable {
    /// The bytes, all at once.
    case bytes([UInt8])
    /// A stream of server-sent events. Send each chunk as it comes, and stop iterating when the client has gone.
    case events(WebEvents)
  }

  /// A response of these parts.
  public init(status: Int, headers: WebHeaders = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension WebResponse {
  static func text(_ text: String, type: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, headers: ["Content-Type": type], body: .bytes(Array(text.utf8)))
  }

  static func json(_ json: JSON, type: String = "application/json", status: Int = 200) -> WebResponse {
    WebResponse(status: status, headers: ["Content-Type": type], body: .bytes(json.bytes))
  }

  /// Sends the client to a page with a GET, after a POST.
  static func seeOther(_ location: String) -> WebResponse {
    WebResponse(status: 303, headers: ["Location": location])
  }
}
