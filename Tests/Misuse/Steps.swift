// A step declares how it is compensated. There is no default, so a typo in a refund does not go unnoticed.
import ActorFlow

// error: does not conform to protocol 'FlowStep'
// note: requires function 'backUp(context:)'
actor NeverCompensated: FlowStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Receipt { Receipt() }
}

// error: does not conform to protocol 'FlowStep'
// note: requires function 'backUp(context:)'
actor Mistyped: FlowStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Receipt { Receipt() }
  func backup(context: RollbackContext) async throws {}
}

struct NoActor: FlowStep {  // error: non-class type 'NoActor' cannot conform to class protocol
  func proceed(_ order: Order, context: StepContext) async throws -> Receipt { Receipt() }
  func backUp(context: RollbackContext) async throws {}
}

// error: does not conform to protocol 'SkippableStep'
// note: requires function 'skip(_:context:)'
actor NeverSkipped: SkippableStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Order { order }
  func backUp(context: RollbackContext) {}
  func shouldSkip(_ order: Order) -> Bool { true }
}

// error: does not conform to protocol 'ReceivingStep'
// note: requires function 'receive'
actor NeverReceiving: ReceivingStep {
  typealias Update = Receipt
  func proceed(_ order: Order, context: StepContext) async throws -> Order { order }
  func backUp(context: RollbackContext) {}
  func recieve(_ receipt: Receipt) {}
}

// A `backUp` cannot ask, update or back up.
actor Asking: FlowStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Receipt { Receipt() }
  func backUp(context: RollbackContext) async throws {
    _ = try await context.ask(AddressForm())  // error: value of type 'RollbackContext' has no member 'ask'
    try await context.update(AddressForm())  // error: value of type 'RollbackContext' has no member 'update'
    try context.backUp()  // error: value of type 'RollbackContext' has no member 'backUp'
    try context.abandon("why")  // error: value of type 'RollbackContext' has no member 'abandon'
  }
}

struct Unrecordable: Sendable {}

// The result of `once` is recorded.
func make(_ context: StepContext) async throws -> Unrecordable {
  try await context.once("make") { key in Unrecordable() }  // error: its type must be Codable
}

func rollback(_ context: RollbackContext) async throws -> Unrecordable {
  try await context.once("make") { key in Unrecordable() }  // error: its type must be Codable
}

func made(_ context: StepContext) async throws {
  _ = await context.record("make", as: Unrecordable.self)  // error: requires that 'Unrecordable' conform to
}

// A factory that does not suspend runs on no actor; `{ await makePayment() }` calls it on the main actor.
@MainActor func makePayment() -> PaymentStep { PaymentStep() }

let onTheMainActor = Flow<Order, Receipt> {
  Step("pay") { @MainActor in makePayment() }  // error: loses global actor 'MainActor'
}

// An update goes to a step that receives it, and is of the type that it receives.
actor Returning: FlowStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Order {
    // error: requires that 'NoReceiver' conform to 'ReceivingStep'
    // error: cannot convert value of type 'Order' to expected argument type 'NoReceiver.Update'
    try await context.backUp(to: NoReceiver.self, delivering: order)
    return order
  }
  func backUp(context: RollbackContext) {}
}

actor NoReceiver: FlowStep {
  func proceed(_ order: Order, context: StepContext) async throws -> Order { order }
  func backUp(context: RollbackContext) {}
}
