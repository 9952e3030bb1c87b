import ActorFlow

/// Automatic steps, with and without a watcher. Each function returns nanoseconds.
struct Walking {
  let eight = Flows.automatic(8)
  let short = Flows.automatic(64)
  let long = Flows.automatic(512)

  enum Watchers {
    case none
    case unread(Int)
    case reading(Int)
  }

  @concurrent func run8(_ count: Int) async throws -> Double {
    let time = try await nanosecondsOf {
      for _ in 0..<count { try await Self.run(eight, steps: 8, on: FlowCoordinator()) }
    }
    return time / Double(count)
  }

  @concurrent func step(_ watchers: Watchers, batch: Int) async throws -> Double {
    var difference = 0.0
    for _ in 0..<batch {
      difference += try await Self.watched(long, steps: 512, by: watchers)
      difference -= try await Self.watched(short, steps: 64, by: watchers)
    }
    return difference / Double(448 * batch)
  }

  /// Throughput of 2 drivers over that of 1.
  @concurrent func scaling(batch: Int) async throws -> Double {
    let flow = long
    @Sendable @concurrent func drive() async throws {
      for _ in 0..<batch { try await Self.run(flow, steps: 512, on: FlowCoordinator()) }
    }
    let one = try await nanosecondsOf { try await drive() }
    let two = try await nanosecondsOf {
      async let first: Void = drive()
      async let second: Void = drive()
      _ = try await (first, second)
    }
    return 2 * one / two
  }

  @concurrent func define(_ count: Int) async throws -> Double {
    var steps = 0
    let time = try await nanosecondsOf {
      for _ in 0..<count { steps += Flows.waitingAtFive().steps.count }
    }
    try WrongResult.check(steps == 8 * count, "defined \(steps) steps")
    return time / Double(count)
  }

  private static func run(_ flow: Flow<Int, Int>, steps: Int, on coordinator: FlowCoordinator) async throws {
    let result = try await coordinator.run(flow, with: 0)
    try WrongResult.check(result == steps, "\(steps) steps made \(result)")
  }

  /// One run, from launch until it has returned and every reader has reached the end of the events.
  private static func watched(_ flow: Flow<Int, Int>, steps: Int, by watchers: Watchers) async throws -> Double {
    switch watchers {
    case .none:
      return try await nanosecondsOf { try await run(flow, steps: steps, on: FlowCoordinator()) }
    case .unread(let count):
      let coordinator = FlowCoordinator()
      let streams = (0..<count).map { _ in coordinator.events }
      let time = try await nanosecondsOf { try await run(flow, steps: steps, on: coordinator) }
      return withExtendedLifetime(streams) { time }
    case .reading(let count):
      let coordinator = FlowCoordinator()
      let readers = (0..<count).map { _ in Task { await lastSequence(of: coordinator) } }
      for _ in 0..<4 { await Task.yield() }  // lets them reach their wait
      return try await nanosecondsOf {
        try await run(flow, steps: steps, on: coordinator)
        for reader in readers {
          let last = await reader.value
          try WrongResult.check(last == steps + 2, "a reader's last event was \(last)")
        }
      }
    }
  }

  @concurrent private static func lastSequence(of coordinator: FlowCoordinator) async -> Int {
    var last = 0
    for await event in coordinator.events { last = event.sequence }
    return last
  }
}
