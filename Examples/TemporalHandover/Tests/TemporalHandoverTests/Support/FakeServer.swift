import ActorFlow
import Foundation
import TemporalHandover

/// A server that answers each request as a test has said, and remembers the requests.
actor FakeServer: HTTPTransport {
  /// An answer: a response, or silence.
  enum Answer: Sendable {
    case reply(Int, String)
    case silence
  }

  private var answers: [Answer]
  /// The answer to every request after the last one.
  private let rest: Answer
  private(set) var requests: [HTTPRequest] = []
  private var arrival: CheckedContinuation<Void, Never>?
  private var awaited = 0

  init(_ answers: Answer..., rest: Answer = .reply(500, "{}")) {
    (self.answers, self.rest) = (answers, rest)
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    requests.append(request)
    // As a request that is under way when its task is cancelled.
    try Task.checkCancellation()
    if requests.count >= awaited, let arrived = arrival {
      arrival = nil
      arrived.resume()
    }
    switch answers.isEmpty ? rest : answers.removeFirst() {
    case .reply(let status, let body): return HTTPResponse(status: status, body: Array(body.utf8))
    case .silence: throw NoAnswer()
    }
  }

  struct NoAnswer: Error {}

  /// Waits until this many requests have come.
  func polled(_ count: Int) async {
    guard requests.count < count else { return }
    awaited = count
    await withCheckedContinuation { arrival = $0 }
  }

  /// Adds answers to those that are left.
  func then(_ more: FakeServer.Answer...) { answers += more }

  /// The bodies of the requests as JSON.
  var bodies: [String] { requests.map { String(decoding: $0.body, as: UTF8.self) } }

  /// The requests without the base URL: method and path.
  var lines: [String] {
    requests.map { "\($0.method) \($0.url.replacing("http://127.0.0.1:7243/api/v1/namespaces/default", with: ""))" }
  }
}

/// A value that a test has not expected.
struct Unexpected: Error {
  let what: String
}

/// A clock whose sleeps end at once, and are remembered.
final class HastyClock: Clock, Sendable {
  typealias Instant = ContinuousClock.Instant
  private let times = Times()

  actor Times {
    var list: [Duration] = []
    func add(_ time: Duration) { list.append(time) }
  }

  /// Always the same moment, from which every sleep counts.
  let now = ContinuousClock().now
  var minimumResolution: Duration { .nanoseconds(1) }
  var slept: [Duration] { get async { await times.list } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await times.add(now.duration(to: deadline))
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// Replies of a server.
enum Reply {
  static func started(_ run: String) -> FakeServer.Answer {
    .reply(200, #"{"runId":"\#(run)","firstExecutionRunId":"\#(run)","started":true}"#)
  }

  static func taken(by key: String, run: String) -> FakeServer.Answer {
    .reply(
      409,
      """
      {"code":6,"message":"already started","details":[{"@type":"type.googleapis.com/temporal.api.errordetails.v1.\
      WorkflowExecutionAlreadyStartedFailure","startRequestId":"\(key)","runId":"\(run)"}]}
      """)
  }

  static func described(_ run: String, first: String, key: String = "other", open: Bool = true) -> FakeServer.Answer {
    .reply(
      200,
      """
      {"workflowExecutionInfo":{"execution":{"workflowId":"w","runId":"\(run)"},"firstRunId":"\(first)",\
      "status":"WORKFLOW_EXECUTION_STATUS_\(open ? "RUNNING" : "COMPLETED")"},\
      "workflowExtendedInfo":{"requestIdInfos":{"\(key)":{"eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_STARTED"}}}}
      """)
  }

  /// The history of a run that has ended with this event.
  static func closed(_ event: String) -> FakeServer.Answer {
    .reply(200, #"{"history":{"events":[{"eventId":"5","eventType":"E",\#(event)}]}}"#)
  }

  static func completed(_ json: String) -> FakeServer.Answer {
    closed(#""workflowExecutionCompletedEventAttributes":{"result":{"payloads":[\#(payload(json))]}}"#)
  }

  static func continued(in run: String) -> FakeServer.Answer {
    closed(#""workflowExecutionContinuedAsNewEventAttributes":{"newExecutionRunId":"\#(run)"}"#)
  }

  static let terminated = closed(#""workflowExecutionTerminatedEventAttributes":{"reason":"by hand"}"#)
  /// The end of a long poll of a run that is open.
  static let open = FakeServer.Answer.reply(200, #"{"history":{},"nextPageToken":"eA=="}"#)
  static let unknown = notFound("NotFoundFailure")

  static func notFound(_ kind: String) -> FakeServer.Answer {
    .reply(
      404,
      """
      {"code":5,"message":"not found","details":[{"@type":"type.googleapis.com/temporal.api.errordetails.v1.\(kind)"}]}
      """)
  }

  static func payload(_ json: String, _ encoding: String = "json/plain") -> String {
    let (name, data) = (Data(encoding.utf8).base64EncodedString(), Data(json.utf8).base64EncodedString())
    return #"{"metadata":{"encoding":"\#(name)"},"data":"\#(data)"}"#
  }
}

/// A handover to a server that is not there.
func handover(
  to server: FakeServer, clock: HastyClock = HastyClock(), callbacks: Callbacks? = nil, apiKey: String? = nil,
  _ change: (inout TemporalHandover.Options) -> Void = { _ in }
) throws -> TemporalHandover {
  var options = TemporalHandover.Options()
  change(&options)
  return try TemporalHandover(
    baseURL: "http://127.0.0.1:7243/", apiKey: apiKey, callbacks: callbacks, options: options, transport: server,
    clock: clock)
}

/// Returns the code of the error that the closure throws.
func code(_ body: () async throws -> Void) async -> HandoverError.Code? {
  do { try await body() } catch { return (error as? HandoverError)?.code }
  return nil
}
