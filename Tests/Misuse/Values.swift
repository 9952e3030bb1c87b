// Values between steps.
import ActorFlow

let mapped = Flow("checkout") {
  Step("shipping", ShippingStep.init).map { order in Address() }
  Step("payment", PaymentStep.init)  // error: cannot convert … 'Flow<Order, Receipt>' … 'Flow<Address, Receipt>'
}

let mapping = Flow("checkout") {
  // error: '@Sendable (Cart) -> Order' … '@Sendable (Order) throws -> Order'
  Step("shipping", ShippingStep.init).map { (cart: Cart) in Order() }
}

let carried = Flow("checkout") {
  Step("shipping", ShippingStep.init).carrying { cart, order in (cart, order) }
  Step("payment", PaymentStep.init)  // error: cannot convert … 'Flow<Order, Receipt>' … 'Flow<(Cart, Order), Receipt>'
}

final class Basket {
  var lines: [String] = []
}

actor BasketStep: FlowStep {  // error: 'Basket' does not conform to the 'Sendable' protocol
  func proceed(_ cart: Cart, context: StepContext) async throws -> Basket { Basket() }
  func backUp(context: RollbackContext) {}
}

struct BasketForm: Prompt {  // error: 'Basket') does not conform to the 'Sendable' protocol
  typealias Answer = Basket
}
