// The way of an input: decide, commit, adopt, publish, act.
extension FlowCore {
  /// Gives the machine an input, commits what it decided, adopts it, and carries out what follows.
  ///
  /// Without a commit hook nothing suspends. With one, inputs wait in order for the commit of the one before; if the
  /// commit throws, the input is refused and nothing has changed.
  ///
  /// - Parameters:
  ///   - latch: Entered in the turn that adopts the decision, so that nothing can happen in between.
  ///   - asker: Likewise the asker of the question that the input opens.
  ///   - commits: Whether the decision is worth a commit; if not, it still waits for those under way.
  func decide<Value>(
    latch: Latch? = nil, asker: Cell? = nil, commits: Bool = true,
    _ input: (inout FlowMachine) throws -> Decision<Value>
  ) async throws -> Value {
    guard commit == nil else {
      return try await decideCommitting(latch: latch, asker: asker, commits: commits, input)
    }
    return try decideAtOnce(latch: latch, asker: asker, input)
  }

  /// Kept out of ``decide(latch:asker:commits:_:)``: whatever an async function has in its hands, on whichever path, is
  /// room that the task keeps for as long as it lives.
  @inline(never)
  private func decideAtOnce<Value>(
    latch: Latch?, asker: Cell?, _ input: (inout FlowMachine) throws -> Decision<Value>
  ) throws -> Value {
    var (value, effects) = try withState { state in
      let decision = try input(&state.machine)
      return (decision.value, state.adopt(decision, latch: latch, asker: asker))
    }
    effects.perform()
    return value
  }

  @inline(never)
  private func decideCommitting<Value>(
    latch: Latch?, asker: Cell?, commits: Bool, _ input: (inout FlowMachine) throws -> Decision<Value>
  ) async throws -> Value {
    await gate.enter()
    defer { gate.leave() }
    var next = withState { state in
      state.isCommitting = true
      return state.machine
    }
    do {
      let decision = try input(&next)
      if commits { try await commit?(next) }
      let committed = next
      var effects = withState { state in
        state.machine = committed
        let effects = state.adopt(decision, latch: latch, asker: asker)
        return [effects] + state.endCommit()
      }
      for index in effects.indices { effects[index].perform() }
      return decision.value
    } catch {
      var effects = withState { $0.endCommit() }
      for index in effects.indices { effects[index].perform() }
      throw error
    }
  }

  /// Gives the machine an input that cannot wait: from a cancellation handler, or a verb that is not `async`.
  ///
  /// It is not committed: what it asks for is a leave, and a leave that a crash interrupts is asked for again by the
  /// step that runs again. While another input is being committed it is only tried out, and given right after.
  func decideNow(_ input: @escaping @Sendable (inout FlowMachine) throws -> Decision<Void>) throws {
    var effects: Effects? = try withState { state in
      if state.isCommitting {
        var attempt = state.machine
        _ = try input(&attempt)
        state.deferred.append(input)
        return nil
      }
      return state.adopt(try input(&state.machine))
    }
    effects?.perform()
  }
}

extension FlowCore.State {
  /// The machine has taken an input: publishes its event, and collects what is to be done outside the lock.
  mutating func adopt<Value>(
    _ decision: Decision<Value>, latch: Latch? = nil, asker cell: Cell? = nil
  ) -> Effects {
    var effects = Effects()
    if let event = decision.event {
      effects.garbage.entry = log.append(event)
      if machine.phase == .ended { log.close() }
      effects.readers = log.takeWaiting()
    }
    if let cell { asker = cell }
    if machine.asking == nil, let cell = asker {
      effects.asker = (cell, decision.answer ?? .failure(CancellationError()))
      asker = nil
    }
    if decision.startsWalk { isWalking = true }
    if decision.cancelsWalk, isWalking {
      effects.cancelled = stint
      if stint == nil {
        cancelsStint = true
        // An asker that is told before its task is cancelled would think that only its question was given up.
        lateAsker = effects.asker?.cell
        effects.asker = nil
      }
    }
    if let latch { latches.append(latch) }
    if !latches.isEmpty { effects.released = openLatches(after: decision.event) }
    effects.garbage.values = machine.takeDiscarded()
    return effects
  }

  /// A commit is over, whatever came of it: what had to wait for it is adopted now.
  mutating func endCommit() -> [Effects] {
    isCommitting = false
    defer { deferred = [] }
    return deferred.compactMap { input in
      // Refused by now: what was asked for is no longer possible, and whoever asked has been told of the attempt.
      guard let decision = try? input(&machine) else { return nil }
      return adopt(decision)
    }
  }

  private mutating func openLatches(
    after event: LogEntry?
  ) -> [(cell: Cell, result: Cell.Outcome)] {
    let change: Change? = if case .other(let transition)? = event { transition.change } else { nil }
    var open: [(cell: Cell, result: Cell.Outcome)] = []
    latches.removeAll { latch in
      guard let outcome = latch.outcome(after: change, of: machine) else { return false }
      open.append((latch.cell, outcome.map { machine.position as any Sendable }))
      return true
    }
    return open
  }
}
