// A step that does not fit the one before it: the error stands at that step and names both types.
import ActorFlow

let first = Flow("checkout") {
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)  // error: cannot convert … 'Flow<Order, Order>' … 'Flow<Receipt, Order>'
}

let middle = Flow("checkout") {
  Step("shipping", ShippingStep.init)
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)  // error: cannot convert … 'Flow<Order, Order>' … 'Flow<Receipt, Order>'
  Step("thanks") { (order: Order) in "Thank you" }
}

let closures = Flow("checkout") {
  Step("count") { (cart: Cart) in 42 }
  // error: cannot convert … 'Flow<Order, Order>' … 'Flow<Int, Order>'
  Step("review") { (order: Order, context: StepContext) in order }
}

let factories = Flow("checkout") {
  Step("shipping") { ShippingStep() }
  Step("shipping again") { ShippingStep() }  // error: cannot convert … 'Flow<Cart, Order>' … 'Flow<Order, Order>'
}

let nested = Flow("twice") {
  checkout
  checkout  // error: cannot convert … 'Flow<Cart, Receipt>' … 'Flow<Receipt, Receipt>'
}

// error: 'Receipt' … 'Order'
let declared: Flow<Cart, Receipt> = Flow("checkout") {
  Step("shipping", ShippingStep.init)
}

struct Delivery: FlowComponent {
  @FlowBuilder var flow: Flow<Cart, Receipt> {
    Step("shipping", ShippingStep.init)
    Step("payment", PaymentStep.init)
    Step("review", ReviewStep.init)  // error: cannot convert … 'Flow<Order, Order>' … 'Flow<Receipt, Order>'
  }
}
