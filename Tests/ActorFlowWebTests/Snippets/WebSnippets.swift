import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Foundation

// The code of the article "Your flow on the web in five minutes", which the tests of this module use as well.

struct Order: Codable, Sendable {
  var item: String
  var quantity: Int
}

struct Address: Codable, Sendable {
  var street: String
  var city: String
  var floor: Int?
}

struct Placed: Codable, Sendable {
  var order: Order
  var address: Address
}

struct Receipt: Codable, Sendable {
  var item: String
  var cents: Int
}

struct AddressForm: Prompt, Codable {
  typealias Answer = Address
  let order: Order

  func validate(_ address: Address) throws {
    if address.street.count < 3 { throw Refusal.invalid("A street has three letters or more.", field: "street") }
  }
}

enum Verdict: String, Codable, Sendable, CaseIterable {
  case approve, reject
}

struct ApprovalForm: AssignedPrompt, Codable {
  typealias Answer = Verdict
  let placed: Placed
  var assignees: [String] { ["staff"] }
  var due: Date? { nil }

  func authorize(_ principal: Principal) throws {
    guard principal.roles.contains("staff") else { throw Refusal.notAllowed("Only staff may approve.") }
  }
}

struct Rejected: Error {}

let paid = Signal<Int>("paid")

let order = Flow("order") {
  Step("address") { (order: Order, context: StepContext) in
    Placed(order: order, address: try await context.ask(AddressForm(order: order)))
  }
  Step("approval") { (placed: Placed, context: StepContext) in
    guard try await context.ask(ApprovalForm(placed: placed)) == .approve else { throw Rejected() }
    return placed
  }
  Step("payment") { (placed: Placed, context: StepContext) in
    Receipt(item: placed.order.item, cents: try await context.wait(for: paid))
  }
}

enum Shop {
  static func site(_ host: FlowHost, _ sessions: Sessions, _ bank: Bank) async throws -> FlowSite {
    let orders = try await host.register(order, stores: [AddressForm.self, ApprovalForm.self] + .signal(paid))
    var site = FlowSite(
      host: host, title: "Shop",
      authenticate: { request in try sessions.principal(of: request.cookie("session")) },
      allow: { verb, flow, who in try check(verb, flow, who) })
    try site.serve(
      orders, title: "Your order", labels: { _, who in ["customer": who?.id ?? ""] },
      finished: { "<p>Paid: \($0.cents) cents for the \($0.item).</p>" })
    try site.form(
      AddressForm.self, title: { "Where shall we send the \($0.order.item)?" },
      fields: [FormField("street", autocomplete: "street-address")])
    try site.form(
      ApprovalForm.self, title: { "Shall we send \($0.placed.order.quantity) pieces?" },
      facts: { [("Item", $0.placed.order.item), ("To", $0.placed.address.city)] })
    try site.signal(paid, at: "payments", verify: { try bank.verify($0) }) { request in
      let notice = try JSONDecoder().decode(Bank.Notice.self, from: Data(request.body))
      return SignalMessage(flow: FlowID(notice.order), key: notice.id, value: notice.cents)
    }
    return site
  }

  /// Customers may see and change their own orders, and staff all of them. Only staff sees the history, and only operators
  /// have the verbs of operators.
  static func check(_ verb: FlowSite.Verb, _ flow: FlowView?, _ who: Principal?) throws {
    guard let who else { throw Refusal.notAllowed("Please sign in.") }
    let isStaff = who.roles.contains("staff")
    switch verb {
    case .start, .list, .describe: return
    case .look, .answer, .backUp, .abandon:
      guard isStaff || flow?.labels["customer"] == who.id else { throw Refusal.notAllowed("This order is not yours.") }
    case .history where isStaff: return
    case .operate where who.roles.contains("operators"): return
    // All else is refused, the verbs of later versions as well.
    default: throw Refusal.notAllowed("You have no right to this.")
    }
  }
}

/// Stands for your sessions, and believes every cookie: the cookie is the name of a person.
struct Sessions: Sendable {
  struct Expired: Error {}

  func principal(of cookie: String?) throws -> Principal? {
    guard let cookie else { return nil }
    if cookie == "expired" { throw Expired() }
    var roles: Set<String> = cookie.hasPrefix("staff") ? ["staff"] : []
    if cookie == "staff-cleo" { roles.insert("operators") }
    return Principal(id: cookie, roles: roles)
  }
}

/// Stands for your bank, whose real signature is made of the body and a secret.
struct Bank: Sendable {
  struct Forged: Error {}
  struct Notice: Codable {
    var id: String
    var order: String
    var cents: Int
  }

  func verify(_ request: WebRequest) throws {
    guard request.headers["Signature"] == "good" else { throw Forged() }
  }
}

/// The adapter of an HTTP server, whose own types stand in place of these.
struct ServerRequest: Sendable {
  var method: String
  var uri: String
  var headers: [(name: String, value: String)]
  /// Reads the body, but no more than this number of bytes.
  var body: @Sendable (_ upTo: Int) async throws -> [UInt8]
}

protocol ServerWriter: Sendable {
  func begin(_ status: Int, _ headers: [(name: String, value: String)]) async throws
  func write(_ bytes: [UInt8]) async throws
}

func handle(_ request: ServerRequest, _ writer: some ServerWriter, with site: FlowSite) async throws {
  let body = try await request.body(site.maximumBodyBytes + 1)
  let response = await site.respond(
    to: WebRequest(
      method: request.method, target: request.uri, headers: WebHeaders(request.headers), body: body))
  try await writer.begin(response.status, response.headers.fields.map { ($0.name, $0.value) })
  switch response.body {
  case .bytes(let bytes): try await writer.write(bytes)
  case .events(let events): for await chunk in events { try await writer.write(chunk) }
  }
}
