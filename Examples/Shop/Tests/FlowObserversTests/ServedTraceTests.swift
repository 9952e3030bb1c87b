import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import FlowObservers
import Foundation
import Hummingbird
import HummingbirdFlows
import InMemoryTracing
import Logging
import LoopbackClient
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Testing
import Tracing

/// The spans of a flow that is started and answered over HTTP, by processes of two days.
@Suite("The trace of a served flow", .timeLimit(.minutes(2))) struct ServedTraceTests {
  /// The form that starts a flow.
  private struct OrderForm: Codable, Sendable { var goods: String }

  /// A flow as its site shows it.
  private struct Shown: Decodable {
    struct Question: Decodable {
      let question: String
      let number: Int
    }
    let id: String
    let questions: [Question]
  }

  private static let client = (trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331")
  private let world = World()
  private let monday = HexTracer(process: 1)
  private let tuesday = HexTracer(process: 2)

  /// Serves the flow while the closure runs, as a process of its own would, and returns what it returns.
  private func process<Result: Sendable>(
    _ name: String, _ tracer: HexTracer, _ body: (LoopbackClient) async throws -> Result
  ) async throws -> Result {
    let flows = FlowTracer(tracer, clock: world.clock)
    return try await world.host(name, observedBy: [flows]) { host, orders in
      var site = FlowSite(host: host, title: "Orders", authenticate: { _ in nil }, allow: { _, _, _ in })
      try site.serve(orders, startedBy: OrderForm.self) { form, _ in form.goods }
      site.trace = { _ in flows.context() }
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      let (ports, ready) = AsyncStream.makeStream(of: Int.self)
      let application = Application(
        responder: RequestTracer(tracer, around: HummingbirdAdapter(site)),
        configuration: ApplicationConfiguration(address: .hostname(port: 0)),
        onServerRunning: { channel in if let port = channel.localAddress?.port { ready.yield(port) } }, logger: logger)
      let group = ServiceGroup(services: [application], logger: logger)
      async let running: Void = group.run()
      guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
      let result = try await body(LoopbackClient(port: port))
      await group.triggerGracefulShutdown()
      try await running
      return result
    }
  }

  private func send(_ client: LoopbackClient, _ path: String, _ body: String, trace: String?) async throws -> Shown {
    let headers = [("Accept", "application/json"), ("Content-Type", "application/json")]
    let reply = try await client.send(
      "POST", path, headers: headers + (trace.map { [("traceparent", $0)] } ?? []), body: Array(body.utf8))
    #expect((200..<300).contains(reply.status), "\(reply.text)")
    return try JSONDecoder().decode(Shown.self, from: Data(reply.text.utf8))
  }

  @Test("all spans are in the trace that the client has begun, also a day later in another process")
  func oneTrace() async throws {
    let (trace, span) = Self.client
    let order = try await process("monday", monday) { client in
      try await send(client, "/flows/order", #"{"goods":"tea"}"#, trace: "00-\(trace)-\(span)-01")
    }
    world.clock.advance(by: 86_400)
    let question = try #require(order.questions.first)
    _ = try await process("tuesday", tuesday) { client in
      try await send(
        client, "/flows/\(order.id)/questions/\(question.number)",
        #"{"question":"\#(question.question)","answer":"yes"}"#, trace: nil)
    }

    let http = try #require(monday.memory.finishedSpans.first { $0.operationName == "HTTP POST" })
    #expect(http.traceID == trace && http.parentSpanID == span)
    #expect(http.attributes.get("http.response.status_code") == .int64(201))
    let flows = (monday.memory.finishedSpans + tuesday.memory.finishedSpans).filter {
      $0.attributes.get("flow.id") != nil
    }
    #expect(flows.allSatisfy { $0.traceID == trace })
    for (tracer, name) in [(monday, "request start"), (tuesday, "request answer"), (tuesday, "step pay")] {
      #expect(tracer.memory.finishedSpans.contains { $0.operationName == name }, "\(name)")
    }
    let pay = try #require(tuesday.memory.finishedSpans.first { $0.operationName == "step pay" })
    #expect(pay.parentSpanID == http.spanID)
    // The answer is a request of its own, with a link from the flow.
    let later = try #require(tuesday.memory.finishedSpans.first { $0.operationName == "HTTP POST" })
    #expect(later.traceID != trace && later.attributes.get("http.response.status_code") == .int64(200))
    let answer = try #require(tuesday.memory.finishedSpans.first { $0.operationName == "request answer" })
    #expect(answer.links.map(\.context.inMemorySpanContext?.spanID) == [later.spanID])
  }

  @Test("a request that is refused has its status, and no path, which may have a secret")
  func refused() async throws {
    try await process("monday", monday) { client in
      let reply = try await client.send("PURGE", "/flows/secret-id", headers: [("Sec-Fetch-Site", "same-origin")])
      #expect(reply.status == 405)
    }
    let span = try #require(monday.memory.finishedSpans.first)
    #expect(span.operationName == "HTTP other" && span.attributes.get("http.response.status_code") == .int64(405))
    #expect(!"\(span)".contains("secret-id") && span.status == nil)
  }
}
