import Foundation
import TemporalHandover
import Testing

@Suite struct StartingTests {
  struct Order: Codable, Sendable {
    var item: String
  }

  @Test func `a start names the workflow, the queue, the key and the arguments, and refuses duplicates`() async throws {
    let server = FakeServer(Reply.started("r1"))
    let run = try await handover(to: server).start(
      "Ship", id: "order 17+é", queue: "ship", key: "k/1", limit: .seconds(90), with: Order(item: "pot"), 3)
    #expect(run == WorkflowRun(workflow: "order 17+é", id: "r1"))
    #expect(await server.lines == ["POST /workflows/order%2017%2B%C3%A9"])
    let sent = try #require(await server.requests.first)
    let body = try #require(try JSONSerialization.jsonObject(with: Data(sent.body)) as? [String: Any])
    #expect(body["requestId"] as? String == "k/1")
    #expect(body["workflowIdReusePolicy"] as? String == "WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE")
    #expect(body["workflowExecutionTimeout"] as? String == "90.000s")
    #expect(body["workflowType"] as? [String: String] == ["name": "Ship"])
    #expect(body["taskQueue"] as? [String: String] == ["name": "ship"])
    let input = try #require((body["input"] as? [String: Any])?["payloads"] as? [[String: Any]])
    #expect(
      input.map { $0["data"] as? String } == [#"{"item":"pot"}"#, "3"].map { Data($0.utf8).base64EncodedString() })
    #expect(body["completionCallbacks"] == nil)
    // Without the shorthand a payload comes as it is, whatever its encoding.
    #expect(sent.headers["Accept"] == "application/json+no-payload-shorthand")
  }

  @Test func `a start without an id has the key as its id`() async throws {
    let server = FakeServer(Reply.started("r1"))
    let run = try await handover(to: server).start("Ship", queue: "ship", key: "o-1/ship/1/start/ab")
    #expect(run.workflow == "o-1:ship:1:start:ab")
  }

  @Test func `a server that is away is asked again under the same key, after pauses that grow`() async throws {
    let server = FakeServer(.silence, .reply(503, "busy"), .reply(429, "{}"), Reply.started("r1"))
    let clock = HastyClock()
    _ = try await handover(to: server, clock: clock).start("Ship", id: "w", queue: "ship", key: "k")
    #expect(Set(await server.bodies).count == 1)
    #expect(await server.requests.count == 4)
    #expect(await clock.slept == [.milliseconds(250), .milliseconds(500), .seconds(1)])
  }

  @Test func `a server that stays away is a clear error after the last attempt`() async throws {
    let server = FakeServer(rest: .silence)
    let temporal = try handover(to: server) { $0.attempts = 2 }
    let error = await #expect(throws: HandoverError.self) {
      _ = try await temporal.start("Ship", id: "w", queue: "ship", key: "k")
    }
    #expect(error?.code == .unreachable)
    #expect(error?.message.contains("http://127.0.0.1:7243 does not answer") == true)
    #expect(await server.requests.count == 2)
  }

  @Test func `a workflow that has continued as new is known by the key of its first run`() async throws {
    let server = FakeServer(
      Reply.taken(by: "generated", run: "r3"), Reply.described("r3", first: "r1"),
      Reply.described("r1", first: "r1", key: "k", open: false))
    let run = try await handover(to: server).start("Ship", id: "w", queue: "ship", key: "k")
    #expect(run.id == "r1")
    #expect(await server.lines.dropFirst() == ["GET /workflows/w", "GET /workflows/w?execution.runId=r1"])
  }

  @Test func `a workflow that was started otherwise is not taken for one's own`() async throws {
    let same = FakeServer(Reply.taken(by: "theirs", run: "r1"), Reply.described("r1", first: "r1", key: "theirs"))
    #expect(
      await code { _ = try await handover(to: same).start("S", id: "w", queue: "q", key: "k") } == .workflowTaken)
    let chain = FakeServer(
      Reply.taken(by: "theirs", run: "r2"), Reply.described("r2", first: "r1"), Reply.described("r1", first: "r1"))
    #expect(
      await code { _ = try await handover(to: chain).start("S", id: "w", queue: "q", key: "k") } == .workflowTaken)
  }

  @Test(arguments: ["", ".", "..", "a/b", "a\nb", String(repeating: "x", count: 401)])
  func `an id that cannot stand in a path is refused before anything is sent`(_ id: String) async throws {
    let server = FakeServer()
    #expect(await code { _ = try await handover(to: server).start("S", id: id, queue: "q", key: "k") } == .badWorkflow)
    #expect(await server.requests.isEmpty)
  }

  @Test func `an argument that is no JSON is refused before anything is sent`() async throws {
    let server = FakeServer()
    let sent = await code {
      _ = try await handover(to: server).start("S", id: "w", queue: "q", key: "k", with: 1, Double.nan)
    }
    #expect(sent == .badWorkflow)
    #expect(await server.requests.isEmpty)
  }

  @Test(arguments: [
    (200, "<html>", HandoverError.Code.malformedReply), (200, "{}", .malformedReply),
    (200, #"{"runId":7}"#, .malformedReply),
    (200, #"{"runId":""}"#, .malformedReply), (301, "", .malformedReply), (404, #"{"code":5}"#, .malformedReply),
    (401, "{}", .notAllowed), (403, #"{"message":"no"}"#, .notAllowed),
    (400, #"{"message":"queue is missing"}"#, .refused),
  ])
  func `a reply that is no success is a clear error, and is not repeated`(
    _ status: Int, _ body: String, _ expected: HandoverError.Code
  ) async throws {
    let server = FakeServer(.reply(status, body), rest: Reply.started("r1"))
    let start = await code { _ = try await handover(to: server).start("S", id: "w", queue: "q", key: "k") }
    #expect(start == expected)
    #expect(await server.requests.count == 1)
  }

  @Test func `a namespace that is not there is an error of its own, and no lost workflow`() async throws {
    let server = FakeServer(Reply.notFound("NamespaceNotFoundFailure"), Reply.notFound("NamespaceNotFoundFailure"))
    let temporal = try handover(to: server)
    #expect(await code { _ = try await temporal.start("S", id: "w", queue: "q", key: "k") } == .noSuchNamespace)
    let run = WorkflowRun(workflow: "w", id: "r1")
    #expect(await code { _ = try await temporal.outcome(of: run) } == .noSuchNamespace)
  }

  @Test func `the API key is sent, and shown by no description`() async throws {
    let server = FakeServer(Reply.started("r1"), .reply(401, "{}"))
    let temporal = try handover(to: server, apiKey: "key-of-a-team")
    _ = try await temporal.start("S", id: "w", queue: "q", key: "k")
    #expect(await server.requests.first?.headers["Authorization"] == "Bearer key-of-a-team")
    let other = try TemporalHandover(baseURL: "https://temporal.example", apiKey: "key-of-a-team")
    var text = "\(other)"
    dump(other, to: &text)
    do { _ = try await temporal.start("S", id: "w", queue: "q", key: "k") } catch { text += "\(error)" }
    #expect(!text.contains("key-of-a-team"))
  }

  @Test(arguments: ["", "temporal:7243", "ftp://a", "https://", "https://u:p@a", "https://a?x=1"])
  func `an address that is none is refused`(_ address: String) async throws {
    #expect(await code { _ = try TemporalHandover(baseURL: address) } == .badAddress)
  }

  @Test func `an API key is sent in the clear to this machine only`() async throws {
    #expect(await code { _ = try TemporalHandover(baseURL: "http://temporal.example", apiKey: "k") } == .badAddress)
    #expect(await code { _ = try TemporalHandover(baseURL: "https://temporal.example", apiKey: "k") } == nil)
    #expect(
      await code { _ = try TemporalHandover(baseURL: "https://temporal.example", apiKey: "k\nX: y") } == .badAddress)
    #expect(
      await code { _ = try TemporalHandover(baseURL: "https://temporal.example", namespace: "a/b") } == .badAddress)
  }
}
