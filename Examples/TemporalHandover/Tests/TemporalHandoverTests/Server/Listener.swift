import Foundation
import TemporalHandover

/// A socket on a free port of this machine, which answers one request after the other.
final class Listener: Sendable {
  private let socket: Int32
  let port: UInt16

  init() throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    socket = Foundation.socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (listening, length) = (socket, size)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, length) == 0 && listen(listening, 16) == 0
      }
    }
    guard isBound else { throw Unexpected(what: "no port is free") }
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listening, $0, &size) }
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(socket) }

  /// Reads the head of the next request, lets `answer` answer it, and returns the status.
  func answer(_ answer: (HTTPRequest) async -> HTTPResponse) async throws -> Int {
    let (connection, head) = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<(Int32, String), any Error>) in
      Thread.detachNewThread { [self] in
        let connection = accept(socket, nil, nil)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
          let count = read(connection, &buffer, buffer.count)
          guard count > 0 else { return continuation.resume(throwing: Unexpected(what: "the connection has ended")) }
          bytes += buffer[..<count]
        }
        continuation.resume(returning: (connection, String(decoding: bytes, as: UTF8.self)))
      }
    }
    let lines = head.components(separatedBy: "\r\n")
    let parts = lines[0].split(separator: " ")
    var headers: [String: String] = [:]
    for line in lines.dropFirst().prefix(while: { !$0.isEmpty }) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    let response = await answer(HTTPRequest(method: String(parts[0]), url: String(parts[1]), headers: headers))
    let reply = Array("HTTP/1.1 \(response.status) Answer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    _ = write(connection, reply, reply.count)
    close(connection)
    return response.status
  }
}
