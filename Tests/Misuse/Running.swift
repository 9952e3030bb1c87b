// Inputs, outputs and answers of a flow.
import ActorFlow

func input(_ coordinator: FlowCoordinator) async throws {
  _ = try await coordinator.run(checkout, with: Order())  // error: cannot convert … 'Order' … 'Cart'
}

func noInput(_ coordinator: FlowCoordinator) async throws {
  _ = try await coordinator.run(checkout)  // error: 'Cart' and '()'
}

func needless(_ coordinator: FlowCoordinator) async throws {
  let ping = Step("ping") { (_: Void) in 1 }
  _ = try await coordinator.run(ping, with: Cart())  // error: cannot convert … 'Cart' … 'Void'
}

func output(_ coordinator: FlowCoordinator) async throws {
  let order: Order = try await coordinator.run(checkout, with: Cart())  // error: cannot convert … 'Receipt' … 'Order'
  _ = order
}

func answer(_ coordinator: FlowCoordinator) async throws {
  // error: no exact matches in call to instance method 'answer'
  // note: 'AddressForm.Answer' (aka 'Address') … 'String'
  try await coordinator.answer(AddressForm.self, with: "Main St 1")
}

func asked(_ context: StepContext) async throws {
  let name: String = try await context.ask(AddressForm())  // error: cannot convert … 'Address') … 'String'
  _ = name
}

func noPrompt(_ context: StepContext) async throws {
  _ = try await context.ask(Address())  // error: requires that 'Address' conform to 'Prompt'
}

// More cases may be added: a switch in another package must handle unknown ones.
func change(_ change: Change) -> Bool {
  switch change {  // error: 'Change' may have additional unknown values
  case .finished, .failed, .abandoned, .cancelled, .rolledBack: true
  case .launched, .moved, .skipped, .asked, .updated, .answered, .withdrawn, .leaving, .backedUp: false
  case .caught, .unwound, .joined, .waiting, .received, .stoppedWaiting, .suspended, .finalizing: false
  }
}

func status(_ status: Status) -> Bool {
  switch status {  // error: 'Status' may have additional unknown values
  case .ended: true
  case .idle, .running, .leaving, .rollingBack: false
  }
}
