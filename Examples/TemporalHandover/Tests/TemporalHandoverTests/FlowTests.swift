import ActorFlow
import ActorFlowHosting
import Foundation
import Synchronization
@testable import TemporalHandover
import Testing

@Suite struct FlowTests {
  private func started(_ server: FakeServer, _ temporal: TemporalHandover) async throws -> FlowHost {
    let host = FlowHost(store: MemoryFlowStore())
    try await host.register(orders(temporal)).start(id: "o1", with: Order(number: 1))
    _ = try await host.flow("o1").settled()
    return host
  }

  @Test func `a flow that has left memory gets the result, and goes on`() async throws {
    let server = FakeServer(Reply.started("r1"), Reply.open, rest: Reply.completed(#"{"parcel":"p1"}"#))
    let temporal = try handover(to: server)
    let host = try await started(server, temporal)
    let waiting = try await host.flow("o1").view()
    #expect(waiting.status == .waiting)
    #expect(waiting.labels == ["temporal": "handover", "temporal.run.r1": "shipment-o1"])
    try await delivering(to: host, from: temporal) {
      let view = try await reached(.finished, .suspended, flow: "o1", at: host)
      let output = try #require(view.output)
      #expect(try JSONDecoder().decode(Parcel.self, from: Data(output)) == Parcel(parcel: "p1"))
      #expect(view.labels == ["temporal": "handover"])
    }
    #expect(await server.lines.dropFirst().allSatisfy { $0.contains("/history?execution.runId=r1") })
  }

  @Test func `a host that admits only some principals admits the delivery as the one it is given`() async throws {
    let server = FakeServer(Reply.started("r1"), rest: Reply.completed(#"{"parcel":"p1"}"#))
    let temporal = try handover(to: server)
    var options = FlowHost.Options()
    options.access = { verb, principal, _ in
      if case .request(.start) = verb { return }
      guard principal?.id == "temporal" else { throw Refusal.notAllowed("only Temporal may do this") }
    }
    let host = try FlowHost(store: MemoryFlowStore(), options: options)
    try await host.register(orders(temporal)).start(id: "o1", with: Order(number: 1))
    let us = Principal(id: "temporal")
    try await delivering(to: host, from: temporal, by: us) {
      for try await change in host.changes(by: us) where change.flow.status == .finished { break }
    }
    let signal = try await host.flow("o1", by: us).history().first { $0.by == "temporal" }
    #expect(signal != nil)
  }

  @Test func `a workflow that fails suspends a flow that wants its result`() async throws {
    let failed = Reply.closed(#""workflowExecutionFailedEventAttributes":{"failure":{"message":"no stock"}}"#)
    let server = FakeServer(Reply.started("r1"), failed)
    let temporal = try handover(to: server)
    let host = try await started(server, temporal)
    try await delivering(to: host, from: temporal) {
      let view = try await reached(.finished, .suspended, flow: "o1", at: host)
      #expect(view.failure?.contains("no stock") == true)
    }
  }

  @Test func `a flow that is rolled back requests the cancellation of its workflow`() async throws {
    let server = FakeServer(Reply.started("r1"), .reply(200, "{}"))
    let host = try await started(server, try handover(to: server))
    let view = try await host.flow("o1").abandon(reason: "ordered twice")
    #expect(view.status == .abandoned)
    #expect(view.undoFailures.isEmpty)
    #expect(await server.lines.last == "POST /workflows/shipment-o1/cancel")
    #expect(await server.requests.count == 2)
  }

  @Test func `a start of which the reply was lost is repeated under its key by a retry`() async throws {
    let server = FakeServer(.silence, Reply.started("r1"))
    let host = try await started(server, try handover(to: server) { $0.attempts = 1 })
    #expect(try await host.flow("o1").view().status == .suspended)
    try await host.flow("o1").retry()
    #expect(try await host.flow("o1").settled().status == .waiting)
    #expect(Set(await server.bodies).count == 1)
    #expect(await server.requests.count == 2)
  }

  @Test(arguments: [true, false])
  func `a rollback after a start whose outcome is unknown cancels what was started`(_ hasStarted: Bool) async throws {
    let server = FakeServer(.silence)
    let host = try await started(server, try handover(to: server) { $0.attempts = 1 })
    let body = try #require(
      try await JSONSerialization.jsonObject(with: Data(server.requests[0].body)) as? [String: Any])
    let key = try #require(body["requestId"] as? String)
    await server.then(
      hasStarted ? Reply.described("r1", first: "r1", key: key) : Reply.unknown, .reply(200, "{}"))
    let view = try await host.flow("o1").abandon(reason: "given up")
    #expect(view.undoFailures.isEmpty)
    let looked = "GET /workflows/shipment-o1"
    #expect(
      await server.lines.dropFirst()
        == (hasStarted ? [looked, "\(looked.replacing("GET", with: "POST"))/cancel"] : [looked]))
  }

  @Test func `a delivery reports that the server is away, and tries again`() async throws {
    let shipped = Reply.completed(#"{"parcel":"p1"}"#)
    let server = FakeServer(Reply.started("r1"), .silence, .reply(503, "{}"), rest: shipped)
    let clock = HastyClock()
    let temporal = try handover(to: server, clock: clock) { $0.attempts = 1 }
    let host = try await started(server, temporal)
    let problems = Problems()
    try await delivering(to: host, from: temporal, report: { problem in problems.add(problem) }) {
      let view = try await reached(.finished, .suspended, flow: "o1", at: host)
      #expect(view.status == .finished)
    }
    #expect(problems.codes == [.unreachable, .unreachable])
    #expect(await clock.slept == [.milliseconds(100), .milliseconds(100)])
  }

  private final class Problems: Sendable {
    private let list = Mutex<[HandoverError.Code?]>([])
    var codes: [HandoverError.Code?] { list.withLock { $0 } }
    func add(_ problem: OutcomeDelivery.Problem) {
      list.withLock { $0.append(problem.flow == "o1" ? (problem.error as? HandoverError)?.code : nil) }
    }
  }

  @Test func `a delivery ends when its task is cancelled, also in a long poll`() async throws {
    let server = FakeServer(Reply.started("r1"), rest: Reply.open)
    let temporal = try handover(to: server)
    let host = try await started(server, temporal)
    let running = Task {
      let delivery = OutcomeDelivery(to: host, from: temporal)
      try await delivery.run()
    }
    await server.polled(3)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test func `an outcome that comes twice, or in other words, counts once`() async throws {
    let server = FakeServer(Reply.started("r1"))
    let host = try await started(server, try handover(to: server))
    let run = WorkflowRun(workflow: "shipment-o1", id: "r1")
    let result = WorkflowOutcome(run: run, ending: .completed([try Payload(Parcel(parcel: "p1"))]))
    for outcome in [result, result, WorkflowOutcome(run: run, ending: .notFound)] {
      try await host.deliver(outcome, to: "o1")
    }
    #expect(try await host.flow("o1").settled().status == .finished)
    try await host.deliver(result, to: "o1")
    try await host.deliver(result, to: "never-started")
  }

  @Test func `the run that was not looked at for the longest time is next`() throws {
    var queue = WatchQueue()
    let runs = ["a", "b", "c"].map { WorkflowRun(workflow: "w", id: $0) }
    for run in runs + runs { queue.add("o1", run) }
    guard let first = queue.next() else { throw Unexpected(what: "an empty queue") }
    #expect(first.run.id == "a")
    queue.end(first, .open)
    #expect([queue.next(), queue.next(), queue.next()].map { $0?.run.id } == ["b", "c", "a"])
    #expect(queue.isEmpty)
    // One that has changed while it was looked at is looked at once more, although nothing waited for it.
    queue.add("o1", first.run)
    queue.end(first, .notAwaited)
    #expect(queue.next()?.run.id == "a")
    queue.end(first, .notAwaited)
    #expect(queue.isEmpty)
    // One whose flow knows the outcome is done with.
    queue.add("o1", first.run)
    #expect(queue.next()?.run.id == "a")
    queue.add("o1", first.run)
    queue.end(first, .delivered)
    #expect(queue.isEmpty)
    #expect(queue.active == 2)
  }
}
