// A closure's value is the step's output. A closure that creates a step, as is usual for a rendered step, would pass
// the step on and never run it.
import ActorFlow

func make(_ cart: Cart) async throws -> ShippingStep { ShippingStep() }

actor SizedStep: FlowStep {
  init(_ cart: Cart) throws {}
  func proceed(_ cart: Cart, context: StepContext) async throws -> Order { Order() }
  func backUp(context: RollbackContext) {}
}

func byInput() {
  _ = Flow("checkout") {
    // warning: the step would never run: write 'Step("name") { MyStep() }'; 'proceed' gets the input
    Step("shipping") { (cart: Cart) in ShippingStep() }  // error: call to global actor 'StepIsMadeWithoutItsInput'
  }
  // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (_: Cart) in ShippingStep() }
}

func byInputOfAnotherType() {
  // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (order: Order) in ShippingStep() }
}

func byNoInput() {
  // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (_: Void) in ShippingStep() }
}

func withoutType() {
  _ = Flow("checkout") {
    // error: the step would never run: write 'Step("name") { MyStep() }'; 'proceed' gets the input
    Step("shipping") { _ in ShippingStep() }
  }
  _ = Step("payment") { order in PaymentStep() }  // error: write 'Step("name") { MyStep() }'
  _ = Step("review") { order, context in ReviewStep() }  // error: 'proceed' gets the context
}

func fromInput() {
  _ = Flow("checkout") {
    // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
    Step("shipping") { try SizedStep($0) }
  }
  // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping", SizedStep.init)
  // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping", make)
}

func withContext() {
  // warning: 'proceed' gets the context // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (cart: Cart, context: StepContext) in ShippingStep() }
}

func throwing() {
  // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (cart: Cart) in
    if Bool.random() { throw CancellationError() }
    return try await make(cart)
  }
}

func ofSomeType() {
  // warning: the step would never run: write 'Step.erased("name") { … }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (cart: Cart) -> any FlowStep<Cart, Order> in ShippingStep() }
  // warning: write 'Step.erased("name") { … }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { () -> any FlowStep<Cart, Order> in ShippingStep() }
}

@MainActor func onTheMainActor() {
  // warning: write 'Step("name") { MyStep() }' // error: global actor 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (cart: Cart) in ShippingStep() }
}

func inAsync() async {
  // error: unavailable from asynchronous contexts; the step would never run // error: 'StepIsMadeWithoutItsInput'
  _ = Step("shipping") { (cart: Cart) in ShippingStep() }
  // error: unavailable from asynchronous contexts; the step would never run
  _ = await Step("shipping") { (cart: Cart) in ShippingStep() }
}
