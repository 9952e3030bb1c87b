import ActorFlow
import Testing

/// Actions, answers and effects of many tasks while the step is left.
@Suite struct RenderedContentionTests {
  @Test(
    "every accepted action is one event, and no refused action is, however the step is left",
    arguments: ["output", "abandon", "cancel", "throw"], [false, true])
  func taken(_ verb: String, _ commits: Bool) async throws {
    for round in 0..<Attack.scaled(60) {
      var settings = CoordinatorSettings()
      settings.eventLog = 10_000
      if commits { settings.commit = { _ in await Task.yield() } }
      let gate = Checkpoint()
      let script = BoardScript(first: BoardState(effects: ["a", "b", "thrower"])) { key, sink in
        if key == "thrower" {
          guard verb == "throw" else { return await untilCancelled() }
          await gate.pass()
          throw Failure("thrown")
        }
        // Accepted or not: an effect's action appends nothing that is counted.
        while await sink(.all([.run("x\(key)"), .stop("x\(key)")])) { await Task.yield() }
      }
      let flow = launch(
        Flow<String, String>.board(script), with: "", on: FlowCoordinator(id: "contention", settings: settings))
      let id = try #require(try await flow.coordinator.settled().questions.first?.id)
      let sink = try #require(await flow.board?.sink)
      let taken = await withTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask { await Self.send(through: number.isMultiple(of: 2) ? sink : nil, to: id, of: flow) }
        }
        group.addTask {
          for _ in 0..<(round % 12) { await Task.yield() }
          switch verb {
          case "output": try? await flow.coordinator.answer(id, with: BoardAction.out("end"))
          case "abandon": try? await flow.coordinator.abandon()
          case "cancel": flow.run.cancel()
          default: break
          }
          gate.open()
          return 0
        }
        return await group.reduce(0, +)
      }
      _ = await flow.result
      let events = await flow.events
      let shown = events.compactMap { event -> Int? in
        guard case .updated(let question) = event.change else { return nil }
        return (question.prompt as? BoardView)?.text.count
      }
      #expect(shown.last ?? 0 == taken)
      #expect(shown == shown.sorted())
    }
  }

  /// Sends until an action is refused; returns the number of accepted ones.
  private static func send(
    through sink: Sink<BoardAction>?, to id: Question.ID, of flow: Launched<String>
  ) async -> Int {
    var taken = 0
    while true {
      if let sink {
        guard await sink(.add("x")) else { return taken }
      } else {
        do { try await flow.coordinator.answer(id, with: BoardAction.add("x")) } catch { return taken }
      }
      taken += 1
      await Task.yield()
    }
  }
}
