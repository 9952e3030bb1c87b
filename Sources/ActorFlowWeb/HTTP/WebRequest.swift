/// A request, as an HTTP server received it.
///
/// The server's adapter makes one of each request: the target unchanged, and the body read to its end, but no further than
/// ``FlowSite/maximumBodyBytes`` and one byte. The site refuses a longer body.
public struct WebRequest: Sendable {
  /// The method, in capital letters.
  public var method: String
  /// The target as the request line has it: the path and the query, percent-encoded.
  public var target: String
  /// The header fields.
  public var headers: WebHeaders
  /// The body.
  public var body: [UInt8]

  /// A request of these parts.
  public init(method: String, target: String, headers: WebHeaders = [:], body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// Returns the value of a cookie; `nil` if the request has none of this name.
  public func cookie(_ name: String) -> String? {
    for header in headers.values(of: "Cookie") {
      for pair in header.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        guard let sign = pair.firstIndex(of: "="), pair[..<sign] == name else { continue }
        return String(pair[pair.index(after: sign)...])
      }
    }
    return nil
  }
}

extension WebRequest {
  /// Whether the method may change a flow.
  var isUnsafe: Bool { !["GET", "HEAD", "OPTIONS"].contains(method) }

  /// The type of the body without its parameters, in lower case; `nil` if the request names none.
  var contentType: String? {
    headers["Content-Type"]?.split(separator: ";", omittingEmptySubsequences: false).first.map { type in
      type.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
  }
}
