// Effects: started by `proceed`, cancelled by the render that no longer requests them, awaited by `proceed`.
extension RenderRunner {
  /// Starts the effects that are due, and forgets those that have ended.
  func startEffects(_ runtime: any StepRuntime) async {
    await beginEffectsTurn()
    defer { endTurn() }
    // Reporting its end was each task's last act, so this does not wait.
    while let task = ended.popLast() { await task.value }
    // After the output no effect starts.
    guard stage != nil else { return }
    let due = effects.takeDue()
    await runtime.countEffects(due.count)
    guard stage != nil else { return await runtime.countEffects(-due.count) }
    for start in due {
      let (id, work, isWanted) = (start.id, start.work, effects.isWanted(start.id))
      tasks[id] = runtime.startEffect {
        // No longer requested before it could start: it must not run uncancelled even for a moment.
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
    // Wakes `proceed`, which awaits the ended task and starts the effects that waited for it.
    stage?.cell.nudge(0)
  }

  /// Waits for the turn: effects neither start nor end in the middle of an action. That action may be the last one, or
  /// it may be refused, and then the effects must be as they were.
  private func beginEffectsTurn() async {
    if !turns.begin() { await waitForTurn() }
  }
}
