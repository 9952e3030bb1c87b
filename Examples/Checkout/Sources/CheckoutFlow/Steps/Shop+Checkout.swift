package import ActorFlow

extension Shop {
  /// The checkout of this shop: a shopping list goes in, most often an empty one, and a receipt comes out.
  ///
  /// The basket is a rendered step; each question after it is a step of its own, so `back` leads to the question before,
  /// and from the first one to the basket as it was left. Goods are held back when the customer checks out and reserved
  /// for good while the fraud desk looks at the order, the card is charged when everything else is known, and the parcel
  /// leaves last; each of these knows how to undo itself, and the coordinator calls it when it has to.
  ///
  /// - Parameters:
  ///   - upsell: What else is offered.
  ///   - idle: Ends the checkout when nobody has answered for this long.
  ///   - patience: How long a payment may stay unconfirmed.
  package func checkout(
    upsell: Flow<Order, Order>? = nil, expiringAfter idle: Duration? = nil,
    confirmedWithin patience: Duration = .seconds(60)
  ) -> Flow<ShoppingList, Receipt> {
    let flow = Flow("checkout") {
      FilledBasket(shop: self)
      CustomerQuestions(shop: self)
      DeliveryQuestion().carrying(Order.init)
      if let upsell { upsell }
      Checks(shop: self)
      PaymentLoop(shop: self)
      Step("confirmation") { ConfirmationStep(within: patience) }
      Step("dispatch") { DispatchStep(self) }
    }
    return if let idle { flow.expires(afterIdle: idle) } else { flow }
  }
}
