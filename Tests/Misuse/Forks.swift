// Concurrent branches, and repeated components.
import ActorFlow

let branchTakesOther = Parallel {
  Step("payment", PaymentStep.init)
  Step("shipping", ShippingStep.init)  // error: cannot convert … 'Flow<Cart, Order>' … 'Flow<Order, Order>'
}

let joinTakesOther = Parallel {  // error: <Order, Receipt, Order>' … <Order, Receipt, Receipt>'
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)
} join: { (receipt: Receipt, other: Receipt) in
  receipt
}

let mistakeInJoin = Parallel {
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)
} join: { receipt, order in
  order.total  // error: value of type 'Order' has no member 'total'
}

// error: pack expansion requires that 'Receipt, Order' and … have the same shape
let joinWithoutParameters = Parallel {
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)
} join: { receipt in  // error: could not infer pack element #0 from context
  receipt
}

let afterParallel = Flow("order") {
  Parallel {
    Step("payment", PaymentStep.init)
    Step("review", ReviewStep.init)
  }
  Step("shipping", ShippingStep.init)  // error: cannot convert … 'Flow<Cart, Order>' … 'Flow<(Receipt, Order), Order>'
}

let otherResults = Race {
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)  // error: cannot convert … '[Flow<Order, Order>]' … '[Flow<Order, Receipt>]'
}

let noBranch = Race {  // error: a Race needs at least one branch
}

let bodyThatNeverEnds = Loop {  // error: the last component of a Loop's body must return an Again
  Step("review", ReviewStep.init)
}

// error: cannot convert value of type 'Cart' … 'Order'
let elementsTakeOther = ForEach({ (cart: Cart) in [Cart()] }) {
  Step("payment", PaymentStep.init)
}

// error: cannot convert … 'Order' … 'Receipt'
let recovery = Step("payment", PaymentStep.init).recover { _ in Order() }
