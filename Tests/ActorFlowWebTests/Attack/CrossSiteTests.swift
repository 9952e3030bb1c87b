import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

@Suite("Requests of other sites' pages", .timeLimit(.minutes(15))) struct CrossSiteTests {
  static let unsafe = [
    "/flows/order", "/flows/x/questions/1", "/flows/x/back", "/flows/x/abandon", "/signals/payments", "/nothing",
  ]

  @Test(
    "every place that changes a flow refuses them",
    arguments: unsafe, ["POST", "PUT", "DELETE", "PATCH", "BREW"])
  func refused(target: String, method: String) async throws {
    let site = try await TestSite()
    let attacks: [WebHeaders] = [
      ["Sec-Fetch-Site": "cross-site", "Cookie": "session=ann"], ["Sec-Fetch-Site": "same-site"],
      ["Sec-Fetch-Site": "none", "Cookie": "session=ann"],
      ["Sec-Fetch-Site": "same-origin, cross-site", "Cookie": "session=ann"],
      ["Origin": "https://evil.example"], ["Origin": "null", "Cookie": "session=ann"], ["Cookie": "session=ann"],
      ["cookie": "session=ann"],
    ]
    for headers in attacks {
      let response = await site.site.respond(to: WebRequest(method: method, target: target, headers: headers))
      #expect(response.status == 403, "\(headers)")
    }
  }

  @Test("a page of an allowed origin, and a client without cookies, are let through")
  func allowed() async throws {
    var site = try await TestSite().site
    site.origins = ["https://shop.example"]
    let body = Array(#"{"item":"teapot","quantity":1}"#.utf8)
    let friend: WebHeaders = [
      "Origin": "https://shop.example", "Cookie": "session=ann", "Content-Type": "application/json",
    ]
    let started = await site.respond(
      to: WebRequest(method: "POST", target: "/flows/order", headers: friend, body: body))
    #expect(started.status == 201)
    let program: WebHeaders = ["Content-Type": "application/json"]
    // The shop lets no anonymous client start an order: its own refusal, and not that of other sites.
    let refused = await site.respond(
      to: WebRequest(method: "POST", target: "/flows/order", headers: program, body: body))
    #expect(refused.status == 403 && refused.text.contains("Please sign in."))
  }

  @Test("a login beside the site asks for the same refusal")
  func login() async throws {
    let site = try await TestSite().site
    let attack = WebRequest(method: "POST", target: "/login", headers: ["Sec-Fetch-Site": "cross-site"])
    let refusal = try #require(site.crossSiteRefusal(of: attack))
    #expect(refusal.status == 403 && refusal.headers["X-Content-Type-Options"] == "nosniff")
    let own = WebRequest(method: "POST", target: "/login", headers: ["Sec-Fetch-Site": "same-origin"])
    #expect(site.crossSiteRefusal(of: own)?.status == nil)
  }

  @Test("looking changes nothing, so no GET is refused, and no GET reaches a verb")
  func gets() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let revision = try await site.host.flow(FlowID(id)).view().revision
    for part in ["questions/1", "back", "abandon"] {
      let response = await site.get("/flows/\(id)/\(part)", accept: "*/*")
      #expect(response.status == 405 && response.headers["Allow"] == "POST")
      // A browser that loads the address of a form again gets the flow's page.
      let page = await site.get("/flows/\(id)/\(part)")
      #expect(page.status == 303 && page.headers["Location"] == "/flows/\(id)")
    }
    #expect(await site.get("/flows/\(id)", headers: ["Sec-Fetch-Site": "cross-site"]).status == 200)
    #expect(try await site.host.flow(FlowID(id)).view().revision == revision)
  }

  @Test("every response keeps browsers from running or framing anything")
  func headers() async throws {
    let site = try await TestSite()
    for target in ["/", "/nothing", "/flow.js", "/health", "/openapi.json"] {
      let response = await site.get(target)
      let policy = try #require(response.headers["Content-Security-Policy"])
      #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
      #expect(response.headers["X-Content-Type-Options"] == "nosniff")
    }
    let page = await site.get("/start/order").text
    #expect(!page.contains("<script>") && !page.contains(" on") && !page.contains("style="))
  }
}
