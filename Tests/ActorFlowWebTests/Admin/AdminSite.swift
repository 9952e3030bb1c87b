import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

/// The shop with operators' verbs: `staff-cleo` operates, and the rest of the staff does not.
struct AdminSite {
  let shop: TestSite

  init(shop: TestSite) { self.shop = shop }

  init() async throws {
    var shop = try await TestSite()
    shop.site.admin()
    self.shop = shop
  }

  /// Starts an order and has it suspended by a rejection.
  func suspended() async throws -> String {
    let id = try await shop.started()
    let address = try await shop.getJSON("/flows/\(id)")
    _ = try await shop.postJSON(
      "/flows/\(id)/questions/1",
      #"{"question":"\#(try #require(address["questions.0.question"]))","answer":{"street":"Main St 1","city":"Bern"}}"#
    )
    let approval = try await shop.getJSON("/flows/\(id)", as: "staff-bo")
    let reply = try await shop.postJSON(
      "/flows/\(id)/questions/2",
      #"{"question":"\#(try #require(approval["questions.0.question"]))","answer":"reject"}"#, as: "staff-bo")
    #expect(reply["status"] == "suspended")
    return id
  }

  func get(_ path: String, as name: String? = "staff-cleo") async throws -> Reply {
    try await shop.getJSON("/admin\(path)", as: name)
  }

  func post(_ path: String, _ json: String, as name: String? = "staff-cleo", key: String? = nil) async throws -> Reply {
    try await shop.postJSON("/admin\(path)", json, as: name, key: key)
  }
}
