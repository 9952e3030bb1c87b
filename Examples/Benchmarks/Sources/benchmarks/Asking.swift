import ActorFlow

/// Questions, backing up and abandoning. Each function returns nanoseconds.
struct Asking {
  let twoQuestions = Flows.twoQuestions()
  let waitingAtFive = Flows.waitingAtFive()

  @concurrent func question(batch: Int) async throws -> Double {
    let count = batch * 20
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

  @concurrent func backUp(batch: Int) async throws -> Double {
    let count = batch * 10
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

  @concurrent func abandon5(batch: Int) async throws -> Double {
    let undone = Ask.undone
    var waiting: [(FlowCoordinator, Task<Int, any Error>)] = []
    for _ in 0..<(batch * 5) { waiting.append(try await Self.waiting(waitingAtFive)) }
    let time = try await nanosecondsOf {
      for (coordinator, run) in waiting {
        try await coordinator.abandon()
        let result = await run.result
        try WrongResult.check((try? result.get()) == nil, "an abandoned flow has returned")
      }
    }
    let more = Ask.undone - undone
    try WrongResult.check(more == waiting.count, "\(waiting.count) abandoned flows undid \(more) questions")
    return time / Double(waiting.count)
  }

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
