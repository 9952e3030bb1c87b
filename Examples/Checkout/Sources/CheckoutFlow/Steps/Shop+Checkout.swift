package import ActorFlow

extension Shop {
  /// The checkout of this shop: the input is a shopping list, most often an empty one, and the output a receipt.
  ///
  /// The basket is a rendered step; each question after it is a step of its own, so `back` leads to the question
  /// before, and from the first one to the basket as it was left. Goods are held when the customer checks out and
  /// reserved firmly while the fraud desk examines the order, the card is charged when everything else is known, and
  /// the parcel leaves last; each of these steps has a `backUp`, which the coordinator calls when needed. All values of
  /// the flow can be stored, so it can be hosted unchanged.
  ///
  /// - Parameters:
  /// - upsell: The offers beside the goods.
  /// - idle: Ends the checkout when no answer arrives for this long.
  /// - patience: The longest time a payment may stay unconfirmed.
  package func checkout(
    upsell: Flow<Order, Order>? = nil, expiringAfter idle: Duration? = nil,
    confirmedWithin patience: Duration = .seconds(60)
  ) -> Flow<ShoppingList, Receipt> {
    // On a host, too: an order that fails is rolled back, and does not wait for a retry.
    let steps = Flow {
      FilledBasket(shop: self)
      Purchase(shop: self, upsell: upsell, patience: patience)
    }.onFailure(.rollBack)
    return Flow("checkout") { if let idle { steps.expires(afterIdle: idle) } else { steps } }
  }
}

/// Everything after the basket: the held goods are ordered, paid and sent.
package struct Purchase: FlowComponent {
  private let shop: Shop
  private let upsell: Flow<Order, Order>?
  private let patience: Duration

  /// - Parameters:
  /// - upsell: The offers beside the goods.
  /// - patience: The longest time a payment may stay unconfirmed.
  package init(shop: Shop, upsell: Flow<Order, Order>? = nil, patience: Duration = .seconds(60)) {
    (self.shop, self.upsell, self.patience) = (shop, upsell, patience)
  }

  package var flow: Flow<Basket, Receipt> {
    Flow {
      CustomerQuestions(shop: shop)
      DeliveryQuestion().carrying(Order.init)
      if let upsell { upsell }
      Checks(shop: shop)
      Payments(shop: shop)
      Step("confirmation") { [patience] in ConfirmationStep(within: patience) }
      Step("dispatch") { [shop] in DispatchStep(shop) }
    }
  }
}
