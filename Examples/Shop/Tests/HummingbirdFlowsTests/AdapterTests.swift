import ActorFlow
import ActorFlowHosting
import HummingbirdFlows
import LoopbackClient
import NIOHTTP1
import ServiceLifecycle
import Testing

@Suite("The adapter on a real socket", .timeLimit(.minutes(2))) struct AdapterTests {
  @Test("a request and its response arrive whole: target, headers, body, status")
  func whole() async throws {
    let server = try await Server()
    try await server.serve { client in
      let path = try await server.start(client)
      #expect(path.hasPrefix("/flows/word-"))
      let page = try await client.send("GET", path, headers: [("Accept", "text/html"), ("Accept-Language", "de")])
      #expect(page.status == 200 && page.text.contains("Which word?") && page.text.contains("lang=\"de\""))
      #expect(page.headers.first(name: "Content-Security-Policy")?.contains("default-src 'none'") == true)
      #expect(page.headers.first(name: "Content-Length") == "\(page.text.utf8.count)")
      let head = try await client.send("HEAD", path)
      #expect(head.status == 200 && head.text.isEmpty)
      let refused = try await client.send("POST", "\(path)/abandon", headers: [("Origin", "https://elsewhere.example")])
      #expect(refused.status == 403)
    }
  }

  @Test("a body over the limit gets 413, also one that is many times over it", arguments: [1_001, 15_000])
  func tooLarge(_ bytes: Int) async throws {
    let server = try await Server()
    try await server.serve { client in
      let body = [UInt8](repeating: 0x20, count: bytes)
      let reply = try await client.send(
        "POST", "/flows/word", headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
        body: body)
      #expect(reply.status == 413 && reply.text.contains("tooLarge"))
    }
  }

  @Test("a client that sends without end is cut, and others are served")
  func endless() async throws {
    let server = try await Server()
    try await server.serve { client in
      let body = [UInt8](repeating: 0x20, count: 30_000_000)
      do {
        let reply = try await client.send("POST", "/flows/word", body: body)
        #expect(reply.status == 413)
      } catch {
        // The connection ended before the client had sent all, so it may not have read the refusal.
      }
      _ = try await server.start(client)
    }
  }

  @Test("a stream of events brings each change, and ends when the flow has ended")
  func events() async throws {
    let server = try await Server()
    try await server.serve { client in
      let path = try await server.start(client)
      let text = try await client.withAnswer("GET", "\(path)/events") { answer in
        #expect(answer.status == 200 && answer.headers.first(name: "Content-Type") == "text/event-stream")
        #expect(answer.headers.first(name: "Content-Length") == nil)
        var text = ""
        while !text.contains("\"kind\":\"asked\"") { text += try await answer.chunks.next() ?? "(the end)" }
        let flow = server.host.flow(FlowID(String(path.dropFirst("/flows/".count))))
        try await flow.answer(WordForm.self, with: Word(text: "tea"))
        while let chunk = try await answer.chunks.next() { text += chunk }
        return text
      }
      #expect(text.contains("\"kind\":\"answered\"") && text.hasSuffix("event: end\ndata: {}\n\n"))
    }
  }

  @Test("a client that goes away ends its stream")
  func gone() async throws {
    let server = try await Server()
    try await server.serve { client in
      let path = try await server.start(client)
      try await client.withAnswer("GET", "\(path)/events") { answer in
        var text = ""
        while !text.contains("\"kind\":\"asked\"") { text += try await answer.chunks.next() ?? "(the end)" }
        // The stream waits for the next change, or for the time of its heartbeat.
        for await count in server.clock.counts where count > 0 { break }
      }
      for await count in server.clock.counts where count == 0 { break }
    }
  }

  @Test("a shutdown of the server ends streams, and does not wait for their clients")
  func shutdown() async throws {
    let server = try await Server()
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    let (clients, arrive) = AsyncStream.makeStream(of: LoopbackClient.self)
    async let ended: Bool = {
      for await client in clients {
        let path = try await server.start(client)
        return try await client.withAnswer("GET", "\(path)/events") { answer in
          open.yield()
          do { while try await answer.chunks.next() != nil {} } catch is LoopbackClient.Cut {}
          return true
        }
      }
      return false
    }()
    try await server.serve { client in
      arrive.yield(client)
      for await _ in opened { break }
    }
    #expect(try await ended)
  }

  @Test("the host's service releases the leases at a shutdown, and then closes the store")
  func hostService() async throws {
    let store = MemoryFlowStore()
    let (closings, close) = AsyncStream.makeStream(of: Void.self)
    let server = try await Server(store: store)
    let group = ServiceGroup(
      services: [FlowHostService(server.host, thenClose: { close.finish() })], logger: Server.logger)
    async let running: Void = group.run()
    try await server.words.start(id: "held")
    _ = try await server.host.flow("held").settled()
    await group.triggerGracefulShutdown()
    try await running
    for await _ in closings {}
    await #expect(throws: FlowError.self) { _ = try await server.words.start(id: "late") }
    // Another host takes the flow at once: no lease of the first one stands in the way.
    let second = try await Server(store: store)
    try await second.host.flow("held").answer(WordForm.self, with: Word(text: "tea"))
    guard case .finished("tea") = try await second.outcome(of: "held") else {
      Issue.record("the flow has not finished")
      return
    }
  }
}
