// Concurrent branches, and repeated components.
import ActorFlow

let branchTakesOther = Parallel {  // error: generic parameter … could not be inferred
  Step("payment", PaymentStep.init)
  Step("shipping", ShippingStep.init)  // error: cannot convert … 'Flow<Cart, Order>' … 'Flow<Order, Order>'
}

let joinTakesOther = Parallel {  // error: <Order, Receipt, Order>' … <Order, Receipt, Receipt>'
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)
} join: { (receipt: Receipt, other: Receipt) in
  receipt
}

let afterParallel = Flow("order") {
  Parallel {
    Step("payment", PaymentStep.init)
    Step("review", ReviewStep.init)
  }
  Step("shipping", ShippingStep.init)  // error: cannot convert … 'Flow<Cart, Order>' … 'Flow<(Receipt, Order), Order>'
}

let otherResults = Race {  // error: generic parameter … could not be inferred
  Step("payment", PaymentStep.init)
  Step("review", ReviewStep.init)  // error: cannot convert … '[Flow<Order, Order>]' … '[Flow<Order, Receipt>]'
}

let noBranch = Race {  // error: a Race needs at least one branch
}

// error: generic parameter … could not be inferred
let bodyThatNeverEnds = Loop {  // error: the types 'Order' and 'Again<Order, Output>'
  Step("review", ReviewStep.init)
}

// error: cannot convert value of type 'Cart' … 'Order'
let elementsTakeOther = ForEach({ (cart: Cart) in [Cart()] }) {
  Step("payment", PaymentStep.init)
}

// error: cannot convert … 'Order' … 'Receipt'
let recovery = Step("payment", PaymentStep.init).recover { _ in Order() }
