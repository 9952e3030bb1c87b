// The end of a run.
extension FlowMachine {
  /// The run is over; every place is dropped.
  ///
  /// - Parameter stack: What the world sees from now on.
  mutating func end(
    _ ending: Ending, _ result: Result<any Sendable, any Error>, as change: Change, at stack: VisitNode?
  ) {
    supersedeBranches(of: .main, since: .zero)
    lastStack = stack
    self.ending = ending
    self.result = result
    main.phase = .ended
    main.visit = nil
    undoFailures = main.leave?.failures ?? []
    main.leave = nil
    closeEverything(on: .main)
    dropEverything()
    publish(change)
  }

  private mutating func dropEverything() {
    if let top = main.top { discard(top) }
    main.top = nil
    if let memory = main.focus.memory { discard(memory) }
    main.focus = Focus()
    dropFork(of: .main)
    discard(graph)
    graph = .empty
    if !timers.isEmpty { discard(timers) }
    timers = Timers()
    if signals.isUsed { discard(signals.drop()) }
  }

  /// Whether the run is over, or on its way to a bad end.
  package var isEnding: Bool {
    if case .end? = main.leave?.goal { return true }
    return phase == .ended
  }

  /// A decision could not be committed: the run stops where the last commit left it, and nothing is rolled back.
  package mutating func halt(_ error: any Error) {
    guard phase != .ended, phase != .idle else { return }
    end(.failed, .failure(error), as: .failed(position.step ?? "?", error), at: stack(of: .main))
  }
}
