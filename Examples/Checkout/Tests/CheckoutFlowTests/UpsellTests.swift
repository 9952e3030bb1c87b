import ActorFlow
import ActorFlowDocuments
import Testing

@testable import CheckoutFlow

@Suite struct UpsellTests {
  @Test("The shipped document offers a guest with a small basket nothing, and a member gift wrapping")
  func shipped() async throws {
    let shop = try Fixture.shop()
    let upsell = try Upsell.flow(of: Upsell.shippedText())
    _ = try await Fixture.checkout(shop, upsell: upsell) { customer in
      try await customer.goToPayment()
      _ = try await customer.asked(PaymentForm.self)
      while try await customer.coordinator.settled().questions.first?.prompt is AccountForm == false {
        try await customer.coordinator.backUp()
      }
      try await customer.answer(AccountForm.self, .member(email: "grace@example.org"))
      try await customer.answer(DeliveryForm.self, .standard)
      #expect(try await customer.asked(OfferForm.self).extra.title == "gift wrapping")
      try await customer.answer(OfferForm.self, true)
      let order = try await customer.asked(PaymentForm.self).order
      #expect(order.extras == [Extra(title: "gift wrapping", price: Money(cents: 350))])
      #expect(order.total == Money(cents: 4000 - 400 + 490 + 350))
      try await customer.coordinator.abandon()
    }
  }

  @Test("All mistakes of a document are reported at once, each with its position")
  func wrong() throws {
    let text = #"""
      {"version": 1, "flow": [
        {"step": "ofer"},
        {"step": "offer", "options": {"title": "a bow", "price": "cheap"}},
        {"switch": [{"case": "large-orders", "do": []}], "otherwise": []}
      ]}
      """#
    let error = #expect(throws: FlowDocumentError.self) { try Upsell.flow(of: text) }
    #expect(error?.mistakes.map(\.path) == ["$.flow[0].step", "$.flow[1].options", "$.flow[2].switch[0].case"])
    #expect(error?.mistakes.map(\.suggestion) == ["offer", nil, "large-order"])
  }
}
