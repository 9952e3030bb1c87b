import ActorFlow

/// Questions, backing up and abandoning. Each function returns nanoseconds.
struct Asking {
  let twoQuestions = Flows.twoQuestions()
  let waitingAtFive = Flows.waitingAtFive()
  let asking = Flows.questions(64)

  @concurrent func question(_ count: Int) async throws -> Double {
    let flow = Flow("questions") { Step("ask") { Ask(times: count) } }
    let coordinator = FlowCoordinator()
    let run = Task { try await coordinator.run(flow, with: 0) }
    var position = try await coordinator.settled()
    let time = try await nanosecondsOf {
      for _ in 0..<count { position = try await Self.answer(position, on: coordinator) }
    }
    let result = try await run.value
    try WrongResult.check(result == count, "\(count) answers made \(result)")
    return time / Double(count)
  }

  @concurrent func backUp(_ count: Int) async throws -> Double {
    let undone = Ask.undone
    let coordinator = FlowCoordinator()
    let flow = twoQuestions
    let run = Task { try await coordinator.run(flow, with: 0) }
    var position = try await Self.answer(try await coordinator.settled(), on: coordinator)
    let time = try await nanosecondsOf {
      for _ in 0..<count {
        try await coordinator.backUp()
        position = try await Self.answer(try await coordinator.settled(), on: coordinator)
      }
    }
    position = try await Self.answer(position, on: coordinator)
    let result = try await run.value
    try WrongResult.check(result == 2 && position.stack.count == 2, "after backing up the result was \(result)")
    let more = Ask.undone - undone
    try WrongResult.check(more == 2 * count, "\(count) times back undid \(more) steps")
    return time / Double(count)
  }

  /// - Parameter total: The number of flows that are waiting before; those that are not abandoned stay so.
  @concurrent func abandon5(_ count: Int, of total: Int) async throws -> Double {
    let undone = Ask.undone
    var waiting: [(FlowCoordinator, Task<Int, any Error>)] = []
    for _ in 0..<total { waiting.append(try await Self.waiting(waitingAtFive)) }
    let time = try await nanosecondsOf {
      for (coordinator, run) in waiting[..<count] {
        try await coordinator.abandon()
        let result = await run.result
        try WrongResult.check((try? result.get()) == nil, "an abandoned flow has returned")
      }
    }
    let more = Ask.undone - undone
    try WrongResult.check(more == count, "\(count) abandoned flows undid \(more) questions")
    return time / Double(count)
  }

  /// Measures the time from an answer until `settled` returns with the next step's question.
  ///
  /// - Parameters:
  ///   - count: The number of answers. Each flow takes up to 63, in order.
  ///   - flows: The number of flows that are launched.
  ///   - endsFlows: Whether the flows are answered to their ends, which is not measured, or stay waiting.
  @concurrent func stepOfAnOutsideCall(_ count: Int, flows: Int = 1, endsFlows: Bool = true) async throws -> Double {
    var left = count
    var time = 0.0
    for _ in 0..<flows {
      let coordinator = FlowCoordinator()
      let flow = asking
      let run = Task { try await coordinator.run(flow, with: 0) }
      var position = try await coordinator.settled()
      let answers = min(left, Self.answersEach)
      left -= answers
      time += try await nanosecondsOf {
        for _ in 0..<answers { position = try await Self.answer(position, on: coordinator) }
      }
      let depth = position.stack.count
      try WrongResult.check(depth == answers + 1, "\(answers) answers made a stack of \(depth)")
      guard endsFlows else { continue }
      for _ in answers..<Self.answersEach { position = try await Self.answer(position, on: coordinator) }
      position = try await Self.answer(position, on: coordinator)
      let result = try await run.value
      try WrongResult.check(result == Self.answersEach + 1, "a flow of questions made \(result)")
    }
    try WrongResult.check(left == 0, "\(left) answers are left over")
    return time / Double(count)
  }

  /// The answers of a flow of 64 questions that lead to another question.
  static let answersEach = 63

  /// A flow that waits at its fifth step, and the task that runs it.
  static func waiting(_ flow: Flow<Int, Int>) async throws -> (FlowCoordinator, Task<Int, any Error>) {
    let coordinator = FlowCoordinator()
    let run = Task { try await coordinator.run(flow, with: 0) }
    let position = try await coordinator.settled()
    try WrongResult.check(position.stack.count == 5 && position.questions.count == 1, "not waiting at step 5")
    return (coordinator, run)
  }

  private static func answer(_ position: Position, on coordinator: FlowCoordinator) async throws -> Position {
    guard let question = position.questions.first else { throw WrongResult(description: "no question is open") }
    try await coordinator.answer(question.id, with: 1)
    return try await coordinator.settled()
  }
}
