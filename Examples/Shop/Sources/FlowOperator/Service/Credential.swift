import NIOHTTP1

/// The proof of who the operator is. Its description has no token, so that no error and no log shows it.
struct Credential: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let token: String
  private let cookie: String?

  /// - Parameter cookie: The name of the cookie that has the token; `nil` for a bearer token.
  init(token: String, cookie: String?) { (self.token, self.cookie) = (token, cookie) }

  func add(to headers: inout HTTPHeaders) {
    guard let cookie else { return headers.add(name: "Authorization", value: "Bearer \(token)") }
    headers.add(name: "Cookie", value: "\(cookie)=\(token)")
    // A service asks of a request with cookies that it comes from no other site's page.
    headers.add(name: "Sec-Fetch-Site", value: "same-origin")
  }

  /// Whether a text can stand in a header as a token.
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ";") }
  }

  /// Whether a text can be the name of a cookie.
  static func isName(_ text: String) -> Bool {
    isToken(text) && !text.contains { "()<>@,;:\\\"/[]?={}".contains($0) }
  }

  var description: String { cookie.map { "the cookie \($0)" } ?? "a bearer token" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
