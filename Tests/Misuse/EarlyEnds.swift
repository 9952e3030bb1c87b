// Steps that may finish their flow early.
import ActorFlow

enum Refusal: Sendable {
  case underage
}

let age = Step("age") { (order: Order) -> Exit<Order, Receipt> in .proceed(order) }
let stock = Step("stock") { (order: Order) -> Exit<Order, Refusal> in .proceed(order) }

let nextTakesOther = Flow("order", finishingWith: Receipt.self) {
  age
  // error: cannot convert … 'Flow<Cart, Order>' … 'Flow<Exit<Order, Receipt>, Order>'
  Step("shipping", ShippingStep.init)
}

func otherOutcome() {
  // warning: a component finishes with another type than those before it: convert its Exit with '.map'
  // error: call to global actor 'FinishesWithAnotherType'-isolated static method
  _ = Flow("order", finishingWith: Receipt.self) {
    age
    stock
    Step("payment", PaymentStep.init)
  }
}

// error: the types 'Exit<Order, Receipt>' and 'Exit<Receipt, Receipt>' be equivalent
let lastReturnsOther = Flow("order", finishingWith: Receipt.self) {
  Step("shipping", ShippingStep.init)
  age
}

// error: the types 'Receipt' and 'Exit<Receipt, Receipt>' be equivalent
let nothingFinishes = Flow("order", finishingWith: Receipt.self) {
  Step("payment", PaymentStep.init)
}

func neverEnded(_ coordinator: FlowCoordinator) async throws {
  let order = Flow("order") {
    age
    Step("payment", PaymentStep.init)
  }
  // error: cannot convert value of type 'Exit<Receipt, Receipt>' to specified type 'Receipt'
  let receipt: Receipt = try await coordinator.run(order, with: Order())
  _ = receipt
}
