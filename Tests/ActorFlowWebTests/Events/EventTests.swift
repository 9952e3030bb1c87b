import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Testing

@Suite("Events", .timeLimit(.minutes(15))) struct EventTests {
  private func events(_ response: WebResponse) throws -> WebEvents.Iterator {
    #expect(response.status == 200 && response.headers["Content-Type"] == "text/event-stream")
    guard case .events(let events) = response.body else { throw NoStream() }
    return events.makeAsyncIterator()
  }

  private struct NoStream: Error {}

  private func text(_ chunk: [UInt8]?) -> String? { chunk.map { String(decoding: $0, as: UTF8.self) } }

  @Test("a client gets every change as sequence, revision and kind, and nothing that people said")
  func follows() async throws {
    let site = try await TestSite()
    let id = try await site.started(item: "secret-item")
    var events = try events(await site.get("/flows/\(id)/events"))
    #expect(text(await events.next()) == "retry: 2000\n\n")
    var seen = ""
    let count = try await site.host.flow(FlowID(id)).history().count
    for _ in 0..<count { seen += text(await events.next()) ?? "" }
    #expect(seen.contains("event: change\ndata: {\"sequence\":1,\"revision\":") && seen.contains("\"kind\":\"asked\""))
    async let next = site.answerAddress(id)
    let chunk = text(await events.next())
    try await next
    #expect(chunk?.contains("id: \(count + 1)\n") == true && chunk?.contains("\"kind\":\"answered\"") == true)
    #expect(!seen.contains("secret-item") && !seen.contains("~") && chunk?.contains("Main St") == false)
  }

  @Test("a client that comes back with the last number gets what came since, also at another process, and the end")
  func resumes() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let last = try #require(try await site.host.flow(FlowID(id)).history().last).sequence
    _ = try await site.host.flow(FlowID(id)).abandon(reason: "over", by: Principal(id: "ann"))
    let restarted = try await Shop.site(FlowHost(store: site.store, clock: site.clock), Sessions(), Bank())
    let headers: WebHeaders = ["Cookie": "session=ann", "Last-Event-ID": "\(last)"]
    let response = await restarted.respond(
      to: WebRequest(method: "GET", target: "/flows/\(id)/events", headers: headers))
    var events = try events(response)
    var all: [String] = []
    while let chunk = text(await events.next()) { all.append(chunk) }
    #expect(all.dropFirst().first?.hasPrefix("id: \(last + 1)\n") == true)
    #expect(all.last == "event: end\ndata: {}\n\n")
    #expect(await site.get("/flows/\(id)/events", headers: ["Last-Event-ID": "x"]).status == 400)
  }

  @Test("the right to look is asked for again before each event, and so is the sign-in")
  func rights() async throws {
    struct Over: Error {}
    final class Rights: Sendable {
      let isAllowed = Lock(true)
      let isSignedIn = Lock(true)
    }
    for isAboutSession in [true, false] {
      let rights = Rights()
      let open = try await OpenShop.site(
        FlowHost(store: MemoryFlowStore()),
        authenticate: { _ in
          if !rights.isSignedIn.withLock({ $0 }) { throw Over() }
          return Principal(id: "ann")
        },
        allow: { _, _, _ in if !rights.isAllowed.withLock({ $0 }) { throw Over() } })
      let headers: WebHeaders = ["Content-Type": "application/json"]
      let started = try Reply(
        await open.respond(
          to: WebRequest(
            method: "POST", target: "/flows/order", headers: headers, body: Array(#"{"item":"x","quantity":1}"#.utf8))))
      let id = try #require(started["id"])
      var events = try events(await open.respond(to: WebRequest(method: "GET", target: "/flows/\(id)/events")))
      _ = await events.next()
      #expect(text(await events.next())?.hasPrefix("id: 1\n") == true)
      if isAboutSession { rights.isSignedIn.withLock { $0 = false } } else { rights.isAllowed.withLock { $0 = false } }
      #expect(await events.next() == nil)
      #expect(await events.next() == nil)
    }
  }

  @Test("a stream with nothing to tell sends a comment; one whose task is cancelled, or whose flow is deleted, ends")
  func quiet() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let last = try #require(try await site.host.flow(FlowID(id)).history().last).sequence
    let response = await site.get("/flows/\(id)/events?after=\(last)")
    var events = try events(response)
    _ = await events.next()
    var quiet = events
    async let comment = quiet.next()
    try await site.clock.waitForSleepers(1)
    site.clock.advance(by: .seconds(20))
    #expect(text(await comment) == ": still here\n\n")

    let waiting = Task { [events] in
      var events = events
      return await events.next()
    }
    try await site.clock.waitForSleepers(1)
    waiting.cancel()
    #expect(await waiting.value == nil)

    try await site.host.flow(FlowID(id)).delete()
    #expect(await events.next() == nil)
  }
}
