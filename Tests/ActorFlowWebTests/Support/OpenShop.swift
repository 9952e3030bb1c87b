import ActorFlow
import ActorFlowHosting
import ActorFlowWeb

/// The shop with other rights than its own.
enum OpenShop {
  static func site(
    _ host: FlowHost, authenticate: @escaping FlowSite.Authenticate = { _ in nil },
    allow: @escaping FlowSite.Allow = { _, _, _ in }
  ) async throws -> FlowSite {
    var site = FlowSite(host: host, title: "Open", authenticate: authenticate, allow: allow)
    try site.serve(try await host.register(order, stores: [AddressForm.self, ApprovalForm.self] + .signal(paid)))
    try site.form(AddressForm.self, title: { "\($0.order.item)" })
    return site
  }
}
