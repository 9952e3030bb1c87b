import ActorFlow

/// Plays a program in memory, with several attackers at once. The scheduler decides the order, so only invariants that
/// hold in any order are checked.
package func playScramble(seed: UInt64) async throws(Violation) {
  var generator = ProgramGenerator(seed: seed, .free)
  let program = generator.program()
  let patience = generator.random.below(40)
  do {
    var random = generator.random
    let start = random.percent(20) ? program.start(&random) : nil
    let arena = try MemoryArena(program, startingAt: start, yields: true)
    await Attackers(program, arena.world, arena, patience: patience).attack(tasks: 3, seed: seed)
    do {
      try await check(program, arena)
    } catch {
      throw Violation("\(error)\n  trace: \(arena.world.text)")
    }
  } catch { throw Violation("\(error)\n  program: \(program.text)") }
}

private func check(_ program: Program, _ arena: MemoryArena) async throws {
  guard arena.hasEnded else { throw Violation("\(arena.world.violations): \(await arena.coordinator.position)") }
  let result = await arena.run.value
  // Cancelled before it began: nothing ran.
  if case .idle = await arena.coordinator.position.status { return }
  let events = await arena.events
  try EventFold.check(events)
  guard let last = events.last else { return }
  let isRolledBack = if case .rolledBack = last.change { true } else { false }
  try checkWorld(program, arena.world, isRolledBack: isRolledBack)
  try checkEnding(result, last.position)
  try await arena.checkNothingIsAlive()
}

/// Checks rule 13: the result of `run` matches the position, and nothing is open any more.
private func checkEnding(_ result: String, _ position: Position) throws(Violation) {
  switch position.status {
  case .ended(.finished): try expect(result.hasPrefix("finished"), "rule 13: finished, but run threw \(result)")
  case .ended(.abandoned): try expectEqual(result, "abandoned", "rule 13: what run threw")
  case .ended(.cancelled): try expectEqual(result, "cancelled", "rule 13: what run threw")
  case .ended(.failed):
    let causes = ["s", "timedOut", "cannotBackUp", "guarded"]
    try expect(
      causes.contains { result.hasPrefix($0) } && result != "stepFailed", "rule 13: a failure nobody caused: \(result)")
  default: throw Violation("rule 13: the run is over, and its status is \(position.status)")
  }
  try expect(
    position.questions.isEmpty && position.waits.isEmpty && position.branches.isEmpty && !position.canBackUp,
    "rule 7: something is open at the end: \(position.questions.count) questions, \(position.waits) waits")
}
