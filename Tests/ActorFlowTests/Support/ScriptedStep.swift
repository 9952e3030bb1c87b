import ActorFlow

/// A step whose code is given by a test.
actor ScriptedStep: FlowStep {
  typealias Proceed = @Sendable (String, StepContext) async throws -> String
  typealias BackUp = @Sendable (RollbackContext) async throws -> Void

  private let work: Proceed
  private let undo: BackUp

  init(backUp undo: @escaping BackUp = { _ in }, proceed work: @escaping Proceed) {
    self.work = work
    self.undo = undo
  }

  func proceed(_ input: String, context: StepContext) async throws -> String { try await work(input, context) }
  func backUp(context: RollbackContext) async throws { try await undo(context) }
}

/// A step that asks and traces the number of its instance, and whose `backUp` can fail.
actor Numbered: FlowStep {
  private let trace: Trace
  private let number: Int
  private let error: (any Error)?

  init(_ number: Int, _ trace: Trace, failing error: (any Error)? = nil) {
    self.number = number
    self.trace = trace
    self.error = error
  }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name)\(number):proceed(\(input))")
    return input + (try await context.ask(Form(text: input)))
  }

  func backUp(context: RollbackContext) throws {
    trace.add("\(context.step.name)\(number):backUp")
    if let error { throw error }
  }
}

/// Counts the instances that a factory has made: 1, 2, 3….
final class Count: Sendable {
  private let value = Lock(0)
  @discardableResult func next() -> Int {
    value.withLock {
      $0 += 1
      return $0
    }
  }
  var now: Int { value.withLock { $0 } }
}

extension Step where Input == String, Output == String {
  /// Returns a step that asks, with a new number for each instance.
  static func numbered(_ name: String, _ trace: Trace, failing error: (any Error)? = nil) -> Step {
    let count = Count()
    return Step(name) { Numbered(count.next(), trace, failing: error) }
  }

  /// Returns a step whose code is given by a test.
  static func scripted(
    _ name: String, backUp: @escaping ScriptedStep.BackUp = { _ in },
    proceed: @escaping ScriptedStep.Proceed
  ) -> Step {
    Step(name) { ScriptedStep(backUp: backUp, proceed: proceed) }
  }
}

/// An error for tests that must tell one error from another.
struct Failure: Error, Equatable, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
