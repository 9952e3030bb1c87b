import ActorFlow

/// The actions of a test, in order.
final class Trace: Sendable {
  private let lines = Lock<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }

  /// Returns all lines since the last call.
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

/// Charges once, then asks for two cards; refunds what its records list. Traces `made`, `charge`, `fee`, `refund`.
actor ChargingStep: FlowStep {
  private let trace: Trace
  init(_ trace: Trace) {
    self.trace = trace
    trace.add("made")
  }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    let charge = try await context.once("charge") { [trace] _ in
      trace.add("charge")
      return "charge"
    }
    let first = try await context.ask(CardForm())
    try await context.once("fee") { [trace] _ in trace.add("fee \(first)") }
    let second = try await context.ask(CardForm())
    return "\(charge) \(first) \(second)"
  }

  func backUp(context: RollbackContext) async {
    if case .done(let charge) = await context.record("charge", as: String.self) { trace.add("refund \(charge)") }
  }
}
