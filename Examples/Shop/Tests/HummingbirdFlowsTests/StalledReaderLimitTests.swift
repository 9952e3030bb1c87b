import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import HummingbirdFlows
import LoopbackClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@Suite("The limit for a client that does not read", .timeLimit(.minutes(2))) struct StalledReaderLimitTests {
  /// A connection whose clock the test moves. The system takes what is written when the test flushes it.
  private func connection() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(StalledReaderLimit(.seconds(60)))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  private func write(_ text: String, _ channel: EmbeddedChannel) {
    channel.write(ByteBuffer(string: text), promise: nil)
  }

  @Test("cuts a connection that has taken no byte for the limit")
  func stalled() throws {
    let channel = try connection()
    write("a response", channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(59))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test("serves a client that takes a byte in time, and cuts it when it stops")
  func slow() throws {
    let channel = try connection()
    write("a", channel)
    for _ in 0..<10 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(50))
      channel.flush()
      // More waits already.
      write("b", channel)
    }
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(120))
    #expect(!channel.isActive)
  }

  @Test("lets an idle connection live, also after it was written to")
  func idle() throws {
    let channel = try connection()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    write("an event", channel)
    channel.flush()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    write("another event", channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(!channel.isActive)
  }

  @Test("on a real socket ends the response that is not read; a stream of events that was idle meanwhile goes on")
  func socket() async throws {
    let server = try await Server()
    let (endings, end) = AsyncStream.makeStream(of: String.self)
    // More than the buffers of both sockets take.
    let large = WebResponse(status: 200, body: .bytes([UInt8](repeating: 0x78, count: 64 << 20)))
    try await server.serve(
      stalling: .milliseconds(100), ending: end,
      { request in request.target == "/large" ? large : await server.site.respond(to: request) }
    ) { client in
      let path = try await server.start(client)
      try await client.withAnswer("GET", "\(path)/events") { answer in
        var text = ""
        while !text.contains("\"kind\":\"asked\"") { text += try await answer.chunks.next() ?? "(the end)" }
        try await client.withAnswer("GET", "/large") { answer in
          for await target in endings where target == "/large" { break }
          await #expect(throws: (any Error).self) { while try await answer.chunks.next() != nil {} }
        }
        try await server.host.flow(FlowID(String(path.dropFirst("/flows/".count)))).answer(
          WordForm.self, with: Word(text: "tea"))
        while let chunk = try await answer.chunks.next() { text += chunk }
        #expect(text.contains("\"kind\":\"answered\""))
      }
    }
  }
}
