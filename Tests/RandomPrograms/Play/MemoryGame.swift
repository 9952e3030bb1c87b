import ActorFlow

/// Plays a sequential program in memory: requests one after the other. After each request the position of the flow must
/// match the naive model.
package func playMemoryGame(seed: UInt64) async throws(Violation) {
  var generator = ProgramGenerator(seed: seed, .sequential)
  let program = generator.program()
  let model = Model(program)
  var played: [String] = []
  do {
    let arena = try MemoryArena(program)
    try await play(arena, model, generator.random, &played)
    try await finish(program, arena, model)
  } catch {
    throw Violation("\(error)\n  played: \(played.joined(separator: ", "))\n  program: \(program.text)")
  }
}

private func play(_ arena: MemoryArena, _ model: Model, _ random: Chance, _ played: inout [String]) async throws {
  var player = Player(random, isHosted: false)
  defer { arena.run.cancel() }
  try await compare(arena, model)
  while model.result == nil {
    let request = player.next(model)
    played.append("\(request)")
    let (found, expected) = await perform(request, arena, model)
    try expectEqual(found, expected, "how \(request) ended")
    try await compare(arena, model)
  }
}

private func perform(
  _ request: Player.Request, _ arena: MemoryArena, _ model: Model
) async -> (found: String, expected: String) {
  switch request {
  case .answer(let command):
    guard let question = await arena.questions.first else { return ("no question", "a question") }
    return (await arena.answer(question.id, with: command), model.answer(command))
  case .send(let name, let value, let key):
    return (await arena.send(value, to: name, key: key), model.send(value, to: name, key: key))
  case .backUp(let name): return (await arena.backUp(to: name), model.backUp(to: name))
  case .abandon(let rollingBack):
    return (await arena.abandon(rollingBack: rollingBack), model.abandon(rollingBack: rollingBack))
  case .cancelCaller:
    arena.cancelCaller()
    model.cancelCaller()
  case .advance(let time):
    if model.pauseLeft == time { await arena.awaitSleep(of: time) }
    model.advance(by: time)
    await arena.advance(by: time)
  case .letGo:
    arena.world.letGo()
    model.letGo()
  }
  return ("", "")
}

/// Waits until the flow stands where the model stands. No event tells that nothing moves any more, so a change that
/// comes too late is found at the next comparison.
private func compare(_ arena: MemoryArena, _ model: Model) async throws(Violation) {
  let (look, lines) = (model.look, model.lines)
  var limit = PollLimit(turns: 20_000)
  while limit.allowsAnother() {
    // A backUp that has left its line may be about to throw: the positions are equal only when the flow has settled.
    if await arena.look == look, arena.world.moves == lines, (arena.world.held > 0) == model.isHolding {
      if model.isHolding { return }
      if await arena.coordinator.isSettled { return }
    }
    await Task.yield()
  }
  try expectEqual(arena.world.moves, lines, "what the steps did")
  try expectEqual(await arena.look, look, "where the flow stands")
  try expectEqual(arena.world.held > 0, model.isHolding, "whether a note is held")
}

private func finish(_ program: Program, _ arena: MemoryArena, _ model: Model) async throws(Violation) {
  try expectEqual(await arena.run.value, model.result ?? "-", "what run returned or threw")
  let events = await arena.events
  try EventFold.check(events)
  let isRolledBack = if case .rolledBack? = events.last?.change { true } else { false }
  try checkWorld(program, arena.world, isRolledBack: isRolledBack)
  let payments = arena.world.payments.values
  try expectEqual(payments.count, model.paid, "rule 2: how much was paid")
  try expectEqual(payments.count { $0.refunds > 0 }, model.refunded, "rule 2: how much was refunded")
  try await arena.checkNothingIsAlive()
}

extension MemoryArena {
  /// The position of the flow.
  fileprivate var look: Look {
    get async {
      let position = await coordinator.position
      if case .ended = position.status { return Look(hasEnded: true) }
      return Look(
        stack: position.stack.reversed().map(\.step.name),
        questions: position.questions.map { ($0.prompt as? Form)?.text ?? "?" },
        signals: position.waits.map(\.signal), canBackUp: position.canBackUp)
    }
  }
}
