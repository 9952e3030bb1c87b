// How an input becomes true: a turn of the actor decides and adopts it. Where inputs are committed, one after the other is
// decided on a copy of the machine, committed, and then adopted.
extension FlowCoordinator {
  /// Gives the machine an input, commits what it decided, adopts it, and carries out what follows.
  ///
  /// Inputs wait in order for the commit of the one before. If the commit throws, the input is refused and nothing has
  /// changed.
  ///
  /// - Parameters:
  ///   - track: The track the input is about.
  ///   - isCommitted: Whether the decision is worth a commit; if not, it still waits for those under way.
  ///   - evenParked: Whether it is decided and committed also when the flow was put away.
  ///   - input: Reads no state of the actor's: the machine is lent to it.
  nonisolated func decide<Value: Sendable>(
    on track: TrackID = .main, isCommitted: Bool = true, evenParked: Bool = false,
    _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Decision<Value>
  ) async throws -> Value {
    guard commit == nil else {
      return try await decideInOrder(on: track, isCommitted: isCommitted, evenParked: evenParked, input)
    }
    if cancellation.isPending { await hearOfCancellation() }
    var turn = try await turn(on: track, input)
    turn.afterwards.perform()
    return turn.value
  }

  /// Kept out of ``decide(on:isCommitted:evenParked:_:)``: an async function keeps room for all its paths.
  @inline(never)
  private nonisolated func decideInOrder<Value: Sendable>(
    on track: TrackID, isCommitted: Bool, evenParked: Bool,
    _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Decision<Value>
  ) async throws -> Value {
    await order.lock()
    defer { order.unlock() }
    if cancellation.isPending { await hearOfCancellation() }
    return try await decideNext(on: track, isCommitted: isCommitted, evenParked: evenParked, input)
  }

  private nonisolated func decideNext<Value: Sendable>(
    on track: TrackID, isCommitted: Bool, evenParked: Bool,
    _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Decision<Value>
  ) async throws -> Value {
    var (next, stopwatch) = try await nextMachine(evenParked: evenParked)
    let decision = try input(&next, stopwatch)
    if isCommitted {
      let events = decision.event.map { [next.event($0)] } ?? []
      do { try await commit?(next, events) } catch {
        if isKept, FlowChain.code(of: serial) != nil { await note(loss: error, on: track) }
        throw error
      }
    }
    var afterwards = await adopt(next, decision, on: track)
    afterwards.perform()
    return decision.value
  }

  private func turn<Value: Sendable>(
    on track: TrackID, _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Decision<Value>
  ) throws -> Turn<Value> {
    let decision = try input(&machine, stopwatch)
    return Turn(value: decision.value, afterwards: adopt(decision, on: track))
  }

  /// The machine, to be lent to the next input. Nobody else changes it until that is adopted or refused.
  private func nextMachine(evenParked: Bool) throws -> (FlowMachine, Stopwatch) {
    guard !isParked || evenParked else { throw CancellationError() }
    return (machine, stopwatch)
  }

  private func adopt<Value: Sendable>(
    _ next: FlowMachine, _ decision: Decision<Value>, on track: TrackID
  ) -> Afterwards {
    machine = next
    return adopt(decision, on: track)
  }

  private func note(loss error: any Error, on track: TrackID) { with(track) { $0.loss = error } }
}

// MARK: - Cancellation of the caller

extension FlowCoordinator {
  /// The caller of `run` was cancelled: an unkept flow ends, a kept one is put away.
  nonisolated func callerCancelled() async {
    guard commit != nil else { return await hearOfCancellation() }
    await order.lock()
    await hearOfCancellation()
    order.unlock()
  }

  private nonisolated func hearOfCancellation() async {
    if isKept {
      await park()
    } else if commit == nil {
      var turn = try? await turn(on: .main) { machine, stopwatch in
        Decision((), machine.cancel(since: stopwatch.elapsed()))
      }
      turn?.afterwards.perform()
    } else {
      // One that cannot be committed is not forgotten: the next input brings it again.
      let isTold: ()? = try? await decideNext(on: .main, isCommitted: true, evenParked: false) { machine, stopwatch in
        Decision((), machine.cancel(since: stopwatch.elapsed()))
      }
      guard isTold != nil else { return }
    }
    cancellation.isHeard()
  }
}

// MARK: - Adopting

extension FlowCoordinator {
  /// The machine has taken an input: publishes its event, and collects what is to be done outside the actor.
  private func adopt<Value: Sendable>(_ decision: Decision<Value>, on track: TrackID) -> Afterwards {
    let track = decision.track ?? track
    var afterwards = Afterwards()
    if case .begin(let stopwatch) = decision.errand { beginRun(stopwatch) }
    if let event = decision.event { afterwards.add(log.append(event, isLast: machine.phase == .ended)) }
    let (isAsking, isOver) = machine.look(at: track) {
      ($0.asking != nil, $0.phase != .walking || $0.focus.hasReturned)
    }
    with(track) { tasks in
      if case .ask(let asker) = decision.errand { tasks.asker = asker }
      if decision.startsWalk { tasks.isWalking = true }
      if decision.cancelsWalk, tasks.isWalking, let stint = tasks.stint { afterwards.add(.cancel(stint)) }
      if !isAsking, let asker = tasks.asker.take() {
        if case .answer(let outcome) = decision.errand {
          afterwards.add(.resume(asker, outcome))
        } else {
          afterwards.add(.resume(asker, .cancelled))
        }
      }
      if isOver, !tasks.held.isEmpty {
        for task in tasks.takeHeld() { afterwards.add(.resume(task, .cancelled)) }
      }
    }
    if branches.count > 0 { dissolve(&afterwards) }
    run(decision.errand, on: track, &afterwards)
    if !waits.isEmpty || !pauses.isEmpty { release(&afterwards) }
    if !milestones.isEmpty { reachMilestones(after: decision.event, &afterwards) }
    // Committed while the flow was put away: what it waits for does not come.
    if isParked {
      for waiter in takeWaiters() { afterwards.add(.resume(waiter, .cancelled)) }
    }
    if timerIsLate { setTimer(&afterwards) }
    afterwards.discarded = machine.takeDiscarded()
    return afterwards
  }

  /// Branches that leave because of this input.
  private func dissolve(_ afterwards: inout Afterwards) {
    for track in machine.takeDissolved() {
      with(track) { tasks in
        if tasks.isWalking, let stint = tasks.stint { afterwards.add(.cancel(stint)) }
        for waiter in tasks.takeHeld() { afterwards.add(.resume(waiter, .cancelled)) }
        if let asker = tasks.asker.take() { afterwards.add(.resume(asker, .cancelled)) }
      }
    }
  }

  private func run(_ errand: Errand, on track: TrackID, _ afterwards: inout Afterwards) {
    switch errand {
    case .none, .begin, .ask, .answer: break
    case .hold(let waiter): with(track) { $0.held.append(waiter) }
    case .remind(let number):
      if let asker = with(track, { $0.asker }) { afterwards.add(.remind(asker, number: number)) }
    case .reach(let milestone): milestones.append(milestone)
    case .await(let number, let waiter): waits[number] = waiter
    case .wake(let number, let value):
      if let waiter = waits.removeValue(forKey: number) { afterwards.add(.resume(waiter, .success(value))) }
    case .pause(let waiter): pauses[track] = waiter
    case .endPause:
      if let waiter = pauses.removeValue(forKey: track) { afterwards.add(.resume(waiter, .success(()))) }
    }
  }

  /// Resumes the tasks that waited for a signal or a pause, and need not any more.
  private func release(_ afterwards: inout Afterwards) {
    for number in machine.takeClosedWaits() {
      if let waiter = waits.removeValue(forKey: number) { afterwards.add(.resume(waiter, .cancelled)) }
    }
    for track in Array(pauses.keys) where machine.look(at: track, { $0.phase != .walking }) {
      if let waiter = pauses.removeValue(forKey: track) { afterwards.add(.resume(waiter, .cancelled)) }
    }
  }

  /// Resumes the waiters whose milestones are reached, those that have waited longest first.
  private func reachMilestones(after event: LogEntry?, _ afterwards: inout Afterwards) {
    milestones.removeAll { milestone in
      guard let outcome = milestone.outcome(after: event, of: machine) else { return false }
      afterwards.add(.resume(milestone.waiter, outcome))
      return true
    }
  }
}

extension FlowMachine {
  /// The event that was published last.
  fileprivate func event(_ entry: LogEntry) -> NavigationEvent {
    NavigationEvent(flow: flow, run: run, sequence: sequence, entry: entry)
  }
}
