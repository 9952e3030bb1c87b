import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Foundation
import Testing

@testable import Shop

/// The shop in memory, with a clock that stands still, and people who send requests.
struct Fixture: Sendable {
  let clock = ManualWallClock()
  let host: FlowHost
  let goods: Goods
  let sessions: Sessions
  let site: FlowSite
  let front: ShopFront

  /// - Parameter isInMemory: Whether flows stay in memory for the effects of their steps while nobody asks for them.
  init(effectTime: Duration = .seconds(600)) async throws {
    var options = FlowHost.Options()
    options.effectTime = effectTime
    host = try FlowHost(store: MemoryFlowStore(clock: clock), clock: clock, options: options)
    goods = Goods(prices: Prices(), warehouse: try Warehouse(), bank: try FakeBank())
    sessions = try Sessions()
    site = try await ShopSite.make(host, goods, sessions)
    front = ShopFront(site, sessions, goods.bank)
  }

  /// Lets the bank tell the shop what it does not know yet, and returns whether the shop took everything.
  func tellShop() async -> Bool { await goods.bank.tellAll { await front.respond(to: $0).status } }

  /// Signs a person in and returns the cookie.
  func cookie(of name: String) async throws -> String {
    let principal = try #require(Accounts.principal(name))
    return String(try await sessions.begin(for: principal).prefix { $0 != ";" })
  }

  func get(_ target: String, _ cookie: String?, accept: String = "text/html") async -> WebResponse {
    var headers: WebHeaders = ["Accept": accept]
    headers["Cookie"] = cookie
    return await front.respond(to: WebRequest(method: "GET", target: target, headers: headers))
  }

  func post(
    _ target: String, _ values: [String: String], _ cookie: String?, site: String = "same-origin"
  ) async -> WebResponse {
    var headers: WebHeaders = [
      "Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": site,
    ]
    headers["Cookie"] = cookie
    let form = values.map { "\(encoded($0))=\(encoded($1))" }.joined(separator: "&")
    return await front.respond(
      to: WebRequest(method: "POST", target: target, headers: headers, body: Array(form.utf8)))
  }

  /// Answers the question of a flow's page.
  func answer(_ flow: String, _ values: [String: String], _ cookie: String) async -> WebResponse {
    await answer(page: await get(flow, cookie), values, cookie)
  }

  /// Answers the question of a page that was loaded before.
  func answer(page: WebResponse, _ values: [String: String], _ cookie: String) async -> WebResponse {
    var all = values
    for name in ["_key", "_question", "_revision", "_prompt"] { all[name] = page.value(of: name) }
    return await post(page.action ?? "", all, cookie)
  }

  /// Starts a checkout, puts an article into the cart, and returns the flow's path.
  func cart(_ article: Article, quantity: Int, _ cookie: String) async throws -> String {
    let start = await get("/start/checkout", cookie)
    let flow = try #require(
      await post("/flows/checkout", ["_key": start.value(of: "_key") ?? ""], cookie).headers["Location"])
    let put = ["article": article.rawValue, "quantity": "\(quantity)", "_button": "put"]
    #expect(await answer(flow, put, cookie).status == 303)
    return flow
  }

  /// Starts a checkout that waits for the bank, and returns the flow's path.
  func checkout(_ article: Article, quantity: Int, _ cookie: String) async throws -> String {
    let flow = try await cart(article, quantity: quantity, cookie)
    #expect(await answer(flow, ["_button": "order"], cookie).status == 303)
    #expect(await answer(flow, ["shipping": "pickup"], cookie).status == 303)
    return flow
  }

  private func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

extension WebResponse {
  var text: String {
    if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
  }

  /// The value of the page's first hidden field of this name.
  func value(of name: String) -> String? { text(after: "name=\"\(name)\" value=\"") }

  /// The path that the page's first form is sent to.
  var action: String? { text(after: "action=\"") }

  /// The bank's page to which the page leads.
  var bankPage: String? { text(after: "href=\"/bank/").map { "/bank/\($0)" } }

  private func text(after mark: String) -> String? {
    guard let start = text.range(of: mark) else { return nil }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }
}
