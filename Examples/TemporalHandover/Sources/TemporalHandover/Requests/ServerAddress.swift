import Foundation

/// The base URL of a server, checked.
struct ServerAddress {
  /// The URL without a slash at its end.
  let text: String
  let isSecure: Bool
  /// Whether the server is on this machine.
  let isLocal: Bool

  init(_ text: String) throws(HandoverError) {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https"
    else { throw HandoverError(.badAddress, "the address is no URL of http or https with a host") }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw HandoverError(.badAddress, "the address of \(host) has a user, a query or a fragment; leave them out")
    }
    self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    isSecure = scheme == "https"
    isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
  }
}
