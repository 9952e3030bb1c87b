@testable import ActorFlow
import Testing

@Suite("Commits that fail") struct FailingCommitTests {
  @Test("a run whose commit fails ends once, whatever else is being committed", .timeLimit(.minutes(Attack.minutes)))
  func halts() async {
    await attack(Attack.seeds(Attack.scaled(300))) { seed in
      let random = SharedGenerator(seed: seed)
      let isOver = Flag()
      var settings = CoordinatorSettings()
      settings.commit = { _ in
        await Task.yield()
        if random.chance(5) { throw Boom() }
      }
      let coordinator = FlowCoordinator(id: "flow", settings: settings)
      let flow = Flow("f") { for name in ["a", "b", "c", "d"] { Step(name) { Asker() } } }
      let run = Task {
        defer { isOver.raise() }
        return await outcome { _ = try await coordinator.run(flow, with: "") }
      }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            while !isOver.isRaised {
              for question in await coordinator.position.questions {
                _ = await outcome { try await coordinator.answer(question.id, with: "t") }
              }
              _ = await outcome { try await coordinator.backUp() }
            }
          }
        }
      }
      let result = await run.value
      try demand(["ok", "Boom"].contains(result), "the run ended with \(result)")
      let status = await coordinator.position.status
      let endings: [Status] = result == "ok" ? [.ended(.finished)] : [.idle, .ended(.failed)]
      try demand(endings.contains(status), "the run ended with \(result), and the status is \(status)")
    }
  }
}
