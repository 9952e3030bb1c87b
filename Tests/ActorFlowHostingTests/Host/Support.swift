import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct Form: Prompt, Codable {
  typealias Answer = String
  var text: String
  func validate(_ answer: String) throws { if answer.isEmpty { throw Refused() } }
}

struct Approval: AssignedPrompt, Codable {
  struct Answer: Codable, Sendable, Equatable { var isApproved: Bool }
  var amount: Int
  var assignees: [String]
  var due: Date?
  func authorize(_ principal: Principal?) throws {
    guard let principal, assignees.contains(principal.id) else { throw Refused() }
  }
}

struct Refused: Error, Equatable {}
struct Boom: Error, Equatable {}

/// Asks, and appends the answer to its input. Counts its instances.
actor Asker: FlowStep {
  private let log: Log
  init(_ log: Log = Log()) {
    self.log = log
    log.add("made")
  }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    input + (try await context.ask(Form(text: input)))
  }
  func backUp(context: RollbackContext) { log.add("undo \(context.step.name)") }
}

/// The actions of a test, in order.
final class Log: Sendable {
  private let lines = Lock<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// A value that a test changes while steps read it.
final class Variable<Value: Sendable>: Sendable {
  private let stored: Lock<Value>
  init(_ value: Value) { stored = Lock(value) }
  var value: Value {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}

/// Returns the code of the error that `body` throws.
func code(_ body: () async throws -> some Any) async -> FlowError.Code? {
  do {
    _ = try await body()
    return nil
  } catch { return (error as? FlowError)?.code }
}

extension FlowHost {
  /// Answers the one open question of a flow with JSON.
  @discardableResult
  func answerNext(_ id: FlowID, _ json: String, key: String? = nil) async throws -> FlowView {
    let flow = flow(id)
    let time = Duration.seconds(600)
    let question = try #require(try await flow.settled(within: time).questions.first?.id)
    try await flow.answer(question, json: json.utf8, key: key)
    return try await flow.settled(within: time)
  }
}
