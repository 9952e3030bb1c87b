@testable import ActorFlow
import Testing

@Suite("Contention") struct ContentionTests {
  @Test(
    "64 tasks answer, back up and abandon one flow, and its events stay consistent",
    .timeLimit(.minutes(Attack.minutes))
  )
  func manyTasksOneFlow() async {
    await attack(Attack.seeds(Attack.scaled(40))) { seed in
      let trace = Trace()
      let flow = Flow("f") { for index in 0..<20 { Step("s\(index)") { Asker(trace) } } }
      let coordinator = FlowCoordinator(eventLog: 1_000_000)
      let run = Task { await outcome { _ = try await coordinator.run(flow, with: "") } }
      _ = try await coordinator.settled()
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<64 {
          group.addTask { await attackOne(coordinator, SeededGenerator(seed: seed &* 64 &+ UInt64(index))) }
        }
      }
      try demandEqual(await run.value, "abandoned", "the result")
      try Fold.whole(await allEvents(of: coordinator))
      try demandEqual(
        trace.all.count { $0.contains("proceed") }, trace.all.count { $0.contains("backUp") }, "how many are undone")
    }
  }

  /// Makes fifty random requests, then abandons.
  private func attackOne(_ coordinator: FlowCoordinator, _ random: SeededGenerator) async {
    var random = random
    for _ in 0..<50 {
      if random.chance(75) {
        for question in await coordinator.position.questions where question.step.name != "s19" {
          _ = await outcome { try await coordinator.answer(question.id, with: "t") }
        }
      } else {
        _ = await outcome { try await coordinator.backUp() }
      }
    }
    _ = await outcome { try await coordinator.abandon(reason: "enough") }
  }

  @Test(
    "an abandon that races the last answer has one ending, the same for every caller",
    .timeLimit(.minutes(Attack.minutes))
  )
  func abandonRacesCompletion() async {
    let flow = Flow("f") { Step("a") { Asker() } }
    await attack(Attack.seeds(Attack.scaled(1_000))) { seed in
      var random = SeededGenerator(seed: seed)
      let coordinator = FlowCoordinator()
      let run = Task { await outcome { _ = try await coordinator.run(flow, with: "") } }
      guard let question = try await coordinator.settled().questions.first else { throw Finding("no question") }
      let yields = (random.below(4), random.below(4))
      async let answered = outcome {
        for _ in 0..<yields.0 { await Task.yield() }
        try await coordinator.answer(question.id, with: "t")
      }
      async let abandoned = outcome {
        for _ in 0..<yields.1 { await Task.yield() }
        try await coordinator.abandon(reason: "race")
      }
      let got = await [run.value, answered, abandoned]
      let events = await allEvents(of: coordinator)
      try Fold.whole(events)
      let allowed = [
        ["ok", "ok", "flowEnded"],  // the answer came first, and the run had ended
        ["abandoned", "ok", "ok"],  // the answer came first, the abandon before the step had returned
        ["abandoned", "questionClosed", "ok"], ["abandoned", "flowEnded", "ok"],
      ]
      try demand(allowed.contains(got), "run, answer and abandon ended as \(got)")
      let isFinished = events.last?.position.status == .ended(.finished)
      try demandEqual(isFinished, got[0] == "ok", "whether the last event says that the run finished")
      let status = await coordinator.position.status
      try demandEqual(status, events.last?.position.status, "the status")
    }
  }

  @Test(
    "a step that waits only for its cancellation is cancelled, however early it is left",
    .timeLimit(.minutes(Attack.minutes))
  )
  func leftAtOnce() async {
    let flow = Flow("f") {
      Step("forever") { (_: String) -> String in
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw CancellationError()
      }
    }
    await attack(Attack.seeds(Attack.scaled(5_000))) { seed in
      var random = SeededGenerator(seed: seed)
      let coordinator = FlowCoordinator()
      let run = Task { await outcome { _ = try await coordinator.run(flow, with: "") } }
      let count = 1 + random.below(2)
      for await _ in coordinator.events.prefix(count) {}
      try demandEqual(await outcome { try await coordinator.abandon(reason: "at once") }, "ok", "the abandon")
      try demandEqual(await run.value, "abandoned", "the result")
    }
  }

  @Test("10,000 concurrent flows abandoned together leave nothing behind", .timeLimit(.minutes(Attack.minutes)))
  func manyFlows() async throws {
    let alive = Living()
    let flow = Flow("f") {
      Step("a") { Asker() }
      Step("b") { alive.watch(Asker()) }
      Step("c") { alive.watch(Asker()) }
    }
    var flows = (0..<max(100, Attack.scaled(10_000))).map { _ in FlowCoordinator() }
    let count = flows.count
    for coordinator in flows { alive.watch(coordinator) }
    await withTaskGroup(of: String.self) { group in
      for coordinator in flows {
        group.addTask { await outcome { _ = try await coordinator.run(flow, with: "") } }
      }
      for coordinator in flows { await advance(coordinator) }
      #expect(alive.count == 3 * count)
      await withTaskGroup(of: Void.self) { group in
        for coordinator in flows {
          group.addTask { _ = await outcome { try await coordinator.abandon(reason: "all") } }
        }
      }
      for await result in group where result != "abandoned" { Issue.record("a run ended with \(result)") }
    }
    try await nothingLeft("\(alive.count - count) steps are still alive") { alive.count == count }
    flows = []
    try await nothingLeft("\(alive.count) coordinators are still alive") { alive.count == 0 }
  }

  /// To the third question.
  private func advance(_ coordinator: FlowCoordinator) async {
    for _ in 0..<2 {
      _ = try? await coordinator.settled()
      _ = await outcome { try await coordinator.answer(Form.self, with: "t") }
    }
    _ = try? await coordinator.settled()
  }
}

/// Watches whether objects are still alive, without retaining them.
final class Living: Sendable {
  private struct Weak: Sendable {
    weak let object: (any AnyObject & Sendable)?
  }
  private let objects = Lock<[Weak]>([])

  @discardableResult
  func watch<Object: AnyObject & Sendable>(_ object: Object) -> Object {
    objects.withLock { $0.append(Weak(object: object)) }
    return object
  }

  var count: Int { objects.withLock { $0.count { $0.object != nil } } }
}
