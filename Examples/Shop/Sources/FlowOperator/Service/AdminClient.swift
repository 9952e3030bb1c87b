import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// The operators' verbs of a running service, below its `/admin`.
struct AdminClient: Sendable {
  /// The largest reply that is read, in bytes.
  private static let mostBytes = 256 << 20

  let address: ServiceAddress
  let http: HTTPClient
  let credential: Credential?
  /// The time to wait for a reply.
  let timeout: TimeAmount

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
    var request = HTTPClientRequest(url: "\(address)/admin\(path)")
    request.method = method
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "User-Agent", value: "actorflow")
    credential?.add(to: &request.headers)
    if let key { request.headers.add(name: "Idempotency-Key", value: key) }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(string: body))
    }
    let (response, reply): (HTTPClientResponse, ByteBuffer)
    do {
      response = try await http.execute(request, timeout: timeout)
      reply = try await response.body.collect(upTo: Self.mostBytes)
    } catch {
      throw failure(of: error, isChange: method == .POST, key: key)
    }
    guard (200..<300).contains(response.status.code) else {
      throw refusal(Int(response.status.code), reply, retryAfter: response.headers.first(name: "Retry-After"))
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
