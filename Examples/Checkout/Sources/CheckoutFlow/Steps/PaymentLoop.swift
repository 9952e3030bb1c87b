package import ActorFlow

/// Takes the money: three tries with a card, then another method is asked for.
///
/// Each try is a round of the loop and so a place of its own; its charge is compensated with it.
package struct PaymentLoop: FlowComponent {
  let shop: Shop

  package var flow: Flow<Bill, PaidOrder> {
    Flow("payment") {
      Loop {
        Switch {
          Case("card", where: { (bill: Bill) in bill.tries < Bill.tryLimit }) {
            Step("try") { [shop] in CardStep(shop) }
          }
          Otherwise {
            Ask("method") { (bill: Bill) in MethodForm(bill: bill) }.carrying { bill, method in
              Again<Bill, PaidOrder>.done(PaidOrder(order: bill.order, settlement: .later(method)))
            }
          }
        }
      }
    }
  }
}
