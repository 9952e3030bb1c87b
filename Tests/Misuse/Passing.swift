// Components that let their value through, and empty ones, where the value cannot pass.
import ActorFlow

let audit = Step("audit") { (_: Void) in 1 }

// error: the cases return another type: give 'Otherwise' a component that returns it too
let otherwisePasses = Switch {
  Case("large", where: { (order: Order) in true }) { Step("payment", PaymentStep.init) }
  Otherwise {}
}

let casePasses = Switch {
  Case("large", where: { (order: Order) in true }) { Step("payment", PaymentStep.init) }
  Case("small", where: { (order: Order) in true }) {}  // error: '…<Order, Order>' … '…<Order, Receipt>'
}

let branchPasses = Route {
  When(Order.self) {}
  When(Cart.self) {}  // error: 'When<Cart, Cart>' … 'When<Cart, Order>'
}

let emptyLoop = Loop {}  // error: the last component of a Loop's body must return an Again

let emptyForEach = ForEach({ (cart: Cart) in [cart] }) {}  // error: the branch of a ForEach needs a component

// error: a branch of a Parallel returns a result: leave out one that only passes a value on
let emptyBranch = Parallel {
  Step("payment", PaymentStep.init)
  Flow {}
}

// error: a branch of a Parallel returns a result: leave out one that only passes a value on
let passingBranch = Parallel {
  Step("payment", PaymentStep.init)
  audit.passingThrough()
}

// error: no exact matches in call to static method 'buildPartialBlock'
// note: found candidate with type 'Flow<PassingThrough, Int>'
let mapped = Flow("order") {
  Step("shipping", ShippingStep.init)
  audit.passingThrough().map { _ in 1 }
}

func alone(_ coordinator: FlowCoordinator) async throws {
  // error: cannot convert value of type 'Order' to expected argument type 'PassingThrough'
  _ = try await coordinator.run(audit.passingThrough(), with: Order())
}
