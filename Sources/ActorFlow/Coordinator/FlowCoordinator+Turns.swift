// The path of an input: one turn of the actor decides and adopts it. With a commit hook, inputs are handled one after
// the other: each is decided on a copy of the machine, committed, and then adopted.
extension FlowCoordinator {
  /// Gives the machine an input, commits the decision, adopts it, and performs the actions that follow.
  ///
  /// An input waits until earlier ones are committed. If the commit throws, the input is refused, and nothing has
  /// changed.
  ///
  /// - Parameters:
  ///   - track: The track that the input is about.
  ///   - isCommitted: Whether to commit the decision. If not, the input still waits for commits under way.
  ///   - evenPassivated: Whether the input is decided and committed even after the flow was passivated.
  ///   - waiter: Registered in the same turn, if the machine decides that the task has to wait.
  ///   - newStopwatch: The stopwatch of the run that the input begins.
  ///   - input: Calls one of the machine's inputs. It must not read state of the actor, because the machine is lent to
  ///     it.
  nonisolated func decide<Value: Sendable>(
    on track: TrackID = .main, isCommitted: Bool = true, evenPassivated: Bool = false, waiter: OneShot? = nil,
    newStopwatch: Stopwatch? = nil, _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Value
  ) async throws -> Value {
    guard commit == nil else {
      return try await decideInOrder(
        on: track, isCommitted: isCommitted, evenPassivated: evenPassivated, waiter, newStopwatch, input)
    }
    if cancellation.isPending { await hearOfCancellation() }
    var turn = try await turn(waiter, newStopwatch, input)
    turn.afterwards.perform()
    return turn.value
  }

  /// As `decide`, with a commit hook. Kept out of it because the frame of an async function has room for all its paths.
  @inline(never)
  private nonisolated func decideInOrder<Value: Sendable>(
    on track: TrackID, isCommitted: Bool, evenPassivated: Bool, _ waiter: OneShot?, _ newStopwatch: Stopwatch?,
    _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Value
  ) async throws -> Value {
    await order.lock()
    defer { order.unlock() }
    if cancellation.isPending { await hearOfCancellation() }
    return try await decideNext(
      on: track, isCommitted: isCommitted, evenPassivated: evenPassivated, waiter, newStopwatch, input)
  }

  private nonisolated func decideNext<Value: Sendable>(
    on track: TrackID, isCommitted: Bool, evenPassivated: Bool, _ waiter: OneShot? = nil,
    _ newStopwatch: Stopwatch? = nil,
    _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Value
  ) async throws -> Value {
    var (next, stopwatch) = try await nextMachine(evenPassivated: evenPassivated)
    let (value, reaction) = try next.react { try input(&$0, stopwatch) }
    if isCommitted {
      let events = reaction.event.map { [next.event($0)] } ?? []
      do { try await commit?(next, events) } catch {
        if isPersisted, FlowChain.code(of: serial) != nil { await note(loss: error, on: track) }
        throw error
      }
    }
    var afterwards = await adopt(next, reaction, waiter, newStopwatch)
    afterwards.perform()
    return value
  }

  private func turn<Value: Sendable>(
    _ waiter: OneShot? = nil, _ newStopwatch: Stopwatch? = nil,
    _ input: @Sendable (inout FlowMachine, Stopwatch) throws -> Value
  ) throws -> Turn<Value> {
    let stopwatch = stopwatch
    let (value, reaction) = try machine.react { try input(&$0, stopwatch) }
    return Turn(value: value, afterwards: adopt(reaction, waiter, newStopwatch))
  }

  /// Lends the machine to the next input. No other input changes it until that one is adopted or refused.
  private func nextMachine(evenPassivated: Bool) throws -> (FlowMachine, Stopwatch) {
    guard !isPassivated || evenPassivated else { throw CancellationError() }
    return (machine, stopwatch)
  }

  private func adopt(
    _ next: FlowMachine, _ reaction: Reaction, _ waiter: OneShot?, _ newStopwatch: Stopwatch?
  ) -> Afterwards {
    machine = next
    return adopt(reaction, waiter, newStopwatch)
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

  private nonisolated func hearOfCancellation() async {
    if isPersisted {
      await passivate()
    } else if commit == nil {
      var turn = try? await turn { machine, stopwatch in machine.cancel(since: stopwatch.elapsed()) }
      turn?.afterwards.perform()
    } else {
      // If it cannot be committed, the cancellation stays pending, and the next input brings it again.
      let isTold: ()? = try? await decideNext(on: .main, isCommitted: true, evenPassivated: false) {
        machine, stopwatch in
        machine.cancel(since: stopwatch.elapsed())
      }
      guard isTold != nil else { return }
    }
    cancellation.isHeard()
  }
}

// MARK: - Adopting

extension FlowCoordinator {
  /// Handles the reaction to an input that the machine has taken: publishes the event, performs the actions, and
  /// collects the rest, which is to be done outside the actor.
  ///
  /// - Parameters:
  ///   - waiter: The waiter of the task that gave the input.
  ///   - stopwatch: The stopwatch of the run that begins.
  private func adopt(_ reaction: Reaction, _ waiter: OneShot?, _ stopwatch: Stopwatch?) -> Afterwards {
    var afterwards = Afterwards(discarding: reaction.discarded)
    if let stopwatch { self.stopwatch = stopwatch }
    if log.run < machine.run { beginRun() }
    if let event = reaction.event { afterwards.add(log.append(event, isLast: machine.phase == .ended)) }
    reaction.forEachAction { perform($0, waiter, &afterwards) }
    if !milestones.isEmpty { reachMilestones(after: reaction.event, &afterwards) }
    // The flow was passivated during the commit, so a task that began to wait with this input would never be resumed.
    if isPassivated {
      for waiter in takeWaiters() { afterwards.add(.resume(waiter, .cancelled)) }
    }
    if let due = reaction.timer { setTimer(due, &afterwards) }
    return afterwards
  }

  /// Performs an action of the machine. Everything that may run user code is left to `afterwards`.
  private func perform(_ action: Reaction.Action, _ waiter: OneShot?, _ afterwards: inout Afterwards) {
    switch action {
    case .startWalk(let track): with(track) { $0.isWalking = true }
    case .cancelWalk(let track):
      if let stint = with(track, { $0.isWalking ? $0.stint : nil }) { afterwards.add(.cancel(stint)) }

    case .awaitAnswer(let track): with(track) { $0.asker = waiter }
    case .resumeAsker(let track, let outcome):
      if let asker = with(track, { $0.asker.take() }) { afterwards.add(.resume(asker, outcome)) }
    case .remind(let track, let number):
      if let asker = with(track, { $0.asker }) { afterwards.add(.remind(asker, number: number)) }

    case .awaitSignal(let number): waits[number] = waiter
    case .resumeWait(let number, let outcome):
      if let waiter = waits.removeValue(forKey: number) { afterwards.add(.resume(waiter, outcome)) }

    case .awaitPause(let track): pauses[track] = waiter
    case .endPause(let track, let outcome):
      if let waiter = pauses.removeValue(forKey: track) { afterwards.add(.resume(waiter, outcome)) }

    case .hold(let track): if let waiter { with(track) { $0.held.append(waiter) } }
    case .releaseHeld(let track):
      for waiter in with(track, { $0.takeHeld() }) { afterwards.add(.resume(waiter, .cancelled)) }

    case .awaitMilestone(let milestone): if let waiter { milestones.append((milestone, waiter)) }
    case .wakeOnce:
      for waiter in onceWaiters { afterwards.add(.resume(waiter, .success(()))) }
      onceWaiters = []
    }
  }

  /// Resumes the waiters whose milestones are reached, the longest waiting first.
  private func reachMilestones(after event: LogEntry?, _ afterwards: inout Afterwards) {
    var index = 0
    while index < milestones.count {
      guard let outcome = machine.judge(milestones[index].milestone, after: event) else {
        index += 1
        continue
      }
      afterwards.add(.resume(milestones.remove(at: index).waiter, outcome))
    }
  }
}

extension FlowMachine {
  /// The event that was published last, as a navigation event.
  fileprivate func event(_ entry: LogEntry) -> NavigationEvent {
    NavigationEvent(flow: flow, run: run, sequence: sequence, entry: entry)
  }
}

/// The result of a turn of the coordinator.
struct Turn<Value: Sendable>: Sendable {
  let value: Value
  var afterwards: Afterwards
}

/// The rest of a turn, for its caller to do outside the actor. Releasing values and cancelling or resuming tasks may
/// run user code, and none may run within a turn.
struct Afterwards: Sendable {
  /// The values that the machine has dropped. They are released first, so that a resumed task no longer finds them.
  private var discarded: [any Sendable] = []
  private var displaced: LogEntry?
  private var readers: EventLog.Wake?
  /// The first of the acts, which are performed in order. Most turns have none or one.
  private var first: Act?
  private var more: [Act] = []

  enum Act: Sendable {
    case cancel(Task<Void, Never>)
    case resume(OneShot, OneShot.Outcome)
    case remind(OneShot, number: Int)
  }

  init(discarding discarded: [any Sendable] = []) {
    self.discarded = discarded
  }

  mutating func add(_ act: Act) {
    if first == nil { first = act } else { more.append(act) }
  }

  mutating func add(_ appended: EventLog.Appended) {
    displaced = appended.displaced
    readers = appended.readers
  }

  mutating func wake(_ readers: EventLog.Wake?) { self.readers = readers }

  mutating func perform() {
    discarded = []
    displaced = nil
    if let first { first.perform() }
    for act in more { act.perform() }
    readers?.passOn()
  }
}

extension Afterwards.Act {
  fileprivate func perform() {
    switch self {
    case .cancel(let task): task.cancel()
    case .resume(let waiter, let outcome): waiter.fulfil(outcome)
    case .remind(let asker, let number): asker.nudge(number)
    }
  }
}
