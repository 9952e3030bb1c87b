/// A step of a plain flow.
protocol PlainStep: Actor {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  func proceed(_ input: Input, context: PlainContext) async throws -> Output
  func backUp() async
}

extension PlainStep {
  /// Calls ``proceed(_:context:)`` with a value that comes from the step before.
  func proceed(erased input: any Sendable, context: PlainContext) async throws -> any Sendable {
    guard let input = input as? Input else { throw PlainError.wrongType }
    return try await proceed(input, context: context)
  }
}

/// The errors of a plain flow.
public enum PlainError: Error {
  case alreadyRunning, abandoned, cannotBackUp, noSuchQuestion, left, wrongType
}

/// The arguments of a running step besides its input.
struct PlainContext: Sendable {
  let coordinator: PlainCoordinator
  let visit: Visit

  /// Asks a question, and waits for its answer.
  func ask<Answer: Sendable>(_ prompt: any Sendable, for answer: Answer.Type) async throws -> Answer {
    let asker = OneShot()
    try await coordinator.ask(prompt, at: visit, asker)
    do {
      guard let answer = try await asker.value() as? Answer else { throw PlainError.wrongType }
      return answer
    } catch {
      await coordinator.withdraw(asker)
      throw error
    }
  }
}

/// A visit of a step. Visits form a linked stack.
public final class Visit: Sendable {
  public let depth: Int
  let node: Int
  let step: any PlainStep
  let input: any Sendable
  public let below: Visit?

  init(_ node: Int, _ step: any PlainStep, _ input: any Sendable, on below: Visit?) {
    (self.node, self.step, self.input, self.below) = (node, step, input, below)
    depth = (below?.depth ?? 0) + 1
  }
}
