import HummingbirdFlows
import LoopbackClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@Suite("The limit for a request's time", .timeLimit(.minutes(2))) struct RequestTimeLimitTests {
  /// A connection of a server whose clock the test moves.
  private func connection() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)  // as Hummingbird does
    try pipeline.addHandlers([HTTP1ToHTTPServerCodec(secure: false), RequestTimeLimit(.seconds(30))])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  private func send(_ text: some StringProtocol, _ channel: EmbeddedChannel) throws {
    _ = try channel.writeInbound(ByteBuffer(string: String(text)))
  }

  /// Sends a byte a second, until the connection ends; returns the number of bytes.
  private func trickle(_ text: String, _ channel: EmbeddedChannel) throws -> Int {
    for (sent, character) in text.enumerated() {
      guard channel.isActive else { return sent }
      try send(String(character), channel)
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    return text.count
  }

  @Test("cuts a client that sends the headers, or the body, a byte a second")
  func slow() throws {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n"
    let headers = try connection()
    #expect(try trickle(head + "X: " + String(repeating: "x", count: 100), headers) == 30)
    #expect(!headers.isActive)
    let body = try connection()
    try send(head + "\r\n", body)
    #expect(try trickle(String(repeating: "x", count: 99), body) == 30)
    #expect(!body.isActive)
  }

  @Test("begins with the first byte, ends with the last one, and counts anew for the next request")
  func eachRequest() throws {
    let channel = try connection()
    let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    for _ in 0..<3 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(100))
      try send(request.prefix(10), channel)
      channel.embeddedEventLoop.advanceTime(by: .seconds(29))
      try send(request.dropFirst(10), channel)
      // The response takes long, and so may the next request.
      channel.embeddedEventLoop.advanceTime(by: .seconds(100))
      #expect(channel.isActive)
    }
    try send(request.prefix(10), channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(30))
    #expect(!channel.isActive)
  }

  @Test("on a real socket ends the request of a body that does not come, and others are served")
  func socket() async throws {
    let server = try await Server()
    try await server.serve(limit: .milliseconds(100)) { client in
      await #expect(throws: (any Error).self) {
        try await client.send("POST", "/flows/word", headers: [("Content-Length", "10")], body: [0x7B])
      }
      _ = try await server.start(client)
    }
  }
}
