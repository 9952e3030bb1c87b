import ActorFlowTesting

@testable import ActorFlow

// Scenarios of a question and a signal, of which the first outcome counts.
extension RestartScenario {
  static let firsts: [RestartScenario] = [
    RestartScenario("the first of an answer and a signal: answers", answers) { flow($0) },
    RestartScenario("the first of an answer and a signal: signals, early ones among them", sendFirst) { flow($0) },
    RestartScenario("the first of an answer and a signal: neither comes in time", waitFirst) { flow($0) },
    RestartScenario("the first of an answer and a signal: each in turn", inTurn) { flow($0) },
    RestartScenario("the first of an answer and a signal in a child task, beside a wait", besideWorld) { trace in
      Flow("f") {
        tracedAsker("z", trace)
        tracedStep("b", trace) { input, context in
          async let first = text(of: context.first(of: Form(text: "1"), or: results, within: nil))
          async let other = context.wait(for: Signal<String>("other"))
          let both = try await (first, other)
          let answer = try await context.ask(Form(text: "2"))
          return "\(input) \(both.0) \(both.1) \(answer)"
        }
        tracedAsker("c", trace)
      }
    },
    RestartScenario("the first of an answer and a signal, given up by the step", givenUpWorld) { trace in
      Flow("f") {
        tracedAsker("z", trace)
        tracedStep("b", trace) { input, context in
          let other = try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await text(of: context.first(of: Form(text: "never"), or: results, within: nil)) }
            group.addTask { try await context.wait(for: Signal<String>("other")) }
            defer { group.cancelAll() }
            return try await group.next() ?? "-"
          }
          let first = try await text(of: context.first(of: Form(text: other), or: results, within: .seconds(60)))
          return "\(input) \(other) \(first) \(try await context.ask(Form(text: first)))"
        }
        tracedAsker("c", trace)
      }
    },
  ]

  private static let results = Signal<String>("results")

  /// Four races in one visit, and a back from behind it to the step before.
  private static func flow(_ trace: Trace) -> Flow<String, String> {
    Flow("f") {
      tracedAsker("z", trace)
      tracedStep("b", trace) { input, context in
        var text = input
        for number in 1...4 {
          let first = try await context.first(
            of: Form(text: "\(number)"), or: results, matching: { $0.hasPrefix("\(number)") },
            within: number == 2 ? nil : .seconds(Int64(10 * number)))
          text += " \(try Self.text(of: first))"
          let receipt = try await context.once("charge \(number)") { key in
            trace.add("once \(key)")
            return "r"
          }
          text += receipt
        }
        let named = try await context.first(of: Form(text: "named"), key: "k", or: results, within: nil)
        return text + " \(try Self.text(of: named)) \(try await context.wait(for: results))"
      }
      tracedAsker("c", trace)
    }
  }

  private static func text(of first: First<Reply<String>, String>?) throws -> String {
    switch first {
    case .answered(let reply)?: "\(reply.answer)@\(reply.question.debugDescription)"
    case .received(let value)?: value
    case nil: "late"
    }
  }

  private static func send(_ value: String, to run: PersistedRun) async throws -> Delivery {
    try await run.coordinator.send(value, to: results, key: value)
  }

  private static func prompt(_ position: Position) -> String? {
    position.questions.first.flatMap { $0.prompt as? Form }?.text
  }

  /// Sends what the last wait receives, when nothing is asked.
  private static let answers: World = { run, position in
    guard let question = position.questions.first else {
      _ = try await send("last", to: run)
      return
    }
    try await run.answerIt(question)
  }

  private static let sendFirst: World = { run, position in
    if position.questions.first?.step.name == "z" {
      // Each is for a later one, and must not be taken by those before it.
      for value in ["3 early", "9 last", "2 early"] { _ = try await send(value, to: run) }
    }
    guard position.questions.first?.step.name == "b", let prompt = prompt(position) else {
      return try await answers(run, position)
    }
    _ = try await send("\(prompt) sent", to: run)
  }

  private static let waitFirst: World = { run, position in
    guard let prompt = prompt(position), let number = Int(prompt), number != 2 else {
      return try await answers(run, position)
    }
    try await run.fireNextTimer()
  }

  private static let inTurn: World = { run, position in
    switch prompt(position) {
    case "1", "4": try await run.fireNextTimer()
    case "3": _ = try await send("3 sent", to: run)
    default: try await answers(run, position)
    }
  }

  /// Returns the position once both tasks of the step have come, also if it was made anew. Until then it may show the
  /// wait of one without the question of the other.
  private static func bothAsked(_ run: PersistedRun) async throws -> Position {
    while !Task.isCancelled {
      let machine = await run.coordinator.state.machine
      let isAlone = machine.main.waits.count == 1 && machine.signals.lastWait < 2
      if machine.main.reopening == nil, !isAlone { break }
      await Task.yield()
    }
    return try await run.coordinator.settled()
  }

  /// Lets both tasks of the step wait before anything comes.
  private static let besideWorld: World = { run, _ in
    let position = try await bothAsked(run)
    guard prompt(position) != "1" else {
      if position.waits.count == 2 { _ = try await send("first", to: run) }
      return
    }
    guard position.questions.isEmpty else { return try await answers(run, position) }
    _ = try await run.coordinator.send("o", to: Signal<String>("other"), key: "o")
  }

  /// Sends the signal to which the first race is lost, and a result that must reach the second one.
  private static let givenUpWorld: World = { run, _ in
    let position = try await bothAsked(run)
    guard prompt(position) == "never" else {
      if prompt(position) == "o" { _ = try await send("second", to: run) } else { try await answers(run, position) }
      return
    }
    guard position.waits.count == 2 else { return }
    _ = try await run.coordinator.send("o", to: Signal<String>("other"), key: "o")
  }
}
