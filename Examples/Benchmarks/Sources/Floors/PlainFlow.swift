import Synchronization

/// A plain flow: the factories of its steps, in order.
public struct PlainFlow: Sendable {
  typealias Factory = @Sendable () -> any PlainStep
  let name: String
  let factories: [(name: String, make: Factory)]
}

/// The flows of the benchmarks.
extension PlainFlow {
  /// Automatic steps.
  public static func automatic(_ count: Int, thenAsking asks: Bool = false) -> PlainFlow {
    let step: (String, Factory) = ("step", { Increment() })
    let ask: (String, Factory) = ("ask", { Ask(times: 1) })
    return PlainFlow(
      name: "automatic", factories: Array(repeating: step, count: count) + Array(repeating: ask, count: asks ? 1 : 0))
  }

  /// Eight steps; the fifth asks.
  public static func waitingAtFive() -> PlainFlow {
    PlainFlow(
      name: "waiting",
      factories: ["one", "two", "three", "four", "five", "six", "seven", "eight"].map { name -> (String, Factory) in
        name == "five" ? (name, { Ask(times: 1) }) : (name, { Increment() })
      })
  }

  /// Steps that ask, one after another.
  public static func asking(_ count: Int, times: Int = 1) -> PlainFlow {
    let step: (String, Factory) = ("ask", { Ask(times: times) })
    return PlainFlow(name: "asking", factories: Array(repeating: step, count: count))
  }
}

/// The least a step can do.
actor Increment: PlainStep {
  func proceed(_ input: Int, context: PlainContext) -> Int { input + 1 }
  func backUp() {}
}

/// Asks a number of questions and adds the answers.
actor Ask: PlainStep {
  struct Number: Sendable {}
  private let times: Int

  init(times: Int) { self.times = times }

  func proceed(_ input: Int, context: PlainContext) async throws -> Int {
    var sum = input
    for _ in 0..<times { sum += try await context.ask(Number(), for: Int.self) }
    return sum
  }

  func backUp() { PlainFlow.undoings.wrappingAdd(1, ordering: .relaxed) }
}

extension PlainFlow {
  fileprivate static let undoings = Atomic<Int>(0)

  /// The number of times any question was backed up.
  public static var undone: Int { undoings.load(ordering: .relaxed) }
}
