import NIOCore
package import NIOHTTP1
import NIOPosix

/// A small HTTP client for servers on this machine: a connection for each request.
package struct LoopbackClient: Sendable {
  private let host: String
  private let port: Int

  package init(host: String = "127.0.0.1", port: Int) { (self.host, self.port) = (host, port) }

  /// A response with its whole body.
  package struct Reply: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    package let text: String
  }

  /// A response whose body has not been read yet.
  package struct Answer {
    package let status: Int
    package let headers: HTTPHeaders
    /// The chunks of the body.
    package var chunks: Chunks
  }

  /// The chunks of a body.
  package struct Chunks {
    fileprivate var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator

    /// Waits for the next chunk; `nil` at the end of the body.
    package mutating func next() async throws -> String? {
      while let part = try await parts.next(isolation: #isolation) {
        switch part {
        case .head: continue
        case .body(let buffer): return String(buffer: buffer)
        case .end: return nil
        }
      }
      throw Cut()
    }
  }

  /// The error for a connection that ended in the middle of a response.
  package struct Cut: Error {}

  /// Sends a request, and reads the response to its end.
  package func send(
    _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
  ) async throws -> Reply {
    try await withAnswer(method, target, headers: headers, body: body) { answer in
      var text = ""
      while let chunk = try await answer.chunks.next() { text += chunk }
      return Reply(status: answer.status, headers: answer.headers, text: text)
    }
  }

  /// Sends a request, and hands over its response while it arrives. The connection ends with the closure.
  package func withAnswer<Result: Sendable>(
    _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8] = [],
    _ read: sending @escaping (inout Answer) async throws -> Result
  ) async throws -> Result {
    let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
            wrappingChannelSynchronously: channel)
        }
      }
    var fields = HTTPHeaders([("Host", "\(host):\(port)")] + headers)
    // A caller that names another length is a client that breaks off.
    if !fields.contains(name: "Content-Length") { fields.add(name: "Content-Length", value: "\(body.count)") }
    let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: fields)
    return try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(contentsOf: [.head(head), .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil)])
      var parts = inbound.makeAsyncIterator()
      guard case .head(let head) = try await parts.next() else { throw Cut() }
      var answer = Answer(
        status: Int(head.status.code), headers: head.headers, chunks: Chunks(parts: parts))
      return try await read(&answer)
    }
  }
}
