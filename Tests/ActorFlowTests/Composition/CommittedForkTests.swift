import ActorFlow
import Testing

/// Forks where every input of the machine is committed first, by a hook that suspends.
@Suite("Forks, committed") struct CommittedForkTests {
  private func coordinator() -> FlowCoordinator {
    var settings = CoordinatorSettings()
    settings.commit = { _ in await Task.yield() }
    settings.eventLog = 1_000
    return FlowCoordinator(id: "test", settings: settings)
  }

  private func asker(_ name: String, _ trace: Trace) -> Step<String, String> { Step(name) { Asker(trace) } }

  private func flow(_ trace: Trace) -> Flow<String, String> {
    Flow("f") {
      asker("a", trace)
      Parallel {
        Flow("b") {
          asker("b1", trace)
          asker("b2", trace)
        }.timeout(.seconds(1_000))
        Race {
          asker("c", trace)
          asker("d", trace)
        }
      } join: {
        "\($0)|\($1)"
      }
      asker("e", trace)
    }
  }

  @Test("a committed fork runs to its end", arguments: 1...40)
  func finish(_ round: Int) async throws {
    let trace = Trace()
    let run = launch(flow(trace), with: "-", on: coordinator())
    for answer in 1...5 {
      let position = try await run.coordinator.settled()
      let question = try #require(position.questions.last)
      try await run.coordinator.answer(question.id, with: "\(answer)")
    }
    let result = try await run.result.get()
    #expect(result.hasSuffix("5") && result.contains("|"))
    let undone = trace.all.filter { $0.hasSuffix("backUp") }
    #expect(undone == ["c:backUp"] || undone == ["d:backUp"], "the loser of the race alone")
  }

  @Test("a fork abandoned at any time compensates every entered step once", arguments: 0...39)
  func abandon(_ yields: Int) async throws {
    let trace = Trace()
    let run = launch(flow(trace), with: "-", on: coordinator())
    try await run.answer("0")
    let answering = Task { [coordinator = run.coordinator] in
      for _ in 1...3 {
        guard let question = try await coordinator.settled().questions.first else { break }
        try? await coordinator.answer(question.id, with: "x")
      }
    }
    for _ in 0..<yields { await Task.yield() }
    try? await run.coordinator.abandon(reason: "enough")
    _ = await answering.result
    #expect(await run.code == .abandoned)
    let entered = trace.all.filter { $0.contains(":proceed") }.map { $0.prefix { $0 != ":" } }
    let undone = trace.all.filter { $0.hasSuffix(":backUp") }.map { $0.prefix { $0 != ":" } }
    #expect(entered.sorted() == undone.sorted(), "\(trace.all)")
  }
}
