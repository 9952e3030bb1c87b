import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// The operators' verbs, below `/admin`.
struct AdminClient: Sendable {
  let transport: any AdminTransport
  /// Whether requests have a token.
  var hasToken = false
  /// The seconds to wait for a reply, for errors.
  var timeout: Int64 = 60

  var place: String { transport.place }

  /// Returns the JSON at a path below `/admin`.
  ///
  /// - Throws: A ``ToolFailure``, or `CancellationError` if the calling task is cancelled.
  func get(_ path: String, _ query: [(String, String?)] = []) async throws -> JSONValue {
    try json(try await bytes(.GET, path + Self.text(of: query)), from: path)
  }

  /// Returns the lines at a path below `/admin`.
  ///
  /// - Throws: As ``get(_:_:)``.
  func lines(_ path: String, _ query: [(String, String?)]) async throws -> [String] {
    let bytes = try await bytes(.GET, path + Self.text(of: query))
    return String(buffer: bytes).split(separator: "\n").map(String.init)
  }

  /// Sends a change.
  ///
  /// - Parameter key: The idempotency key. The same change under the key is made once.
  /// - Throws: As ``get(_:_:)``.
  func post(_ path: String, _ body: RequestBody, key: String?) async throws -> JSONValue {
    try json(try await bytes(.POST, path, body: body.json, key: key), from: path)
  }

  /// Returns the path of a flow.
  static func path(of flow: String, _ operation: String? = nil) -> String {
    "/flows/\(flow.percentEncoded)" + (operation.map { "/\($0)" } ?? "")
  }

  private static func text(of query: [(String, String?)]) -> String {
    let pairs = query.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  private func json(_ bytes: ByteBuffer, from path: String) throws -> JSONValue {
    guard let value = JSONValue(bytes.readableBytesView), case .object = value else { throw foreign() }
    return value
  }

  private func bytes(
    _ method: HTTPMethod, _ path: String, body: String? = nil, key: String? = nil
  ) async throws -> ByteBuffer {
    var headers: HTTPHeaders = ["Accept": "application/json"]
    if let key { headers.add(name: "Idempotency-Key", value: key) }
    if body != nil { headers.add(name: "Content-Type", value: "application/json") }
    let (status, replied, reply): (Int, HTTPHeaders, ByteBuffer)
    do {
      (status, replied, reply) = try await transport.send(method, "/admin" + path, headers: headers, body: body)
    } catch {
      throw failure(of: error, isChange: method == .POST, key: key)
    }
    guard (200..<300).contains(status) else {
      throw refusal(status, reply, retryAfter: replied.first(name: "Retry-After"))
    }
    return reply
  }
}

extension String {
  /// The text as a part of a path or a query.
  var percentEncoded: String {
    // Letters of ASCII only: other letters are none in an address.
    let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return addingPercentEncoding(withAllowedCharacters: plain) ?? self
  }
}
