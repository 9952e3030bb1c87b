import ActorFlow
public import ActorFlowHosting
public import ActorFlowWeb
import Foundation

/// The site of the shop: what the flows need to be on the web.
public enum ShopSite {
  /// Returns the site, with the flows registered at the host.
  ///
  /// - Parameter patience: The time after which a checkout without an answer is given up.
  public static func make(
    _ host: FlowHost, _ goods: Goods, _ sessions: Sessions, expiringAfter patience: Duration = .seconds(900)
  ) async throws -> FlowSite {
    var site = FlowSite(
      host: host, title: "Tea Shop", authenticate: { try await sessions.principal(of: $0) },
      allow: { verb, flow, who in try Rights.check(verb, flow, who) })
    site.signInPath = "/login"
    site.admin()
    try await serveCheckout(at: &site, host, goods, patience)
    try await serveExpenses(at: &site, host)
    return site
  }

  private static func serveCheckout(
    at site: inout FlowSite, _ host: FlowHost, _ goods: Goods, _ patience: Duration
  ) async throws {
    let checkouts = try await host.register(
      CheckoutFlow.make(goods, expiringAfter: patience),
      stores: [CartView.self, DeliveryForm.self, BankForm.self] + .signal(PaymentStep.result))
    try site.serve(
      checkouts, title: "Checkout", startedBy: NewCart.self, labels: { _, who in Rights.label(who) },
      finished: { "<p>Paid: \(Euros.text($0.total)). \($0.delivery)</p>" }
    ) { _, who in Customer(name: who?.id ?? "") }
    try site.form(
      CartView.self, title: { _ in "Your cart" }, facts: { view in view.facts },
      fields: [
        FormField("article", .choice, optional: true, choices: Article.allCases.map { .init($0.rawValue, $0.name) }),
        FormField("quantity", .integer, optional: true),
      ], buttons: [("put", "Put into the cart"), ("order", "Order")]
    ) { button, values in
      if button == "order" { return .order }
      guard let article = values["article"].flatMap(Article.init) else {
        throw Refusal.invalid("Choose an article.", field: "article")
      }
      return .put(article, quantity: values["quantity"].flatMap { Int($0) } ?? 1)
    }
    try site.form(
      DeliveryForm.self, title: { "How shall we send goods for \(Euros.text($0.cart.total))?" },
      facts: { _ in Shipping.allCases.map { ($0.rawValue.capitalized, Euros.text($0.price)) } },
      fields: [FormField("street", optional: true, autocomplete: "street-address")])
    try site.page(BankForm.self, title: { "Please confirm \(Euros.text($0.total)) at your bank" }) { prompt, form in
      "<p><a href=\"\(prompt.page)\">To the bank</a></p>\n\(form.standard)"
    }
    try site.signal(
      PaymentStep.result, at: "payments",
      verify: { try BankSignature.verify($0, secret: await goods.bank.secret, now: Date()) }
    ) { request in
      let notice = try JSONDecoder().decode(BankNotice.self, from: Data(request.body))
      return SignalMessage(flow: FlowID(notice.order), key: notice.payment, value: notice)
    }
  }

  private static func serveExpenses(at site: inout FlowSite, _ host: FlowHost) async throws {
    let expenses = try await host.register(ExpenseFlow.make(), stores: [BallotForm.self, BookingForm.self])
    try site.serve(
      expenses, title: "Expense", startedBy: ExpenseForm.self, labels: { _, who in Rights.label(who) },
      finished: { "<p>\($0.text)</p>" }
    ) { form, who in try Claim(form, by: who?.id ?? "") }
    try site.form(
      BallotForm.self, title: { "Shall we pay \(Euros.text($0.claim.cents))?" },
      facts: { [("For", $0.claim.purpose), ("Spent by", $0.claim.submitter)] },
      fields: [FormField("comment", .multiline, optional: true)],
      buttons: [("approve", "Approve"), ("reject", "Reject")]
    ) { button, values in Ballot(isApproved: button == "approve", comment: values["comment"] ?? "") }
    try site.form(
      BookingForm.self, title: { "To which account is \($0.claim.purpose) booked?" },
      facts: { [("Amount", Euros.text($0.claim.cents)), ("Spent by", $0.claim.submitter)] })
  }
}

/// The start form of a checkout: a button.
struct NewCart: Codable, Sendable {}

extension CartView {
  /// The cart for people.
  fileprivate var facts: [(name: String, value: String)] {
    let lines = cart.lines.map { line in
      (name: line.article.name, value: "\(line.quantity) × \(Euros.text(line.price))")
    }
    let offers = Article.allCases.filter { article in !cart.lines.contains { $0.article == article } }
      .map { (name: $0.name, value: "\(Euros.text(prices[$0] ?? $0.openingPrice)) each") }
    return lines + [("Total", Euros.text(cart.total))] + offers
      + [("Note", notice)].compactMap { name, value in
        value.map { (name, $0) }
      }
  }
}
