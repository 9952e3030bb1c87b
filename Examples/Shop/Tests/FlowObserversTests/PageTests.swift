import ActorFlow
import ActorFlowHosting
import FlowObservers
import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import Testing
import Tracing

/// The page `Observability.md` shows what the back ends have received in a run.
@Suite("The page about observability") struct PageTests {
  private let world = World()
  private let handler = InMemoryLogHandler()
  private let metrics = TestMetrics()
  private let tracers = ["monday": HexTracer(process: 1), "tuesday": HexTracer(process: 2)]

  /// Runs the flow of the page: started on one host, answered on another a day later.
  private func run() async throws {
    let counting = FlowMetrics(metrics)
    for (day, tracer) in tracers.sorted(by: { $0.key < $1.key }) {
      let tracing = FlowTracer(tracer, clock: world.clock)
      var logger = Logger(label: "flows") { _ in handler }
      logger.logLevel = .debug
      let logging = FlowLogger(logger)
      try await world.host(day, observedBy: [logging, counting, tracing]) { host, orders in
        try await tracer.withSpan(day == "monday" ? "POST /orders" : "POST /answers") { _ in
          if day == "monday" {
            try await orders.start(
              id: "order-17", with: "a teapot", trace: tracing.context(), by: Principal(id: "ann"))
          } else {
            try await host.flow("order-17").answer(
              Approval.self, with: "yes", by: Principal(id: "bob"), key: "click-1")
          }
          _ = try await host.flow("order-17").settled()
        }
      }
      world.clock.advance(by: 86_400)
    }
  }

  /// The lines about the course of the flow, and then those about requests: the flow goes on beside its callers.
  private var lines: [String] {
    let shown = handler.entries.filter { $0.level >= .info } + handler.entries.filter { $0.message == "request ended" }
    return shown.map { entry in
      let facts = entry.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return "\(entry.level) \(entry.message): \(facts.joined(separator: " "))"
    }
  }

  private var series: [String] {
    func name(_ label: String, _ dimensions: [(String, String)]) -> String {
      "\(label){\(dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ","))}"
    }
    return
      (metrics.counters.map { "\(name($0.label, $0.dimensions)) \($0.totalValue)" }
      + metrics.timers.filter { $0.label != "flow_commit_duration" }.map {
        "\(name($0.label, $0.dimensions)) count \($0.values.count), longest \(seconds($0.values.max() ?? 0)) s"
      }
      + metrics.recorders.filter { $0.label == "flow_live" }.map {
        "\(name($0.label, $0.dimensions)) \($0.lastValue ?? 0)"
      }).sorted()
  }

  private func seconds(_ nanoseconds: Int64) -> Int64 { nanoseconds / 1_000_000_000 }

  /// The spans of both processes as a tree. The number of commits depends on how a host puts changes together.
  private var spans: [String] {
    let all = tracers.sorted { $0.key < $1.key }.flatMap { day, tracer in
      tracer.memory.finishedSpans.map { (day: day, span: $0) }
    }
    func lines(below parent: String?, _ indent: String) -> [String] {
      let children = all.filter { $0.span.parentSpanID == parent }
      var seen: Set<String> = []
      return children.sorted { ($0.day, $0.span.operationName) < ($1.day, $1.span.operationName) }.flatMap { child in
        let line = "\(indent)\(child.span.operationName) (\(child.day), trace …\(child.span.traceID.suffix(4)))"
        let below = lines(below: child.span.spanID, indent + "  ")
        return below.isEmpty && !seen.insert(line).inserted ? [] : [line] + below
      }
    }
    return lines(below: nil, "")
  }

  @Test("the code of the page gives a host its observers, and a flow its context")
  func code() async throws {
    let (store, logger) = (world.store, Logger(label: "flows") { _ in handler })
    let tracer = FlowTracer(InstrumentationSystem.tracer)
    var options = FlowHost.Options()
    options.observers = [FlowLogger(logger), FlowMetrics(MetricsSystem.factory), tracer]
    let host = try FlowHost(store: store, options: options)
    let orders = try await host.register(orderFlow(world.bank))
    let (id, order) = (FlowID("order-18"), "a cup")
    try await orders.start(id: id, with: order, trace: tracer.context())
    _ = try await host.flow(id).settled()
    try await host.shutDown()
    #expect(handler.entries.map(\.message.description) == ["flow started", "question asked"])
  }

  @Test("the output on the page is that of a run")
  func output() async throws {
    try await run()
    let page = try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../Observability.md").standardized, encoding: .utf8)
    for output in [lines, series, spans] {
      let text = output.joined(separator: "\n")
      #expect(!text.isEmpty && page.contains(text), "\(text)")
    }
  }
}
