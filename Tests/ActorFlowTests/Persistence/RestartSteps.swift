import ActorFlow

// The steps of restarted flows. Each traces `NAME:backUp`, and `once KEY` for the work of a `once`.

func tracedAsker(_ name: String, _ trace: Trace) -> Step<String, String> { Step(name) { Asker(trace) } }

/// Charges once, and refunds once; returns its input and a receipt.
func tracedCharger(_ name: String, _ trace: Trace) -> Step<String, String> {
  .scripted(
    name,
    backUp: { context in
      trace.add("\(name):backUp")
      guard case .done = await context.record("charge", as: String.self) else { return }
      try await context.once("refund") { key in trace.add("once \(key)") }
    }
  ) { input, context in
    input
      + (try await context.once("charge") { key in
        trace.add("once \(key)")
        return "r"
      })
  }
}

func tracedStep(
  _ name: String, _ trace: Trace, backUpError error: Failure? = nil, proceed: @escaping ScriptedStep.Proceed
) -> Step<String, String> {
  .scripted(
    name,
    backUp: { _ in
      trace.add("\(name):backUp")
      if let error { throw error }
    }, proceed: proceed)
}

/// A menu that shows its input and the latest number it has received.
actor PersistedMenu: ReceivingStep {
  private let trace: Trace
  private var latest = 0
  init(_ trace: Trace) { self.trace = trace }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    "\(input)\(latest)\(try await context.ask(Form(text: "\(input)\(latest)")))"
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
  func receive(_ update: Int) { latest = update }
}

/// Receives an 8 first, and a 5 only after it.
actor PersistedPair: ReceivingStep {
  private let trace: Trace
  private var latest = 0
  init(_ trace: Trace) { self.trace = trace }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    "\(input)\(latest)\(try await context.ask(Form(text: "\(latest)")))"
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
  func receive(_ update: Int) throws {
    if update == 5, latest != 8 { throw Failure("the 8 is forgotten") }
    latest = update
  }
}

/// Asks, and receives numbers.
actor PersistedBasket: ReceivingStep {
  private let trace: Trace
  private var latest = 0
  init(_ trace: Trace) { self.trace = trace }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    let answer = try await context.ask(Form(text: "\(latest)"))
    return "\(input)\(latest)\(answer)"
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
  func receive(_ update: Int) { latest = update }
}
