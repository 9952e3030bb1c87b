import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

@Suite("Traces of flows that a request starts", .timeLimit(.minutes(15))) struct TraceTests {
  private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  private func started(
    _ shop: TestSite, _ headers: [(name: String, value: String)] = [], key: String? = nil
  ) async throws -> TraceContext {
    var all: WebHeaders = [
      "Accept": "application/json", "Content-Type": "application/json", "Cookie": "session=ann",
      "Sec-Fetch-Site": "same-origin",
    ]
    for (name, value) in headers { all.append(value, to: name) }
    all["Idempotency-Key"] = key
    let body = #"{"item":"teapot","quantity":2}"#
    let reply = try Reply(
      await shop.site.respond(
        to: WebRequest(method: "POST", target: "/flows/order", headers: all, body: Array(body.utf8))))
    #expect(reply.status == 201)
    return try await shop.host.flow(FlowID(try #require(reply["id"]))).view().trace
  }

  @Test("the flow keeps the headers of the request, and a repeated start the trace of the first")
  func headers() async throws {
    let shop = try await TestSite()
    let trace = try await started(
      shop, [("Traceparent", Self.parent), ("tracestate", "a=1, b@c=x y"), ("tracestate", "d/e=2")], key: "one")
    #expect(trace == ["traceparent": Self.parent, "tracestate": "a=1,b@c=x y,d/e=2"])
    let other = Self.parent.replacing("b7ad", with: "0000")
    #expect(try await started(shop, [("traceparent", other)], key: "one") == trace)
    #expect(try await started(shop) == [:])
  }

  @Test(
    "a malformed traceparent is left out, and the flow starts",
    arguments: [
      "", "00", "\(parent)-01", "\(parent)x", parent.uppercased(), "ff" + parent.dropFirst(2),
      parent.replacing("-01", with: "-0g"), "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "01" + parent.dropFirst(2) + "x", "é" + parent,
    ])
  func malformed(parent: String) async throws {
    let shop = try await TestSite()
    #expect(try await started(shop, [("traceparent", parent), ("tracestate", "a=1")]) == [:])
  }

  @Test("two headers traceparent are left out, and a later version is read as the first one")
  func versions() async throws {
    let shop = try await TestSite()
    #expect(try await started(shop, [("traceparent", Self.parent), ("traceparent", Self.parent)]) == [:])
    for later in ["cc" + Self.parent.dropFirst(2), "cc\(Self.parent.dropFirst(2))-what-else"] {
      #expect(try await started(shop, [("traceparent", later)]) == ["traceparent": Self.parent])
    }
  }

  @Test(
    "flags that have no meaning yet are zero, in each version",
    arguments: [("00", "00"), ("01", "01"), ("02", "02"), ("ff", "03"), ("fd", "01"), ("10", "00")])
  func flags(sent: String, kept: String) async throws {
    let shop = try await TestSite()
    let rest = Self.parent.dropFirst(2).dropLast(2)
    for later in ["00\(rest)\(sent)", "01\(rest)\(sent)", "cc\(rest)\(sent)-what-else"] {
      #expect(try await started(shop, [("traceparent", later)]) == ["traceparent": "00\(rest)\(kept)"])
    }
  }

  @Test("only spaces and tabs around a header and its entries are passed over")
  func spaces() async throws {
    let shop = try await TestSite()
    let trace = try await started(
      shop, [("traceparent", " \(Self.parent)\t"), ("tracestate", "\ta=1 ,  b=2\t")])
    #expect(trace == ["traceparent": Self.parent, "tracestate": "a=1,b=2"])
    #expect(try await started(shop, [("traceparent", "\u{A0}\(Self.parent)")]) == [:])
    let other = try await started(shop, [("traceparent", Self.parent), ("tracestate", "a=1,\u{2003}b=2")])
    #expect(other == ["traceparent": Self.parent])
  }

  @Test(
    "a malformed tracestate is left out, and the parent is kept",
    arguments: ["a", "=1", "a=", "A=1", "a=1=2", "a=é", " , ,", (0..<33).map { "k\($0)=1" }.joined(separator: ",")])
  func malformed(state: String) async throws {
    let shop = try await TestSite()
    let trace = try await started(shop, [("traceparent", Self.parent), ("tracestate", state)])
    #expect(trace == ["traceparent": Self.parent])
  }

  @Test("a long tracestate loses whole entries at its end")
  func long() async throws {
    let shop = try await TestSite()
    let entries = (0..<30).map { "key\($0)=\(String(repeating: "x", count: 60))" }
    let trace = try await started(
      shop, [("traceparent", Self.parent), ("tracestate", entries.joined(separator: ","))])
    let kept = try #require(trace["tracestate"]).split(separator: ",").map(String.init)
    #expect(kept == Array(entries.prefix(kept.count)) && kept.count > 10)
    #expect(trace.byteCount <= TraceContext.maximumBytes)
  }

  @Test("a long tracestate loses its largest entries first, and then the last of the others")
  func large() async throws {
    let shop = try await TestSite()
    let large = (0..<3).map { "large\($0)=\(String(repeating: "x", count: 250))" }
    let small = (0..<10).map { "small\($0)=\(String(repeating: "y", count: 66))" }
    let state = ([large[0]] + small.prefix(5) + [large[1]] + small.suffix(5) + [large[2]]).joined(separator: ",")
    let trace = try await started(shop, [("traceparent", Self.parent), ("tracestate", state)])
    let kept = try #require(trace["tracestate"]).split(separator: ",").map(String.init)
    #expect(kept == small)
    let more = (small + large + small.map { "more\($0)" }).joined(separator: ",")
    let second = try await started(shop, [("traceparent", Self.parent), ("tracestate", more)])
    let rest = try #require(second["tracestate"]).split(separator: ",").map(String.init)
    #expect(rest == Array((small + small.map { "more\($0)" }).prefix(rest.count)) && rest.count > small.count)
  }

  @Test("a trace of the service that is too large loses values, the parent last")
  func tooLarge() async throws {
    var shop = try await TestSite()
    shop.site.trace = { _ in
      [
        "a": String(repeating: "x", count: 2_000), "b": String(repeating: "y", count: 900), "c": "1",
        "traceparent": Self.parent, "z": String(repeating: "z", count: 100),
      ]
    }
    let trace = try await started(shop)
    #expect(trace.names == ["b", "c", "traceparent"] && trace["traceparent"] == Self.parent)
  }

  @Test("a store in a format that keeps no trace takes the flow without it", arguments: [6, 7])
  func oldFormat(format: Int) async throws {
    var options = FlowHost.Options()
    options.writesFormat = format
    let host = try FlowHost(store: MemoryFlowStore(), options: options)
    let tick = Flow<Void, Void>("tick") { Step("wait") { (_: Void) in () } }
    var site = FlowSite(host: host, title: "Clock", authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(try await host.register(tick))
    let order = Flow("order") { Step("pass") { (order: Order) in order } }
    try site.serve(try await host.register(order), labels: { order, _ in ["item": order.item] })
    func start(_ name: String, _ body: String = "") async throws -> Reply {
      var headers: WebHeaders = ["Accept": "application/json", "traceparent": Self.parent]
      if !body.isEmpty { headers["Content-Type"] = "application/json" }
      return try Reply(
        await site.respond(
          to: WebRequest(method: "POST", target: "/flows/\(name)", headers: headers, body: Array(body.utf8))))
    }
    let reply = try await start("tick")
    #expect(reply.status == 201)
    #expect(try await host.flow(FlowID(try #require(reply["id"]))).view().trace == [:])
    #expect(try await start("order", #"{"item":"tea","quantity":1}"#).status == 201)
    let refused = try await start("order", #"{"item":"\u0000","quantity":1}"#)
    #expect(refused.status == 422 && refused["code"] == "notStorable")
  }
}
