import ActorFlow
import Testing

@Suite("Attack on the event log") struct EventLogAttackTests {
  /// A flow of many automatic steps and a few questions, which another task answers.
  private func play(
    on coordinator: FlowCoordinator, watched body: @escaping @Sendable (FlowCoordinator) async throws -> Void
  ) async throws {
    let flow = Flow("f") {
      for index in 0..<60 {
        if index % 10 == 0 { Step("ask") { Asker() } } else { Step("go") { Automatic() } }
      }
    }
    let result = try await running(flow, with: "", on: coordinator) { coordinator in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body(coordinator) }
        while case .running = try await coordinator.settled().status {
          _ = await outcome { try await coordinator.answer(Form.self, with: "t") }
          await Task.yield()
        }
        try await group.waitForAll()
      }
    }
    _ = try result.get()
  }

  @Test("slow readers of tiny logs see growing numbers, consistent positions, and the end", arguments: [1, 2, 3])
  func slowReaders(capacity: Int) async throws {
    for round in 0..<Attack.scaled(200) {
      try await play(on: FlowCoordinator(eventLog: capacity)) { coordinator in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for slowness in 0..<4 {
            group.addTask { try await read(coordinator, slowness: slowness * (round % 7)) }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  private func read(_ coordinator: FlowCoordinator, slowness: Int) async throws {
    var last: NavigationEvent?
    for await event in coordinator.events {
      try demand(event.sequence > last?.sequence ?? 0, "event \(event.sequence) follows \(last?.sequence ?? 0)")
      let visits = Array(event.position.stack)
      try demandEqual(visits.count, event.position.stack.count, "the height of the stack")
      try demand(zip(visits, visits.dropFirst()).allSatisfy { $0.id > $1.id }, "the stack is \(visits)")
      if case .moved(_, let to) = event.change { try demandEqual(visits.first, to, "the focus") }
      if case .asked(let question) = event.change {
        try demandEqual(event.position.questions.map(\.id), [question.id], "the open questions")
      }
      last = event
      for _ in 0..<slowness { await Task.yield() }
    }
    try demandEqual(last?.position.status, .ended(.finished), "the last status")
  }

  @Test("several loops on one stream value share its events, each gets its own in order, and all end")
  func severalLoops() async throws {
    for _ in 0..<Attack.scaled(200) {
      let seen = Shared<[Int]>([])
      let coordinator = FlowCoordinator(eventLog: 100_000)
      try await play(on: coordinator) { coordinator in
        let events = coordinator.events
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<3 {
            group.addTask {
              var last = 0
              for await event in events {
                try demand(event.sequence > last, "event \(event.sequence) follows \(last)")
                last = event.sequence
                seen.change { $0.append(event.sequence) }
              }
            }
          }
          try await group.waitForAll()
        }
      }
      let count = await allEvents(of: coordinator).count
      #expect(seen.value.sorted() == Array(1...count))
    }
  }

  @Test("subscriptions that are created, dropped unread, left half read or cancelled affect no other reader")
  func comingAndGoing() async throws {
    for seed in 1...UInt64(Attack.scaled(100)) {
      let random = SharedGenerator(seed: seed)
      try await play(on: FlowCoordinator(eventLog: 4)) { coordinator in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await read(coordinator, slowness: 0) }
          for _ in 0..<40 {
            _ = coordinator.events
            group.addTask { for await _ in coordinator.events.prefix(random.below(5)) {} }
            let cancelled = Task { for await _ in coordinator.events {} }
            for _ in 0..<random.below(4) { await Task.yield() }
            cancelled.cancel()
            await cancelled.value
          }
          try await group.waitForAll()
        }
      }
    }
  }

  @Test(
    "a reader that is cancelled while it waits returns, even if the flow never moves again",
    .timeLimit(.minutes(Attack.minutes)))
  func cancelledReader() async throws {
    let coordinator = FlowCoordinator()
    for pause in 0..<20 {
      let reader = Task { for await _ in coordinator.events {} }
      for _ in 0..<pause { await Task.yield() }
      reader.cancel()
      await reader.value
    }
  }
}
