import Foundation

/// The address of a service: its scheme, host and port, and the path of its site.
struct ServiceAddress: Sendable, Equatable, CustomStringConvertible {
  /// The address without a slash at its end.
  let description: String
  let host: String
  let isEncrypted: Bool

  /// - Parameter name: The option or the variable that the text comes from, for the error.
  init(_ text: String, from name: String) throws(ToolFailure) {
    // The text of a wrong address is not shown: it may have a password.
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
    else { throw .usage("\(name) is no address of a service: write it as in http://127.0.0.1:8080") }
    guard parts.user == nil, parts.password == nil else {
      throw .usage("\(name) has a name or a password: give the token in a file or in ACTORFLOW_TOKEN")
    }
    guard parts.query == nil, parts.fragment == nil else {
      throw .usage("\(name) ends with a query or a fragment: name the service and the path of its site only")
    }
    var address = text
    while address.hasSuffix("/") { address.removeLast() }
    if address.hasSuffix("/admin") { address.removeLast("/admin".count) }
    (description, self.host, isEncrypted) = (address, host, scheme == "https")
  }

  /// Whether the service is on this machine.
  var isLocal: Bool {
    ["localhost", "::1", "[::1]"].contains(host)
      || (host.hasPrefix("127.") && host.allSatisfy { "0123456789.".contains($0) })
  }
}
