import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The way to the operators' verbs: to those of a running service, or to those of a store that this process has opened.
protocol AdminTransport: Sendable {
  /// What requests go to, for errors: an address, or a store.
  var place: String { get }

  /// Sends a request.
  ///
  /// - Parameter path: The path and the query, from `/admin` on.
  func send(
    _ method: HTTPMethod, _ path: String, headers: HTTPHeaders, body: String?
  ) async throws -> (status: Int, headers: HTTPHeaders, body: ByteBuffer)
}

/// The way to a running service.
struct ServiceTransport: AdminTransport {
  /// The largest reply that is read, in bytes.
  private static let mostBytes = 256 << 20

  let address: ServiceAddress
  let http: HTTPClient
  let credential: Credential?
  /// The time to wait for a reply.
  let timeout: TimeAmount

  var place: String { address.description }

  func send(
    _ method: HTTPMethod, _ path: String, headers: HTTPHeaders, body: String?
  ) async throws -> (status: Int, headers: HTTPHeaders, body: ByteBuffer) {
    var request = HTTPClientRequest(url: "\(address)\(path)")
    request.method = method
    request.headers = headers
    request.headers.add(name: "User-Agent", value: "actorflow")
    credential?.add(to: &request.headers)
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    let response = try await http.execute(request, timeout: timeout)
    let reply = try await response.body.collect(upTo: Self.mostBytes)
    return (Int(response.status.code), response.headers, reply)
  }
}
