// Optional, repeated and alternative components must fit on every path through them.
import ActorFlow

func leftOut(_ paid: Bool) {
  _ = Flow("checkout") {
    Step("shipping", ShippingStep.init)
    // error: an 'if' without 'else' may not change the type of the value: add an 'else'
    if paid {
      Step("payment", PaymentStep.init)
      // error: an 'if' without 'else' may not change the type of the value: add an 'else'
    }
  }
}

func chosen(_ paid: Bool) {
  _ = Flow("checkout") {
    Step("shipping", ShippingStep.init)
    if paid {
      Step("review", ReviewStep.init)
      // error: conflicting arguments … 'Flow<Order, Receipt>' vs. 'Flow<Order, Order>'
    } else {
      Step("payment", PaymentStep.init)
    }
  }
}

func switched(_ ways: Int) {
  _ = Flow("checkout") {
    Step("shipping", ShippingStep.init)
    switch ways {
    case 0: Step("review", ReviewStep.init)
    // error: conflicting arguments … 'Flow<Order, Order>' vs. 'Flow<Order, Receipt>'
    case 1: Step("payment", PaymentStep.init)
    default: Step("review", ReviewStep.init)
    }
  }
}

func repeated(_ times: Int) {
  _ = Flow("checkout") {
    Step("shipping", ShippingStep.init)
    for _ in 0..<times {
      Step("payment", PaymentStep.init)
      // error: cannot convert … '[Flow<Order, Receipt>]' … '[Flow<Order, Order>]'
    }
  }
}
