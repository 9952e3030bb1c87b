// The way of an input: decide, commit, adopt, publish, act.
extension FlowCore {
  /// Gives the machine an input, commits what it decided, adopts it, and carries out what follows.
  ///
  /// Without a commit hook nothing suspends. With one, inputs wait in order for the commit of the one before; if the
  /// commit throws, the input is refused and nothing has changed.
  ///
  /// - Parameters:
  ///   - track: The track the input is about.
  ///   - commits: Whether the decision is worth a commit; if not, it still waits for those under way.
  ///   - evenParked: Whether it is decided and committed also when the flow was put away.
  func decide<Value>(
    on track: TrackID = .main, commits: Bool = true, evenParked: Bool = false,
    _ input: (inout FlowMachine) throws -> Decision<Value>
  ) async throws -> Value {
    guard commit == nil else {
      return try await decideCommitting(on: track, commits: commits, evenParked: evenParked, input)
    }
    return try decideAtOnce(on: track, input)
  }

  /// Kept out of ``decide(on:commits:evenParked:_:)``: whatever an async function has in its hands, on whichever path, is
  /// room that the task keeps for as long as it lives.
  @inline(never)
  private func decideAtOnce<Value>(
    on track: TrackID, _ input: (inout FlowMachine) throws -> Decision<Value>
  ) throws -> Value {
    var (value, effects) = try withState { state in
      let decision = try input(&state.machine)
      return (decision.value, state.adopt(decision, on: track, core: self))
    }
    effects.perform()
    return value
  }

  @inline(never)
  private func decideCommitting<Value>(
    on track: TrackID, commits: Bool, evenParked: Bool,
    _ input: (inout FlowMachine) throws -> Decision<Value>
  ) async throws -> Value {
    await gate.enter()
    defer { gate.leave() }
    var (next, events) = try withState { state in
      guard !state.isParked || evenParked else { throw CancellationError() }
      state.isCommitting = true
      return (state.machine, state.uncommitted)
    }
    do {
      let decision = try input(&next)
      if let entry = decision.event { events.append(next.event(entry)) }
      if commits { try await commit(next, events, on: track) }
      let committed = next
      var effects = withState { state in
        state.machine = committed
        state.uncommitted = commits ? [] : events
        let effects = state.adopt(decision, on: track, core: self)
        return [effects] + state.endCommit(self)
      }
      for index in effects.indices { effects[index].perform() }
      return decision.value
    } catch {
      var effects = withState { $0.endCommit(self) }
      for index in effects.indices { effects[index].perform() }
      throw error
    }
  }

  private func commit(_ machine: FlowMachine, _ events: [NavigationEvent], on track: TrackID) async throws {
    do { try await commit?(machine, events) } catch {
      if isKept, FlowChain.code(of: serial) != nil { withState { $0.with(track) { $0.loss = error } } }
      throw error
    }
  }

  /// Gives the machine an input that cannot wait: from a cancellation handler, or a verb that is not `async`.
  ///
  /// It is not committed: what it asks for is a leave, and a leave that a crash interrupts is asked for again by the
  /// step that runs again. While another input is being committed it is only tried out, and given right after.
  func decideNow(_ input: @escaping @Sendable (inout FlowMachine) throws -> Decision<Void>) throws {
    var effects: Effects? = try withState { state in
      guard !state.isParked else { throw CancellationError() }
      if state.isCommitting {
        var attempt = state.machine
        _ = try input(&attempt)
        state.deferred.append(input)
        return nil
      }
      let decision = try input(&state.machine)
      state.note(decision, self)
      return state.adopt(decision, core: self)
    }
    effects?.perform()
  }
}

extension FlowCore.State {
  /// The machine has taken an input: publishes its event, and collects what is to be done outside the lock.
  mutating func adopt<Value>(
    _ decision: Decision<Value>, on track: TrackID = .main, core: FlowCore
  ) -> Effects {
    let track = decision.track ?? track
    var effects = Effects()
    if let event = decision.event {
      effects.garbage.entry = log.append(event)
      if machine.phase == .ended { log.close() }
      effects.readers = log.takeWaiting()
    }
    let (isAsking, isOver) = machine.look(at: track) {
      ($0.asking != nil, $0.phase != .walking || $0.focus.hasReturned)
    }
    with(track) { strand in
      if case .ask(let cell) = decision.errand { strand.asker = cell }
      if decision.startsWalk { strand.isWalking = true }
      if !isAsking { effects.asker = strand.asker.take() }
      if isOver, !strand.held.isEmpty { effects.others.append((nil, strand.takeHeld())) }
      if decision.cancelsWalk, strand.isWalking { effects.cancelled = strand.stint }
    }
    if branches.count > 0 { dissolve(&effects) }
    run(decision.errand, on: track, &effects)
    if !waiters.isEmpty || !pauses.isEmpty { release(&effects) }
    if timerIsLate { effects.timer = core }
    if !latches.isEmpty { openLatches(after: decision.event, &effects) }
    // Committed while the flow was put away: what it waits for does not come.
    if isParked {
      effects.released += takeCells().map { Effects.Release(cell: $0, outcome: .cancelled) }
    }
    effects.garbage.values = machine.takeDiscarded()
    return effects
  }

  /// Branches that leave because of this input.
  private mutating func dissolve(_ effects: inout Effects) {
    for track in machine.takeDissolved() {
      effects.others.append(
        with(track) { strand in
          let asker = strand.asker.take()
          return (strand.isWalking ? strand.stint : nil, strand.takeHeld() + (asker.map { [$0] } ?? []))
        })
    }
  }

  private mutating func run(_ errand: Errand, on track: TrackID, _ effects: inout Effects) {
    switch errand {
    case .none, .ask: break
    case .hold(let cell): with(track) { $0.held.append(cell) }
    case .answer(let answer): effects.answer = answer
    case .nudge(let number): effects.nudged = with(track) { $0.asker }.map { ($0, number) }
    case .latch(let latch): latches.append(latch)
    case .await(let number, let cell): waiters[number] = cell
    case .wake(let number, let value):
      guard let cell = waiters.removeValue(forKey: number) else { break }
      effects.released.append(Effects.Release(cell: cell, outcome: .success(value)))
    case .pause(let cell): pauses[track] = cell
    case .endPause:
      guard let cell = pauses.removeValue(forKey: track) else { break }
      effects.released.append(Effects.Release(cell: cell, outcome: .success(())))
    }
  }

  /// Those who waited for a signal or a pause, and need not any more.
  private mutating func release(_ effects: inout Effects) {
    for number in machine.takeClosedWaits() {
      guard let cell = waiters.removeValue(forKey: number) else { continue }
      effects.released.append(Effects.Release(cell: cell, outcome: .cancelled))
    }
    for track in Array(pauses.keys) where machine.look(at: track, { $0.phase != .walking }) {
      guard let cell = pauses.removeValue(forKey: track) else { continue }
      effects.released.append(Effects.Release(cell: cell, outcome: .cancelled))
    }
  }

  /// A commit is over, whatever came of it: what had to wait for it is adopted now.
  mutating func endCommit(_ core: FlowCore) -> [Effects] {
    isCommitting = false
    defer { deferred = [] }
    return deferred.compactMap { input in
      // Refused by now: what was asked for is no longer possible, and whoever asked has been told of the attempt.
      guard let decision = try? input(&machine) else { return nil }
      note(decision, core)
      return adopt(decision, core: core)
    }
  }

  /// What is adopted without a commit belongs to the next one.
  mutating func note<Value>(_ decision: Decision<Value>, _ core: FlowCore) {
    guard core.commit != nil, let entry = decision.event else { return }
    uncommitted.append(machine.event(entry))
  }

  private mutating func openLatches(after event: LogEntry?, _ effects: inout Effects) {
    let first = effects.released.count
    // By index: a closure would get a copy of the machine.
    for index in latches.indices.reversed() {
      let latch = latches[index]
      guard let outcome = latch.outcome(after: event, of: machine) else { continue }
      effects.released.append(Effects.Release(cell: latch.cell, outcome: outcome))
      latches.remove(at: index)
    }
    // Who has waited longest goes first.
    if effects.released.count > first + 1 { effects.released[first...].reverse() }
  }
}

extension FlowMachine {
  /// The event that was published last.
  fileprivate func event(_ entry: LogEntry) -> NavigationEvent {
    NavigationEvent(flow: flow, run: run, sequence: sequence, entry: entry)
  }
}
