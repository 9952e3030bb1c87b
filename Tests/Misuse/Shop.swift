// Types shared by the programs in this folder. None of the programs compiles; see .ci/misuse.py.
import ActorFlow

struct Cart: Sendable {}
struct Address: Sendable {}
struct Order: Sendable, Codable {}
struct Receipt: Sendable, Codable {}

struct AddressForm: Prompt {
  typealias Answer = Address
}

actor ShippingStep: FlowStep {
  func proceed(_ cart: Cart, context: StepContext) async throws -> Order { Order() }
  func backUp(context: RollbackContext) {}
}

actor ReviewStep: FlowStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Order { order }
  func backUp(context: RollbackContext) {}
}

actor PaymentStep: FlowStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Receipt { Receipt() }
  func backUp(context: RollbackContext) {}
}

let checkout = Flow("checkout") {
  Step("shipping", ShippingStep.init)
  Step("payment", PaymentStep.init)
}
