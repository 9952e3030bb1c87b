// These compile, with a warning: an actor that could be a step, but does not say so.
import ActorFlow

actor Shipping {
  func proceed(_ cart: Cart, context: StepContext) async throws -> Order { Order() }
  func backUp(context: RollbackContext) {}
}

let byInit = Flow("checkout") {
  Step("shipping", Shipping.init)  // warning: this actor does not conform to FlowStep: its proceed will never run
}

let byClosure = Flow("checkout") {
  Step("cart") { Cart() }
  Step("shipping") { Shipping() }  // warning: this actor does not conform to FlowStep: its proceed will never run
}

let byInput = Flow("checkout") {
  // warning: this actor does not conform to FlowStep: its proceed will never run
  Step("shipping") { (_: Cart) in Shipping() }
}
