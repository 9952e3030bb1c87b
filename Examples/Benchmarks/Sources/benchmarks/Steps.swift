import ActorFlow
import Synchronization

/// The least a step can do.
actor Increment: FlowStep {
  func proceed(_ input: Int, context: StepContext) -> Int { input + 1 }
  func backUp(context: RollbackContext) {}
}

/// A question that any number answers.
struct Number: Prompt {
  typealias Answer = Int
}

/// Asks a number of questions and adds the answers.
actor Ask: FlowStep {
  private static let undoings = Atomic<Int>(0)

  /// The number of times any `Ask` was backed up.
  static var undone: Int { undoings.load(ordering: .relaxed) }

  private let times: Int

  init(times: Int = 1) { self.times = times }

  func proceed(_ input: Int, context: StepContext) async throws -> Int {
    var sum = input
    for _ in 0..<times { sum += try await context.ask(Number()) }
    return sum
  }

  func backUp(context: RollbackContext) { Self.undoings.wrappingAdd(1, ordering: .relaxed) }
}

/// The flows that are walked.
enum Flows {
  /// This many automatic steps.
  static func automatic(_ count: Int) -> Flow<Int, Int> {
    Flow {
      for _ in 0..<count { Step("step") { Increment() } }
    }
  }

  /// Eight steps; the fifth asks.
  static func waitingAtFive() -> Flow<Int, Int> {
    Flow("waiting") {
      Step("one") { Increment() }
      Step("two") { Increment() }
      Step("three") { Increment() }
      Step("four") { Increment() }
      Step("five") { Ask() }
      Step("six") { Increment() }
      Step("seven") { Increment() }
      Step("eight") { Increment() }
    }
  }

  /// Eight steps; the fifth shows a rendering, of a node with as many nodes nested below it.
  static func renderedAtFive(depth: Int = 0) -> Flow<Int, Int> {
    Flow("rendered") {
      Step("one") { Increment() }
      Step("two") { Increment() }
      Step("three") { Increment() }
      Step("four") { Increment() }
      Step("five") { (_: Int) in Adder(depth: depth) }
      Step("six") { Increment() }
      Step("seven") { Increment() }
      Step("eight") { Increment() }
    }
  }

  /// Two steps that ask, one after the other.
  static func twoQuestions() -> Flow<Int, Int> {
    Flow("questions") {
      Step("first") { Ask() }
      Step("second") { Ask() }
    }
  }

  /// Steps that ask, one after another.
  static func questions(_ count: Int) -> Flow<Int, Int> {
    Flow("asking") {
      for _ in 0..<count { Step("ask") { Ask() } }
    }
  }
}

/// A flow did not do what it was measured for.
struct WrongResult: Error, CustomStringConvertible {
  let description: String

  static func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    guard condition else { throw WrongResult(description: what()) }
  }
}
