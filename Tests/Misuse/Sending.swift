// A class that is neither an actor nor Sendable is no step and no value.
import ActorFlow

// error: non-actor type 'ClassStep' cannot conform to the 'Actor' protocol
// error: type 'ClassStep' does not conform to protocol 'Actor'
final class ClassStep: FlowStep {
  func proceed(_ cart: Cart, context: StepContext) async throws -> Order { Order() }
  func backUp(context: RollbackContext) {}
}

final class Checker {
  var count = 0
}

func madeOfClass() {
  _ = Step("check") { Checker() }  // error: type 'Checker' does not conform to the 'Sendable' protocol
}
