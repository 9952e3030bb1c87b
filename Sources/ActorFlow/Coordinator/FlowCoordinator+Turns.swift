import Synchronization

// The path of an input: one turn of the actor decides and adopts it. With a commit hook, inputs are handled one after
// the other: each is decided on a copy of the machine, committed, and then adopted.
extension FlowCoordinator {
  /// Gives the machine an input, commits the decision, adopts it, and performs the actions that follow.
  ///
  /// An input waits until earlier ones are committed. If the commit throws, the input is refused, and nothing has
  /// changed. If the machine says that an input needs no commit, it is adopted without one, unless a request gives it.
  ///
  /// - Parameters:
  ///   - track: The track that the input is about.
  ///   - cause: The request that gives the input, for the commit.
  ///   - evenPassivated: Whether the input is decided and committed even after the flow was passivated.
  ///   - waiter: Registered in the same turn, if the machine decides that the task has to wait.
  ///   - newStopwatch: The stopwatch of the run that the input begins.
  ///   - input: Calls one of the machine's inputs. It must not read state of the actor, because the machine is lent to
  ///     it.
  nonisolated func decide<Value: Sendable>(
    on track: TrackID = .main, cause: (any CommitCause)? = nil, evenPassivated: Bool = false, waiter: OneShot? = nil,
    newStopwatch: (any Stopwatch)? = nil, _ input: @Sendable (inout FlowMachine, any Stopwatch) throws -> Value
  ) async throws -> Value {
    guard commit == nil else {
      return try await decideInOrder(on: track, cause, evenPassivated: evenPassivated, waiter, newStopwatch, input)
    }
    if cancellation.isPending { await hearOfCancellation() }
    var turn = try await turn(waiter, newStopwatch, input)
    turn.afterwards.perform()
    return turn.value
  }

  /// As `decide`, but after the inputs that came before, and their commits. Without a commit hook, only the timers come
  /// this way.
  ///
  /// Kept out of `decide` because the frame of an async function has room for all its paths.
  @inline(never)
  nonisolated func decideInOrder<Value: Sendable>(
    on track: TrackID = .main, _ cause: (any CommitCause)? = nil, evenPassivated: Bool = false,
    _ waiter: OneShot? = nil, _ newStopwatch: (any Stopwatch)? = nil,
    _ input: @Sendable (inout FlowMachine, any Stopwatch) throws -> Value
  ) async throws -> Value {
    await order.lock()
    defer { order.unlock() }
    if cancellation.isPending { await hearOfCancellation() }
    return try await decideNext(on: track, cause, evenPassivated: evenPassivated, waiter, newStopwatch, input)
  }

  /// Decides an input while no other one can come. The caller has locked the order, or there is no commit hook.
  private nonisolated func decideNext<Value: Sendable>(
    on track: TrackID = .main, _ cause: (any CommitCause)? = nil, evenPassivated: Bool = false,
    _ waiter: OneShot? = nil, _ newStopwatch: (any Stopwatch)? = nil,
    _ input: @Sendable (inout FlowMachine, any Stopwatch) throws -> Value
  ) async throws -> Value {
    guard commit != nil else {
      var turn = try await turn(waiter, newStopwatch, input)
      turn.afterwards.perform()
      return turn.value
    }
    var (next, stopwatch): (FlowMachine, any Stopwatch)
    do { (next, stopwatch) = try await nextMachine(for: cause, evenPassivated: evenPassivated) } catch {
      // Code that comes to this after the flow was passivated has not failed: a step begins anew, and a `backUp` is
      // called again.
      if isPersisted, !(error is NotAtRest), FlowChain.code(of: serial) != nil { await note(loss: error, on: track) }
      throw error
    }
    var (value, reaction): (Value, Reaction)
    do { (value, reaction) = try next.react { try input(&$0, stopwatch) } } catch let unfit as UnfitJournal {
      await standStill(because: unfit.error, on: track)
      throw unfit.error
    }
    // A request is always committed, so that its key counts as used even if it has changed nothing.
    let time = (newStopwatch ?? stopwatch).elapsed()
    let need = next.takeCommitNeed(of: &reaction, isRequested: cause != nil, at: time)
    var isLast = false
    if need != .none {
      let events = next.events(of: reaction, at: time)
      do {
        if need == .later, let holding = settings.persistence?.holding {
          try await holding.hold(next, events)
        } else {
          isLast = try await commit(next, events, cause, at: time)
        }
      } catch {
        if isPersisted, !(error is RolledBackCommit), FlowChain.code(of: serial) != nil {
          await note(loss: error, on: track)
        }
        throw error
      }
    }
    var afterwards = await adopt(next, reaction, waiter, newStopwatch, at: time, isLast: isLast)
    afterwards.perform()
    return value
  }

  /// Commits a decision. Returns whether the flow is to be passivated in the turn that adopts it.
  ///
  /// - Parameter asker: The asker that the decision keeps waiting although an answerer has reserved it.
  nonisolated func commit(
    _ next: FlowMachine, _ events: [NavigationEvent], _ cause: (any CommitCause)?, at time: Duration,
    keeping asker: OneShot? = nil
  ) async throws -> Bool {
    if let lastCommit = settings.persistence?.lastCommit, await mayBeLast(next, at: time, keeping: asker) {
      return try await lastCommit(next, events, cause)
    }
    try await commit?(next, events, cause)
    return false
  }

  private func turn<Value: Sendable>(
    _ waiter: OneShot? = nil, _ newStopwatch: (any Stopwatch)? = nil,
    _ input: @Sendable (inout FlowMachine, any Stopwatch) throws -> Value
  ) throws -> Turn<Value> {
    try withState { state in
      let stopwatch = state.stopwatch
      let (value, reaction) = try state.machine.react { try input(&$0, stopwatch) }
      return Turn(value: value, afterwards: adopt(reaction, waiter, newStopwatch, in: &state))
    }
  }

  /// Lends the machine to the next input. No other input changes it until that one is adopted or refused.
  ///
  /// - Throws: `CancellationError` if the flow was passivated; ``NotAtRest`` if the cause needs rest.
  func nextMachine(
    for cause: (any CommitCause)?, evenPassivated: Bool
  ) throws -> (FlowMachine, any Stopwatch) {
    guard !state.isPassivated || evenPassivated else { throw CancellationError() }
    guard cause?.needsRest != true || isAtRest else { throw NotAtRest() }
    return (state.machine, state.stopwatch)
  }

  /// - Parameter isLast: Whether the flow is passivated in the same turn.
  func adopt(
    _ next: FlowMachine, _ reaction: Reaction, _ waiter: OneShot?, _ newStopwatch: (any Stopwatch)?, at time: Duration,
    isLast: Bool = false
  ) -> Afterwards {
    var afterwards = withState { state in
      state.machine = next
      return adopt(reaction, waiter, newStopwatch, at: time, in: &state)
    }
    if isLast { passivate(&afterwards) }
    return afterwards
  }

  @inline(__always)
  nonisolated func adopt(
    _ reaction: borrowing Reaction, _ waiter: OneShot?, _ newStopwatch: (any Stopwatch)?, at time: Duration? = nil,
    in state: inout RunState
  ) -> Afterwards {
    if let newStopwatch { beginRun(newStopwatch, in: &state) }
    var afterwards = state.adopt(reaction, waiter, at: time)
    inputs.store(state.machine.inputs, ordering: .relaxed)
    if let due = reaction.timer {
      setTimer(due, isForTimer: state.machine.nextTimer != nil, in: &state.timer, &afterwards)
    }
    return afterwards
  }

  /// Passivates the flow, because the code of a step does not fit the stored state. The step has not failed: it learns
  /// of the error when the flow is passivated.
  @inline(never)
  private nonisolated func standStill(because error: FlowError, on track: TrackID) async {
    await settings.persistence?.refuse(error)
    await note(loss: error, on: track)
    await passivate()
  }

  private func note(loss error: any Error, on track: TrackID) { with(track) { $0.loss = error } }
}

// MARK: - Cancellation of the caller

extension FlowCoordinator {
  /// Handles a cancellation of the caller of `run`: passivates a durable flow, and ends any other.
  nonisolated func callerCancelled() async {
    await order.lock()
    await hearOfCancellation()
    order.unlock()
  }

  @inline(never)
  nonisolated func hearOfCancellation() async {
    if isPersisted {
      await passivate()
    } else {
      // If it cannot be committed, the cancellation stays pending, and the next input brings it again.
      let isTold: ()? = try? await decideNext { machine, stopwatch in machine.cancel(since: stopwatch.elapsed()) }
      guard isTold != nil else { return }
    }
    cancellation.isHeard()
  }
}

extension FlowMachine {
  /// The events that the latest input has published.
  func events(of reaction: borrowing Reaction, at time: Duration) -> [NavigationEvent] {
    guard let event = reaction.event else { return [] }
    let last = NavigationEvent(flow: flow, run: run, sequence: sequence, at: time, entry: event)
    guard let first = reaction.firstEvent else { return [last] }
    return [NavigationEvent(flow: flow, run: run, sequence: sequence - 1, at: time, entry: first), last]
  }

  /// The latest events, of which these are the entries.
  func events(_ entries: [LogEntry], at time: Duration) -> [NavigationEvent] {
    let first = sequence - entries.count + 1
    return entries.enumerated().map { index, entry in
      NavigationEvent(flow: flow, run: run, sequence: first + index, at: time, entry: entry)
    }
  }
}

/// The result of a turn of the coordinator.
struct Turn<Value: Sendable>: Sendable {
  let value: Value
  var afterwards: Afterwards
}
