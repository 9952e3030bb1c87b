// The way of an input: decide, commit, adopt, publish, act.
extension FlowCore {
  /// Gives the machine an input, commits what it decided, adopts it, and carries out what follows.
  ///
  /// Without a commit hook nothing suspends. With one, inputs wait in order for the commit of the one before; if the
  /// commit throws, the input is refused and nothing has changed.
  ///
  /// - Parameters:
  ///   - track: The track the input is about.
  ///   - asker: Of the question that the input opens: entered in the turn that adopts the decision.
  ///   - commits: Whether the decision is worth a commit; if not, it still waits for those under way.
  ///   - evenParked: Whether it is decided and committed also when the flow was put away.
  func decide<Value>(
    on track: TrackID = .main, asker: Cell? = nil, commits: Bool = true, evenParked: Bool = false,
    _ input: (inout FlowMachine) throws -> Decision<Value>
  ) async throws -> Value {
    guard commit == nil else {
      return try await decideCommitting(on: track, asker: asker, commits: commits, evenParked: evenParked, input)
    }
    return try decideAtOnce(on: track, asker: asker, input)
  }

  /// Kept out of ``decide(on:asker:commits:_:)``: whatever an async function has in its hands, on whichever path, is
  /// room that the task keeps for as long as it lives.
  @inline(never)
  private func decideAtOnce<Value>(
    on track: TrackID, asker: Cell?, _ input: (inout FlowMachine) throws -> Decision<Value>
  ) throws -> Value {
    var (value, effects) = try withState { state in
      let decision = try input(&state.machine)
      return (decision.value, state.adopt(decision, on: track, asker: asker, core: self))
    }
    effects.perform()
    return value
  }

  @inline(never)
  private func decideCommitting<Value>(
    on track: TrackID, asker: Cell?, commits: Bool, evenParked: Bool,
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
        let effects = state.adopt(decision, on: track, asker: asker, core: self)
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
      if codec != nil, FlowChain.code(of: serial) != nil { withState { $0[track].loss = error } }
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
    _ decision: Decision<Value>, on track: TrackID = .main, asker cell: Cell? = nil,
    core: FlowCore
  ) -> Effects {
    let track = decision.track ?? track
    var effects = Effects()
    if let event = decision.event {
      effects.garbage.entry = log.append(event)
      if machine.phase == .ended { log.close() }
      effects.readers = log.takeWaiting()
    }
    if let cell { self[track].asker = cell }
    if decision.startsWalk { self[track].isWalking = true }
    if let cell = self[track].asker, machine.look(at: track, { $0.asking == nil }) {
      self[track].asker = nil
      effects.asker = (cell, decision.answer ?? .failure(CancellationError()))
    }
    if decision.cancelsWalk, self[track].isWalking { effects.cancelled = self[track].stint }
    if branches.count > 0 { dissolve(&effects) }
    if let number = decision.nudge, let asker = self[track].asker { effects.nudged = (asker, number) }
    if let waiter = decision.waiter { waiters[waiter.number] = waiter.cell }
    if let pause = decision.pause { pauses[track] = pause }
    if decision.endsPause, let pause = pauses.removeValue(forKey: track) {
      effects.released.append((pause, .success(())))
    }
    if !waiters.isEmpty || !pauses.isEmpty { wake(decision.woken, &effects) }
    if timerIsLate { effects.timer = core }
    if let latch = decision.latch { latches.append(latch) }
    if !latches.isEmpty { effects.released += openLatches(after: decision.event) }
    // Committed while the flow was put away: what it waits for does not come.
    if isParked { effects.released += takeLatches() }
    effects.garbage.values = machine.takeDiscarded()
    return effects
  }

  /// Branches that leave because of this input.
  private mutating func dissolve(_ effects: inout Effects) {
    for track in machine.takeDissolved() {
      let asker = self[track].asker.take()
      effects.others.append((self[track].isWalking ? self[track].stint : nil, asker))
    }
  }

  /// Those who waited for a signal or a pause, and need not any more.
  private mutating func wake(_ woken: (number: Int, value: any Sendable)?, _ effects: inout Effects) {
    if let woken, let cell = waiters.removeValue(forKey: woken.number) {
      effects.released.append((cell, .success(woken.value)))
    }
    for number in machine.takeClosedWaits() {
      guard let cell = waiters.removeValue(forKey: number) else { continue }
      effects.released.append((cell, .failure(CancellationError())))
    }
    for track in Array(pauses.keys) where machine[track].phase != .walking {
      guard let cell = pauses.removeValue(forKey: track) else { continue }
      effects.released.append((cell, .failure(CancellationError())))
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

  private mutating func openLatches(
    after event: LogEntry?
  ) -> [(cell: Cell, result: Cell.Outcome)] {
    let change: Change? = if case .other(let transition)? = event { transition.change } else { nil }
    var open: [(cell: Cell, result: Cell.Outcome)] = []
    // By index: a closure would get a copy of the machine.
    for index in latches.indices.reversed() {
      guard let outcome = latches[index].outcome(after: change, of: machine) else { continue }
      open.append((latches[index].cell, outcome.map { machine.position as any Sendable }))
      latches.remove(at: index)
    }
    open.reverse()
    return open
  }
}

extension FlowMachine {
  /// The event that was published last.
  fileprivate func event(_ entry: LogEntry) -> NavigationEvent {
    NavigationEvent(flow: flow, run: run, sequence: sequence, entry: entry)
  }
}
