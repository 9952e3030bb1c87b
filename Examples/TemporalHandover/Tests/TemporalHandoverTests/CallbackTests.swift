import ActorFlow
import ActorFlowHosting
import Foundation
@testable import TemporalHandover
import Testing

@Suite struct CallbackTests {
  /// A flow that has started a workflow, and the call that the server is to make.
  private struct Fixture {
    let server = FakeServer(Reply.started("r1"), rest: .silence)
    let host = FlowHost(store: MemoryFlowStore())
    let receiver: CallbackReceiver
    let call: HTTPRequest
    let key: String

    init() async throws {
      let callbacks = try Callbacks(url: "https://shop.example/temporal/closed", secret: "a secret of the shop")
      let temporal = try handover(to: server, callbacks: callbacks) { $0.attempts = 1 }
      receiver = CallbackReceiver(host: host, temporal: temporal, callbacks: callbacks)
      try await host.register(orders(temporal)).start(id: "o 1", with: Order(number: 1))
      _ = try await host.flow("o 1").settled()
      let sent = try #require(await server.requests.first)
      let body = try #require(try JSONSerialization.jsonObject(with: Data(sent.body)) as? [String: Any])
      key = try #require(body["requestId"] as? String)
      let callback = try #require((body["completionCallbacks"] as? [[String: [String: Any]]])?.first?["nexus"])
      let url = try #require(callback["url"] as? String)
      let headers = try #require(callback["header"] as? [String: String])
      // A server may have the path and the query of the URL only, and any spelling of the names.
      call = HTTPRequest(
        method: "POST", url: url.replacing("https://shop.example", with: ""),
        headers: Dictionary(uniqueKeysWithValues: headers.map { ($0.key.lowercased(), $0.value) }))
    }
  }

  @Test func `a call delivers what the server says of the workflow, again without effect`() async throws {
    let fixture = try await Fixture()
    for _ in 1...2 {
      await fixture.server.then(
        Reply.described("r2", first: "r1"), Reply.described("r1", first: "r1", key: fixture.key, open: false),
        Reply.described("r1", first: "r1", open: false), Reply.continued(in: "r2"),
        Reply.described("r2", first: "r1", open: false), Reply.completed(#"{"parcel":"p1"}"#))
      #expect(await fixture.receiver.receive(fixture.call).status == 200)
      #expect(try await fixture.host.flow("o 1").settled().status == .finished)
    }
  }

  @Test func `a call with another key, or for another target, is refused before the server is asked`() async throws {
    let fixture = try await Fixture()
    var calls = Array(repeating: fixture.call, count: 6)
    calls[0].headers = [:]
    calls[1].headers["authorization"] = "Bearer "
    calls[2].headers["authorization"]?.removeLast()
    calls[3].headers["authorization"] = String((fixture.call.header("Authorization") ?? "").dropLast()) + "x"
    calls[4].url = fixture.call.url.replacing("flow=o%201", with: "flow=o%202")
    calls[5].url = fixture.call.url.replacing("workflow=shipment", with: "workflow=refund")
    for call in calls { #expect(await fixture.receiver.receive(call).status == 401) }
    var get = fixture.call
    get.method = "GET"
    #expect(await fixture.receiver.receive(get).status == 405)
    for url in ["/temporal/closed", "/temporal/closed?flow=o", "/temporal/closed?flow=a&flow=b&workflow=w&key=k"] {
      var call = fixture.call
      call.url = url
      #expect(await fixture.receiver.receive(call).status == 400)
    }
    #expect(await fixture.server.requests.count == 1)
  }

  @Test func `a call that cannot be answered yet is to be repeated, and one for no workflow is not`() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.receiver.receive(fixture.call).status == 503)
    let open = Reply.described("r1", first: "r1", key: fixture.key)
    await fixture.server.then(open, open, Reply.unknown)
    #expect(await fixture.receiver.receive(fixture.call).status == 503)
    #expect(await fixture.receiver.receive(fixture.call).status == 410)
    #expect(try await fixture.host.flow("o 1").view().status == .waiting)
  }

  @Test func `a secret that is too short is refused, and none is shown`() async throws {
    #expect(await code { _ = try Callbacks(url: "https://a", secret: "short") } == .badAddress)
    #expect(await code { _ = try Callbacks(url: "a", secret: "a secret of the shop") } == .badAddress)
    var text = ""
    dump(try Callbacks(url: "https://a", secret: "a secret of the shop"), to: &text)
    #expect(!text.contains("of the shop"))
  }

  @Test func `codes are those of RFC 4231`() {
    func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    #expect(
      hex(HMAC.code(for: Array("what do ya want for nothing?".utf8), secret: Array("Jefe".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hex(
        HMAC.code(
          for: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
          secret: Array(repeating: 0xAA, count: 131)))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }
}
