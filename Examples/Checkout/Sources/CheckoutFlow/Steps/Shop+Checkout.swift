package import ActorFlow

extension Shop {
  /// The checkout of this shop: a basket goes in, a receipt comes out.
  ///
  /// Every question is a step of its own, so `back` leads to the question before. Goods are held back line by line,
  /// the card is charged when everything else is known, and the parcel leaves last; each of these knows how to undo
  /// itself, and the coordinator calls it when it has to.
  package var checkout: Flow<Basket, Receipt> {
    Flow("checkout") {
      BasketLines(shop: self)
      ContactQuestions().carrying(Request.init)
      AddressQuestions().carrying(Consignment.init)
      DeliveryQuestion().carrying(Order.init)
      Step("payment") { PaymentStep(self) }
      Step("dispatch") { DispatchStep(self) }
    }
  }
}
