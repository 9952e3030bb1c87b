package import ActorFlow

extension Shop {
  /// The checkout of this shop: a shopping list goes in, most often an empty one, and a receipt comes out.
  ///
  /// The basket is a rendered step; each question after it is a step of its own, so `back` leads to the question before,
  /// and from the first one to the basket as it was left. Goods are held back when the customer checks out and reserved
  /// for good while the fraud desk looks at the order, the card is charged when everything else is known, and the parcel
  /// leaves last; each of these knows how to undo itself, and the coordinator calls it when it has to. All that the flow
  /// knows can be stored, so it can be hosted as it is.
  ///
  /// - Parameters:
  ///   - upsell: What else is offered.
  ///   - idle: Ends the checkout when nobody has answered for this long.
  ///   - patience: How long a payment may stay unconfirmed.
  package func checkout(
    upsell: Flow<Order, Order>? = nil, expiringAfter idle: Duration? = nil,
    confirmedWithin patience: Duration = .seconds(60)
  ) -> Flow<ShoppingList, Receipt> {
    // Where a host keeps it, too: an order that fails is undone, and does not wait for somebody to try again.
    let steps = Flow {
      FilledBasket(shop: self)
      Purchase(shop: self, upsell: upsell, patience: patience)
    }.onFailure(.rollBack)
    return Flow("checkout") { if let idle { steps.expires(afterIdle: idle) } else { steps } }
  }
}

/// Everything after the basket: what is held back is ordered, paid and sent.
package struct Purchase: FlowComponent {
  private let shop: Shop
  private let upsell: Flow<Order, Order>?
  private let patience: Duration

  /// - Parameters:
  ///   - upsell: What else is offered.
  ///   - patience: How long a payment may stay unconfirmed.
  package init(shop: Shop, upsell: Flow<Order, Order>? = nil, patience: Duration = .seconds(60)) {
    (self.shop, self.upsell, self.patience) = (shop, upsell, patience)
  }

  package var flow: Flow<Basket, Receipt> {
    Flow {
      CustomerQuestions(shop: shop)
      DeliveryQuestion().carrying(Order.init)
      if let upsell { upsell }
      Checks(shop: shop)
      PaymentLoop(shop: shop)
      Step("confirmation") { [patience] in ConfirmationStep(within: patience) }
      Step("dispatch") { [shop] in DispatchStep(shop) }
    }
  }
}
