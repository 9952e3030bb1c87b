import ActorFlow
import ActorFlowHosting
import FlowObservers
import Foundation
import InMemoryTracing
import Testing
import Tracing

/// The spans that a tracing back end receives.
@Suite("FlowTracer") struct FlowTracerTests {
  private let world = World()
  private let monday = HexTracer(process: 1)
  private let tuesday = HexTracer(process: 2)

  /// Starts a flow in a span of one process, and answers it a day later in a span of another.
  ///
  /// - Returns: The span of the request that has started the flow.
  @discardableResult
  private func twoDays() async throws -> InMemorySpan {
    let first = FlowTracer(monday, clock: world.clock)
    var http: InMemorySpan?
    try await world.host("monday", observedBy: [first]) { host, orders in
      try await monday.withSpan("POST /orders") { span in
        http = span
        try await orders.start(id: "order-17", with: "SECRET-INPUT", trace: first.context())
        _ = try await host.flow("order-17").settled()
      }
    }
    world.clock.advance(by: 86_400)
    try await world.host("tuesday", observedBy: [FlowTracer(tuesday, clock: world.clock)]) { host, _ in
      try await tuesday.withSpan("POST /answers") { _ in
        try await host.flow("order-17").answer(
          Approval.self, with: "SECRET-ANSWER", by: Principal(id: "bob"), key: "click-1")
        _ = try await host.flow("order-17").settled()
      }
    }
    return try #require(http)
  }

  private func spans(_ tracer: HexTracer, _ name: String) -> [FinishedInMemorySpan] {
    tracer.memory.finishedSpans.filter { $0.operationName == name }
  }

  @Test("the spans of both processes are one trace, below the span that has started the flow")
  func oneTrace() async throws {
    let http = try await twoDays()
    let flows = (monday.memory.finishedSpans + tuesday.memory.finishedSpans).filter {
      $0.attributes.get("flow.id") != nil
    }
    #expect(flows.allSatisfy { $0.traceID == http.traceID })
    for name in ["request start", "step reserve", "effect hold", "step approve", "commit"] {
      #expect(!spans(monday, name).isEmpty, "\(name)")
    }
    for name in ["request answer", "step approve", "step pay", "effect charge", "commit"] {
      #expect(!spans(tuesday, name).isEmpty, "\(name)")
    }
    #expect(spans(tuesday, "step pay").map(\.parentSpanID) == [http.spanID])
    #expect(monday.memory.activeSpans.isEmpty && tuesday.memory.activeSpans.isEmpty)
  }

  @Test("an effect and its commits are below the span of their step, and what the effect calls below the effect")
  func nesting() async throws {
    try await twoDays()
    let pay = try #require(spans(tuesday, "step pay").first)
    #expect(spans(tuesday, "effect charge").map(\.parentSpanID) == [pay.spanID])
    #expect(spans(tuesday, "commit").contains { $0.parentSpanID == pay.spanID })
    #expect(await world.bank.callers == spans(tuesday, "effect charge").map(\.spanID))
    #expect(pay.attributes.get("flow.step") == .string("order/pay"))
  }

  @Test("the span of a request is linked with the span of its caller, which is in another trace")
  func linkedRequests() async throws {
    try await twoDays()
    let http = try #require(spans(tuesday, "POST /answers").first)
    let answer = try #require(spans(tuesday, "request answer").first)
    #expect(answer.links.map(\.context.inMemorySpanContext?.spanID) == [http.spanID])
    #expect(answer.traceID != http.traceID)
    #expect(answer.attributes.get("flow.request.key") == .string("click-1"))
    #expect(answer.attributes.get("flow.principal") == .string("bob"))
  }

  @Test("a step that is passivated while it waits is no error; one that throws is, without its message")
  func outcomes() async throws {
    await world.bank.close()
    try await twoDays()
    let waiting = try #require(spans(monday, "step approve").first)
    #expect(waiting.status == nil)
    #expect(waiting.attributes.get("flow.cancelled") == .bool(true))
    let pay = try #require(spans(tuesday, "step pay").first)
    #expect(pay.status?.code == .error)
    #expect(pay.attributes.get("error.type") == .string("Closed"))
    let all = monday.memory.finishedSpans + tuesday.memory.finishedSpans
    #expect(all.allSatisfy { $0.errors.isEmpty })
    #expect(!all.map { "\($0)" }.joined().contains("SECRET"))
  }

  @Test("a compensation has a span, with the times of the host's clock")
  func compensation() async throws {
    try await world.host("a", observedBy: [FlowTracer(monday, clock: world.clock)]) { host, orders in
      try await orders.start(id: "x", with: "-")
      _ = try await host.flow("x").settled()
      try await host.flow("x").abandon()
      _ = try await host.flow("x").settled()
    }
    let span = try #require(spans(monday, "compensate reserve").first)
    let now = UInt64(world.clock.now.timeIntervalSince1970 * 1e9)
    #expect(span.startInstant.nanosecondsSinceEpoch == now && span.endInstant.nanosecondsSinceEpoch == now)
  }

  @Test("a flow that keeps no context has spans all the same")
  func noContext() async throws {
    try await world.wholeFlow { _ in FlowTracer(monday, clock: world.clock) }
    #expect(spans(monday, "step pay").count == 1)
    #expect(spans(monday, "effect charge").first?.traceID == spans(monday, "step pay").first?.traceID)
    #expect(FlowTracer(monday).context().isEmpty)
  }
}
