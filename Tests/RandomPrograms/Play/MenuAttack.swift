import ActorFlow

/// Leaves many flows at the moment in which a side branch ends and its menu has not been called again: by an abandon, a
/// cancelled caller, a back over the menu, or a sibling's failure.
///
/// - Returns: The violations.
package func attackMenus(rounds: Int) async -> [String] {
  await inFourTasks(rounds) { round in
    let program = menuProgram(isForked: round % 4 == 3)
    let arena = try MemoryArena(program)
    try await arena.answer("before", .go(0))
    try await arena.answer("menu", .go(0))
    let side = try await arena.question("side")
    switch round / 4 % 4 {
    case 0:
      _ = await arena.answer(side, with: .go(0))
      _ = await arena.abandon(rollingBack: true)
    case 1:
      async let answered = arena.answer(side, with: .go(0))
      _ = await arena.abandon(rollingBack: true)
      _ = await answered
    case 2:
      _ = await arena.answer(side, with: .go(0))
      arena.cancelCaller()
    default:
      _ = await arena.answer(side, with: .go(0))
      if round % 4 == 3 {
        try await arena.answer("other", .fail)
      } else {
        // The back leads to the menu, or past it.
        _ = await arena.backUp(to: "before")
      }
      _ = await arena.abandon(rollingBack: true)
    }
    _ = await arena.run.value
    try checkMenu(program, arena.world)
  }
}

func checkMenu(_ program: Program, _ world: World) throws(Violation) {
  do { try checkWorld(program, world, isRolledBack: true) } catch {
    throw Violation("\(error.description)\n  trace: \(world.text)")
  }
}

extension MemoryArena {
  /// Returns the next question of a step.
  fileprivate func question(_ step: String) async throws -> Question.ID {
    for await event in coordinator.events {
      if let question = event.position.questions.first(where: { $0.step.name == step }) { return question.id }
    }
    throw Violation("\(step) asks nothing")
  }

  fileprivate func answer(_ step: String, _ command: Command) async throws {
    _ = await answer(try await question(step), with: command)
  }
}
