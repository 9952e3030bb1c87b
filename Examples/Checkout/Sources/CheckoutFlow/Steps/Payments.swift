package import ActorFlow

/// Takes the money: three tries with a card, then another method is asked for.
package struct Payments: FlowComponent {
  let shop: Shop

  package var flow: Flow<Bill, PaidOrder> {
    Flow("payment") {
      Step("card") { [shop] in CardStep(shop) }
      Switch {
        Case("later", { (payable: CardStep.Payable) in payable.bill }) {
          Ask("method") { (bill: Bill) in MethodForm(bill: bill) }.carrying { bill, method in
            PaidOrder(order: bill.order, settlement: .later(method))
          }
        }
        Case("paid", { (payable: CardStep.Payable) in payable.order }) {}
      }
    }
  }
}
