import ActorFlow
import ActorFlowTesting

struct AddressForm: Prompt {
  typealias Answer = String
  var hint = ""
  func validate(_ answer: String) throws { if answer.isEmpty { throw FormError(text: "street is missing") } }
}

struct CardForm: Prompt {
  typealias Answer = Int
}

struct FormError: Error, Equatable {
  var text: String
}

struct Declined: Error, Equatable {}

/// Asks for an address.
actor ShippingStep: FlowStep {
  func proceed(_ cart: String, context: StepContext) async throws -> String {
    let address = try await context.ask(AddressForm())
    return "\(cart) to \(address)"
  }
  func backUp(context: RollbackContext) {}
}

/// Asks for a card; declines number 0.
actor PaymentStep: FlowStep {
  func proceed(_ order: String, context: StepContext) async throws -> String {
    let card = try await context.ask(CardForm())
    guard card != 0 else { throw Declined() }
    return "\(order) by \(card)"
  }
  func backUp(context: RollbackContext) {}
}

/// shipping (asks), pricing (does not), payment (asks).
let checkout = Flow("checkout") {
  Step("shipping", ShippingStep.init)
  Step("pricing") { (order: String) in order + "!" }
  Step("payment", PaymentStep.init)
}

/// Asks for an address, but waits no longer than a minute.
actor HurriedStep: FlowStep {
  private let clock: any Clock<Duration>
  init(_ clock: any Clock<Duration>) { self.clock = clock }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await withThrowingTaskGroup(of: String.self) { group in
      group.addTask { try await context.ask(AddressForm()) }
      group.addTask { [clock] in
        try await clock.sleep(for: .seconds(60))
        return "nobody answered"
      }
      defer { group.cancelAll() }
      return try await group.next() ?? ""
    }
  }
  func backUp(context: RollbackContext) {}
}
