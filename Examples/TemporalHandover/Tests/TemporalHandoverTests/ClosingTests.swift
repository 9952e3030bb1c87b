import Foundation
@testable import TemporalHandover
import Testing

@Suite struct ClosingTests {
  let run = WorkflowRun(workflow: "w", id: "r1")

  private func outcome(_ answers: FakeServer.Answer...) async throws -> WorkflowOutcome.Ending {
    let server = FakeServer(rest: answers[answers.count - 1])
    return try await handover(to: server).outcome(of: run).ending
  }

  @Test func `a poll waits for the event that ends the run, again and again`() async throws {
    let server = FakeServer(Reply.open, .silence, Reply.open, Reply.completed(#"{"parcel":"p1"}"#))
    let outcome = try await handover(to: server).outcome(of: run)
    #expect(try outcome.result(as: [String: String].self) == ["parcel": "p1"])
    let line = """
      GET /workflows/w/history?execution.runId=r1&waitNewEvent=true&historyEventFilterType=\
      HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT
      """
    #expect(await server.lines == Array(repeating: line, count: 4))
  }

  @Test func `a failure has its type, message, details and causes`() async throws {
    let ending = try await outcome(
      Reply.closed(
        """
        "workflowExecutionFailedEventAttributes":{"failure":{"message":"Activity task failed","stackTrace":"secret",\
        "activityFailureInfo":{"activityId":"1"},"cause":{"message":"no stock","applicationFailureInfo":\
        {"type":"OutOfStock","nonRetryable":true,"details":{"payloads":[\(Reply.payload(#"{"item":"pot"}"#))]}}}}}
        """))
    guard case .failed(let failure) = ending else { throw Unexpected(what: "\(ending)") }
    #expect(failure.type == "activity")
    let cause = try #require(failure.causes.first)
    #expect((cause.type, cause.message, cause.isFinal) == ("OutOfStock", "no stock", true))
    #expect(try cause.details.first?.decoded(as: [String: String].self) == ["item": "pot"])
    #expect("\(failure)" == "activity: Activity task failed; caused by OutOfStock: no stock")
  }

  @Test(arguments: [
    ("timeoutFailureInfo", "timeout"), ("canceledFailureInfo", "canceled"), ("terminatedFailureInfo", "terminated"),
    ("serverFailureInfo", "server"), ("childWorkflowExecutionFailureInfo", "childWorkflow"),
    ("nexusOperationExecutionFailureInfo", "nexusOperation"), ("applicationFailureInfo", "application"),
    ("newFailureInfo", "unknown"),
  ])
  func `a failure without a type of its own has its kind`(_ field: String, _ type: String) async throws {
    let ending = try await outcome(
      Reply.closed(#""workflowExecutionFailedEventAttributes":{"failure":{"message":"m","\#(field)":{}}}"#))
    #expect(ending == .failed(WorkflowFailure(message: "m", type: type)))
  }

  @Test func `cancelled, timed out and terminated are endings of their own`() async throws {
    let detail = Payload(encoding: "json/plain", data: Data("1".utf8))
    let cancelled = Reply.closed(
      #""workflowExecutionCanceledEventAttributes":{"details":{"payloads":[\#(Reply.payload("1"))]}}"#)
    #expect(try await outcome(cancelled) == .cancelled([detail]))
    #expect(
      try await outcome(Reply.closed(#""workflowExecutionCanceledEventAttributes":{}"#)) == .cancelled([]))
    #expect(try await outcome(Reply.closed(#""workflowExecutionTimedOutEventAttributes":{}"#)) == .timedOut)
    let server = FakeServer(Reply.terminated, Reply.described("r1", first: "r1", open: false))
    #expect(try await handover(to: server).outcome(of: run).ending == .terminated(reason: "by hand"))
  }

  @Test(arguments: [
    (WorkflowOutcome.Ending.failed(.init(message: "m", type: "T")), HandoverError.Code.workflowFailed),
    (.cancelled([]), .workflowCancelled), (.timedOut, .workflowTimedOut),
    (.terminated(reason: "r"), .workflowTerminated),
    (.notFound, .workflowNotFound), (.tooLarge(bytes: 9), .resultTooLarge),
  ])
  func `an ending without a result throws an error that says which`(
    _ ending: WorkflowOutcome.Ending, _ expected: HandoverError.Code
  ) async throws {
    let outcome = WorkflowOutcome(run: run, ending: ending)
    #expect(await code { _ = try outcome.result(as: String.self) } == expected)
    let copy = try JSONDecoder().decode(WorkflowOutcome.self, from: JSONEncoder().encode(outcome))
    #expect(copy == outcome)
  }

  @Test func `a chain of runs is followed, through continue-as-new and retries`() async throws {
    let retried = Reply.closed(
      #""workflowExecutionFailedEventAttributes":{"failure":{"message":"m"},"newExecutionRunId":"r3"}"#)
    let late = Reply.closed(#""workflowExecutionTimedOutEventAttributes":{"newExecutionRunId":"r4"}"#)
    let server = FakeServer(Reply.continued(in: "r2"), retried, late, Reply.completed("1"))
    let outcome = try await handover(to: server).outcome(of: run)
    #expect(outcome.run == run)
    #expect(try outcome.result(as: Int.self) == 1)
    let runs = await server.lines.compactMap { $0.firstMatch(of: /runId=(r\d)/).map { String($0.1) } }
    #expect(runs == ["r1", "r2", "r3", "r4"])
  }

  @Test func `a chain of which the server has forgotten the first runs is followed from its latest`() async throws {
    let server = FakeServer(Reply.unknown, Reply.described("r9", first: "r1"), Reply.completed("1"))
    #expect(try await handover(to: server).outcome(of: run).result(as: Int.self) == 1)
    #expect(await server.lines.last?.contains("runId=r9") == true)
  }

  @Test func `a workflow that was reset is followed to its new run`() async throws {
    let server = FakeServer(Reply.terminated, Reply.described("r2", first: "r1"), Reply.completed("1"))
    #expect(try await handover(to: server).outcome(of: run).result(as: Int.self) == 1)
  }

  @Test func `a workflow that is not on the server any more has ended, also if another one has its id`() async throws {
    let gone = FakeServer(Reply.unknown, Reply.unknown)
    #expect(try await handover(to: gone).outcome(of: run).ending == .notFound)
    let replaced = FakeServer(Reply.unknown, Reply.described("x1", first: "x1"))
    #expect(try await handover(to: replaced).outcome(of: run).ending == .notFound)
  }

  @Test(arguments: [
    #""workflowExecutionSomethingEventAttributes":{}"#, #""workflowExecutionContinuedAsNewEventAttributes":{}"#,
    #""workflowExecutionCompletedEventAttributes":[]"#,
    #""workflowExecutionCompletedEventAttributes":{"result":{"payloads":[{"data":"no base64!"}]}}"#,
  ])
  func `an event that cannot be read is a clear error`(_ event: String) async throws {
    #expect(await code { _ = try await outcome(Reply.closed(event)) } == .malformedReply)
  }

  @Test func `a result that is too large for a signal says so, and a failure loses its details only`() async throws {
    let large = FakeServer(Reply.completed("\"\(String(repeating: "x", count: 98))\""))
    let temporal = try handover(to: large) { $0.maximumResultBytes = 100 }
    #expect(try await temporal.outcome(of: run).ending == .tooLarge(bytes: 110))
    let detail = Payload(encoding: "json/plain", data: Data(count: 200))
    let failure = WorkflowOutcome.Ending.failed(WorkflowFailure(message: "m", type: "T", details: [detail]))
    #expect(failure.limited(to: 100) == .failed(WorkflowFailure(message: "m", type: "T")))
  }

  @Test func `a look that does not wait asks for the state first, and for the history of an ended run only`()
    async throws
  {
    let server = FakeServer(
      Reply.described("r1", first: "r1"), Reply.described("r1", first: "r1", open: false), Reply.completed("1"))
    let temporal = try handover(to: server)
    #expect(try await temporal.look(at: run, from: "r1", waiting: false) == .open("r1"))
    let second = try await temporal.look(at: run, from: "r1", waiting: false)
    #expect(second != .open("r1"))
    #expect(await server.requests.count == 3)
  }

  @Test func `a cancellation is requested for the chain, and one that comes too late is no error`() async throws {
    let server = FakeServer(.reply(200, "{}"), Reply.unknown, .reply(400, "{}"))
    let temporal = try handover(to: server)
    #expect(try await temporal.requestCancellation(of: run, key: "k", reason: "back"))
    #expect(try await temporal.requestCancellation(of: run, key: "k") == false)
    #expect(await code { try await temporal.requestCancellation(of: run, key: "k") } == .refused)
    #expect(await server.lines.first == "POST /workflows/w/cancel")
    #expect(await server.bodies.first?.contains(#""firstExecutionRunId":"r1""#) == true)
    #expect(await server.bodies.first?.contains(#""requestId":"k""#) == true)
  }
}
