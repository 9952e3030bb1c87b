// Effects: begun by `proceed`, cancelled by whoever renders without them, awaited by `proceed`.
extension RenderRunner {
  /// Starts what is due, and forgets what has ended.
  func startEffects(_ runtime: any StepRuntime) async {
    await beginEffectsTurn()
    defer { endTurn() }
    // Each has told of its end as the last it did, so this does not wait.
    while let task = ended.popLast() { await task.value }
    // With the output nothing begins any more.
    guard stage != nil else { return }
    let due = effects.takeDue()
    await runtime.countEffects(due.count)
    guard stage != nil else { return await runtime.countEffects(-due.count) }
    for start in due {
      let (id, work, isWanted) = (start.id, start.work, effects.isWanted(start.id))
      tasks[id] = runtime.startEffect {
        // Given up before it could start: it is not to run a moment uncancelled.
        if !isWanted { withUnsafeCurrentTask { $0?.cancel() } }
        await self.run(work, as: id)
      }
    }
    await tellDue()
  }

  private nonisolated func run(_ work: @Sendable () async throws -> Void, as effect: Int) async {
    do {
      try await work()
      await hasEnded(effect, nil)
    } catch {
      await hasEnded(effect, error)
    }
  }

  private func hasEnded(_ effect: Int, _ error: (any Error)?) async {
    await beginEffectsTurn()
    defer { endTurn() }
    if let task = tasks.removeValue(forKey: effect) { ended.append(task) }
    let isWanted = effects.isWanted(effect)
    effects.end(effect)
    await tellDue()
    tree?.hasEnded(effect)
    if isWanted, let error { await fail(error) }
    // So that it is awaited, and what waited for it starts.
    stage?.cell.nudge(0)
  }

  /// Effects neither start nor end in the middle of an action: it may be the last one, or be refused, and then they are
  /// as they were.
  private func beginEffectsTurn() async {
    if !turns.begin() { await waitForTurn() }
  }
}
