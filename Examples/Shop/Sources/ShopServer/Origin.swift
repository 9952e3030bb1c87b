import ArgumentParser
import Foundation

/// The origin of pages, as browsers send it: a scheme, a host and, if it is not the scheme's own, a port.
struct Origin: ExpressibleByArgument, Sendable, Equatable {
  let text: String

  /// Reads an origin; `nil` for a text that no browser would send, such as one with a path.
  init?(argument: String) {
    let lowercase = argument.lowercased()
    guard let parts = URLComponents(string: lowercase), let scheme = parts.scheme, let host = parts.host, !host.isEmpty,
      ["http", "https"].contains(scheme)
    else { return nil }
    let isUsual = parts.port == (scheme == "https" ? 443 : 80)
    let port = parts.port.map { isUsual ? "" : ":\($0)" } ?? ""
    guard lowercase == "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")" else { return nil }
    text = "\(scheme)://\(host)\(port)"
  }
}
