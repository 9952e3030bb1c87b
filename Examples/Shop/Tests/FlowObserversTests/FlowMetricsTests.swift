import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import FlowObservers
import Foundation
import MetricsTestKit
import Testing

/// The metrics that a metrics back end receives.
@Suite("FlowMetrics") struct FlowMetricsTests {
  private let world = World()
  private let backend = TestMetrics()

  @Test("flows, answers and the time until an answer are counted by definition and step, over two hosts")
  func counts() async throws {
    let metrics = FlowMetrics(backend)
    try await world.wholeFlow { _ in metrics }
    #expect(backend.counterTotal(label: "flow_started") == 1)
    #expect(
      try backend.expectCounter("flow_ended", [("definition", "order"), ("outcome", "finished")]).totalValue == 1)
    let approve = [("definition", "order"), ("step", "order/approve")]
    #expect(try backend.expectCounter("flow_answers", approve).totalValue == 1)
    #expect(try backend.expectTimer("flow_waiting", approve).values == [86_400 * 1_000_000_000])
    #expect(try !backend.expectRecorder("flow_commit_bytes", [("definition", "order")]).values.isEmpty)
    let answers = [("definition", "order"), ("request", "answer"), ("outcome", "returned")]
    #expect(try backend.expectTimer("flow_request_duration", answers).values.count == 1)
    let pay = [("definition", "order"), ("step", "order/pay"), ("outcome", "returned")]
    #expect(try backend.expectTimer("flow_step_duration", pay).values.count == 1)
    #expect(try backend.expectTimer("flow_effect_duration", pay).values.count == 1)
  }

  @Test("the flows in memory are counted up and down")
  func live() async throws {
    let metrics = FlowMetrics(backend)
    try await world.wholeFlow { _ in metrics }
    let values = try backend.expectGauge("flow_live", [("definition", "order")]).values
    #expect(values.contains(1))
    #expect(values.last == 0)
  }

  @Test("failures and compensations are counted by step, and by the code or outcome")
  func failures() async throws {
    let metrics = FlowMetrics(backend)
    await world.bank.close()
    try await world.host("a", observedBy: [metrics]) { host, orders in
      try await orders.start(id: "x", with: "-")
      _ = try await host.flow("x").settled()
      try await host.flow("x").answer(Approval.self, with: "yes")
      _ = try await host.flow("x").settled()
      await #expect(throws: FlowError.self) { try await host.flow("x").answer(Approval.self, with: "again") }
      try await host.flow("x").abandon()
      _ = try await host.flow("x").settled()
    }
    let pay = [("definition", "order"), ("step", "order/pay")]
    #expect(try backend.expectCounter("flow_suspended", pay).totalValue == 1)
    #expect(try backend.expectTimer("flow_effect_duration", pay + [("outcome", "threw")]).values.count == 1)
    let reserve = [("definition", "order"), ("step", "order/reserve"), ("outcome", "returned")]
    #expect(try backend.expectTimer("flow_compensation_duration", reserve).values.count == 1)
    #expect(
      try backend.expectCounter("flow_ended", [("definition", "order"), ("outcome", "abandoned")]).totalValue == 1)
    let refused = backend.timers(label: "flow_request_duration").filter { timer in
      timer.dimensions.contains { $0 == ("outcome", "threw") }
        && timer.dimensions.contains { $0 == ("request", "answer") }
    }
    #expect(refused.count == 1)
  }

  @Test("the number of series does not grow with flows, keys, principals or elements")
  func cardinality() async throws {
    let metrics = FlowMetrics(backend)
    let votes = Flow<Int, [String]>("votes") {
      ForEach({ (count: Int) in Array(0..<count) }) {
        Step("vote") { (number: Int, context: StepContext) in "\(number)" }
      }
    }
    func series() -> Int {
      backend.counters.count + backend.timers.count + backend.recorders.count + backend.meters.count
    }
    var before = 0
    try await world.host("a", observedBy: [metrics]) { host, _ in
      let votes = try await host.register(votes)
      for number in 0..<4 {
        try await votes.start(id: "v\(number)", with: 3 + number, by: Principal(id: "p\(number)"))
        _ = try await host.flow("v\(number)").settled()
        if number == 0 { before = series() }
      }
    }
    #expect(series() == before)
    let steps = backend.timers(label: "flow_step_duration").flatMap(\.dimensions).filter { $0.0 == "step" }.map(\.1)
    #expect(!steps.isEmpty)
    #expect(steps.allSatisfy { $0.contains("*") && !$0.contains { $0.isNumber } })
  }

  @Test("failures of the store and of a host's own work, and flows that fit no version, are counted")
  func hostFailures() async throws {
    /// A codec that reads and cannot write.
    struct Sealed: BodyCodec {
      func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw Bank.Closed() }
      func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { body }
    }
    let store = FaultyStore(world.store)
    func host(_ change: (inout FlowHost.Options) -> Void = { _ in }) throws -> FlowHost {
      var options = FlowHost.Options()
      options.observers = [FlowMetrics(backend)]
      change(&options)
      return try FlowHost(store: store, clock: world.clock, options: options)
    }
    let first = try host()
    try await first.register(orderFlow(world.bank)).start(id: "x", with: "-")
    _ = try await first.flow("x").settled()
    store.plan { $0.operation == .commit ? .fail(.unavailable) : nil }
    await #expect(throws: FlowStoreError.self) { try await first.flow("x").answer(Approval.self, with: "yes") }
    store.plan { _ in nil }
    try await first.shutDown()
    #expect(try backend.expectCounter("flow_store_failures", [("code", "unavailable")]).totalValue >= 1)

    let other = Flow<String, String>("order") {
      Step("other") { (text: String, context: StepContext) in try await context.ask(Approval(text: text)) }
    }
    let sealed = try host { $0.codec = Sealed() }
    try await sealed.register(other, version: 2, from: 1)
    await #expect(throws: FlowError.self) { try await sealed.flow("x").answer(Approval.self, with: "yes") }
    try await sealed.shutDown()
    #expect(try backend.expectCounter("flow_work_failures", [("work", "marking")]).totalValue == 1)

    let third = try host()
    try await third.register(other, version: 2, from: 1)
    await #expect(throws: FlowError.self) { try await third.flow("x").answer(Approval.self, with: "yes") }
    FlowMetrics(backend).record(try await third.backlog(), at: world.clock.now)
    try await third.shutDown()
    #expect(try backend.expectCounter("flow_unmigrated", [("definition", "order")]).totalValue == 1)
    #expect(try backend.expectGauge("flow_backlog_unmigrated").values == [1])
    #expect(try backend.expectGauge("flow_backlog_suspended").values == [0])
  }

  @Test("a lease that another host has taken is counted")
  func leases() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let slow = Flow<String, String>("slow") {
      Step("work") { (text: String) -> String in
        begin.yield()
        for await _ in gate { break }
        return text
      }
    }
    func host(_ name: String, _ observers: [any HostObserver]) throws -> FlowHost {
      var options = FlowHost.Options()
      options.observers = observers
      return try FlowHost(store: world.store, clock: world.clock, owner: name, options: options)
    }
    let first = try host("first", [FlowMetrics(backend)])
    try await first.register(slow).start(id: "x", with: "-")
    for await _ in begun { break }
    // The lease ends while the step is at work, and another host takes the flow.
    world.clock.advance(by: 3_600)
    let second = try host("second", [])
    try await second.register(slow)
    _ = try await second.flow("x").abandon()
    open.finish()
    _ = try? await first.flow("x").note("late")
    try await first.shutDown()
    try await second.shutDown()
    #expect(try backend.expectCounter("flow_leases_lost", [("definition", "slow")]).totalValue == 1)
  }

  @Test("a late timer and what is due in the store are measured")
  func lag() async throws {
    let metrics = FlowMetrics(backend)
    let timed = Flow<String, String>("timed") {
      Step("ask") { (text: String, context: StepContext) in
        try await context.ask(Approval(text: text), within: .seconds(60)) ?? "late"
      }
    }
    try await world.host("a", observedBy: [metrics]) { host, _ in
      try await host.register(timed).start(id: "t", with: "-")
      _ = try await host.flow("t").settled()
    }
    world.clock.advance(by: 62)
    try await world.host("b", observedBy: [metrics]) { host, _ in
      try await host.register(timed)
      metrics.record(try await host.backlog(), at: world.clock.now)
      #expect(try backend.expectGauge("flow_backlog_due").values == [1])
      #expect(try backend.expectGauge("flow_backlog_lag_seconds").values == [2])
      try await host.catchUp()
      metrics.record(try await host.backlog(), at: world.clock.now)
    }
    #expect(try backend.expectGauge("flow_backlog_due").lastValue == 0)
    #expect(try backend.expectTimer("flow_timer_lag", [("definition", "timed")]).values == [2_000_000_000])
  }
}
