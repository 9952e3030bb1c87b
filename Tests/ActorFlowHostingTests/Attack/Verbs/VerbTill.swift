import ActorFlow
import ActorFlowHosting

/// The payments and refunds of one flow.
final class VerbTill: Sendable {
  private let state = Lock((paid: Set<String>(), refunded: [String](), voided: Set<String>()))
  let isBroken = Variable(false)

  var paid: Set<String> { state.withLock { $0.paid } }
  var refunded: [String] { state.withLock { $0.refunded.sorted() } }

  func pay(_ key: String) { state.withLock { if !$0.voided.contains(key) { $0.paid.insert(key) } } }

  /// Refunds a payment; one that may not have been made is void when it arrives.
  func refund(_ key: String) {
    state.withLock { state in
      if state.paid.contains(key) { state.refunded.append(key) } else { state.voided.insert(key) }
    }
  }
}

/// Pays, asks, and works at a gate or fails if that is the answer.
actor VerbPayer: FlowStep {
  private let till: VerbTill
  private let gate: Variable<Gate>
  init(_ till: VerbTill, _ gate: Variable<Gate>) { (self.till, self.gate) = (till, gate) }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    _ = try await context.once("charge") { [till] key in
      till.pay(key)
      return key
    }
    let answer = try await context.ask(VerbForm(text: input, assignees: []))
    if answer == "work" { await gate.value.pass() }
    if answer == "fail" { throw Boom() }
    return input + answer
  }

  func backUp(context: RollbackContext) async throws {
    if till.isBroken.value { throw Boom() }
    switch await context.record("charge", as: String.self) {
    case .none: break
    case .done(let key), .interrupted(let key): try await context.once("refund") { [till] _ in till.refund(key) }
    }
  }
}

struct VerbForm: ReassignablePrompt, Codable {
  typealias Answer = String
  static let promptName = "VerbForm"
  var text: String
  var assignees: [String]
}
