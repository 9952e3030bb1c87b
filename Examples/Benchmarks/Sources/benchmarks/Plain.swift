import Floors

/// The floors: the figures' work, done by a plain actor with the same rules. Each function returns nanoseconds.
struct Plain {
  typealias Run = Task<any Sendable, any Error>

  let eight = PlainFlow.automatic(8)
  let short = PlainFlow.automatic(64)
  let long = PlainFlow.automatic(512)
  let twoQuestions = PlainFlow.asking(2)
  let waitingAtFive = PlainFlow.waitingAtFive()
  let asking = PlainFlow.asking(64)

  @concurrent func run8(_ count: Int) async throws -> Double {
    let time = try await nanosecondsOf {
      for _ in 0..<count { try await Self.run(eight, making: 8) }
    }
    return time / Double(count)
  }

  @concurrent func step(batch: Int) async throws -> Double {
    var difference = 0.0
    for _ in 0..<batch {
      difference += try await nanosecondsOf { try await Self.run(long, making: 512) }
      difference -= try await nanosecondsOf { try await Self.run(short, making: 64) }
    }
    return difference / Double(448 * batch)
  }

  @concurrent func question(_ count: Int) async throws -> Double {
    let coordinator = PlainCoordinator()
    let flow = PlainFlow.asking(1, times: count)
    let run = Task { try await coordinator.run(flow, with: 0) }
    var position = try await coordinator.settled()
    let time = try await nanosecondsOf {
      for _ in 0..<count { position = try await Self.answer(position, on: coordinator) }
    }
    try Self.check(try await run.value, count)
    return time / Double(count)
  }

  @concurrent func backUp(_ count: Int) async throws -> Double {
    let undone = PlainFlow.undone
    let coordinator = PlainCoordinator()
    let flow = twoQuestions
    let run = Task { try await coordinator.run(flow, with: 0) }
    var position = try await Self.answer(try await coordinator.settled(), on: coordinator)
    let time = try await nanosecondsOf {
      for _ in 0..<count {
        try await coordinator.backUp()
        position = try await Self.answer(try await coordinator.settled(), on: coordinator)
      }
    }
    _ = try await Self.answer(position, on: coordinator)
    try Self.check(try await run.value, 2)
    try Self.check(PlainFlow.undone - undone, 2 * count)
    return time / Double(count)
  }

  /// - Parameter total: The number of flows that are waiting before; those that are not abandoned stay so.
  @concurrent func abandon5(_ count: Int, of total: Int) async throws -> Double {
    let undone = PlainFlow.undone
    var waiting: [(PlainCoordinator, Run)] = []
    for _ in 0..<total { waiting.append(try await Self.waiting(waitingAtFive)) }
    let time = try await nanosecondsOf {
      for (coordinator, run) in waiting[..<count] {
        try await coordinator.abandon()
        let result = await run.result
        try WrongResult.check((try? result.get()) == nil, "an abandoned plain flow has returned")
      }
    }
    try Self.check(PlainFlow.undone - undone, count)
    return time / Double(count)
  }

  /// The parameters are those of ``Asking/stepOfAnOutsideCall(_:flows:endsFlows:)``.
  @concurrent func stepOfAnOutsideCall(_ count: Int, flows: Int = 1, endsFlows: Bool = true) async throws -> Double {
    var left = count
    var time = 0.0
    for _ in 0..<flows {
      let coordinator = PlainCoordinator()
      let flow = asking
      let run = Task { try await coordinator.run(flow, with: 0) }
      var position = try await coordinator.settled()
      let answers = min(left, Asking.answersEach)
      left -= answers
      time += try await nanosecondsOf {
        for _ in 0..<answers { position = try await Self.answer(position, on: coordinator) }
      }
      try Self.check(position.stack?.depth ?? 0, answers + 1)
      guard endsFlows else { continue }
      for _ in answers...Asking.answersEach { position = try await Self.answer(position, on: coordinator) }
      try Self.check(try await run.value, Asking.answersEach + 1)
    }
    return time / Double(count)
  }

  /// Two tasks, created and awaited: the least that a fork of two branches does.
  @concurrent func twoTasks(_ count: Int) async throws -> Double {
    var sum = 0
    let time = try await nanosecondsOf {
      for number in 0..<count {
        let left = Task { @concurrent in number }
        let right = Task { @concurrent in number }
        sum += max(await left.value, await right.value)
      }
    }
    try Self.check(sum, count * (count - 1) / 2)
    return time / Double(count)
  }

  /// Resident growth for each live flow that waits at step 5 of 8.
  @concurrent func bytesPerWaitingFlow(_ count: Int) async throws -> Double {
    func start(_ count: Int) async throws -> [(PlainCoordinator, Run)] {
      var flows: [(PlainCoordinator, Run)] = []
      flows.reserveCapacity(count)
      for _ in 0..<count { flows.append(try await Self.waiting(waitingAtFive)) }
      return flows
    }
    func end(_ flows: [(PlainCoordinator, Run)]) async throws {
      for (coordinator, run) in flows {
        _ = try await Self.answer(try await coordinator.settled(), on: coordinator)
        try Self.check(try await run.value, 8)
      }
    }
    for _ in 0..<8 { try await end(try await start(16)) }  // warm up
    let first = try await start(1)
    let before = try Memory.resident()
    let flows = try await start(count)
    let after = try Memory.resident()
    try await end(first + flows)
    return Double(after - before) / Double(count)
  }

  /// Runs a flow of automatic steps, and then a question that stays open.
  @concurrent func steps(_ count: Int, of total: Int) async throws {
    let (some, rest) = (PlainFlow.automatic(count, thenAsking: true), PlainFlow.automatic(total - count))
    let coordinator = PlainCoordinator()
    Task { try await coordinator.run(some, with: 0) }
    let depth = try await coordinator.settled().stack?.depth
    try withExtendedLifetime(rest) { try Self.check(depth ?? 0, count + 1) }
  }

  private static func waiting(_ flow: PlainFlow) async throws -> (PlainCoordinator, Run) {
    let coordinator = PlainCoordinator()
    let run = Task { try await coordinator.run(flow, with: 0) }
    try check(try await coordinator.settled().stack?.depth ?? 0, 5)
    return (coordinator, run)
  }

  private static func run(_ flow: PlainFlow, making expected: Int) async throws {
    try check(try await PlainCoordinator().run(flow, with: 0), expected)
  }

  private static func answer(
    _ position: PlainCoordinator.Position, on coordinator: PlainCoordinator
  ) async throws -> PlainCoordinator.Position {
    guard let question = position.question else { throw WrongResult(description: "no plain question is open") }
    try await coordinator.answer(question.id, with: 1)
    return try await coordinator.settled()
  }

  private static func check(_ result: any Sendable, _ expected: Int) throws {
    try WrongResult.check(result as? Int == expected, "a plain flow made \(result) instead of \(expected)")
  }
}
