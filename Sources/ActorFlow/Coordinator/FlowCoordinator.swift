import Synchronization

/// Runs one flow at a time: walks its steps, keeps the stack of visits, takes answers, backs up, and ends.
///
/// ```swift
/// let coordinator = FlowCoordinator()
/// async let receipt = coordinator.run(checkout, with: cart)
/// ```
///
/// Everything may be called from any task. ``run(_:with:)`` is the only call that starts anything: when it has returned
/// or thrown, no task of the library runs, nobody waits, and no step is kept alive.
///
/// The actor owns the run: the machine with its linked stack of visits, and the waiters and tasks that go with it. Each
/// input, from a step, an answerer or the clock, is a turn of the actor: the machine decides, and the actor adopts what
/// was decided. Steps, factories and all other code of the user's run between turns, never within one; so ``position``
/// and every request are served while a step is at work.
public actor FlowCoordinator {
  /// The flow's name, in every event and question.
  public nonisolated let id: FlowID

  nonisolated let settings: CoordinatorSettings
  /// Names the coordinator in the chain of those whose steps are running.
  nonisolated let serial: UInt64
  /// Commits an input before it is adopted; nil if nothing is committed.
  nonisolated let commit: Commit?
  /// Lets one input at a time be committed, and one timer at a time fire.
  nonisolated let order = AsyncMutex()
  /// The log of the latest run, for subscribers, which take no turn. A first one stands ready before `run`.
  private nonisolated let latestLog: Lock<EventLog>
  /// Whether the caller of `run` was cancelled. A flag, because a cancellation handler cannot wait for a turn.
  nonisolated let cancellation = CallerCancellation()

  var machine: FlowMachine
  var log: EventLog
  /// Tells the time since the run's start.
  var stopwatch: Stopwatch
  var timer = TimerState()
  var main = TrackTasks()
  var branches = TrackMap<TrackTasks>()
  /// The tasks that wait for signals, by the wait's number, and for pauses to end.
  var waits: [Int: OneShot] = [:]
  var pauses: [TrackID: OneShot] = [:]
  var milestones: [(milestone: Milestone, waiter: OneShot)] = []
  /// The tasks that wait for a `once` to end, and which `once` waits for which.
  var onceWaiters: [OneShot] = []
  var onceWaits = OnceWaits()
  var effects = EffectCount()
  /// Whether the flow was put away: nothing is decided here any more.
  package internal(set) var isPassivated = false
  /// The callers of `run` that wait until the run before has returned.
  private var nextRuns: [OneShot] = []
  /// Whether the tasks of a run are under way, or its `run` is about to return.
  var isDriven = false

  /// Called with the next machine before it is adopted, and with the events since the last commit; what it throws
  /// refuses the input.
  typealias Commit = @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void

  private static let serials = Atomic<UInt64>(0)

  /// A coordinator that runs nothing yet.
  ///
  /// - Parameters:
  ///   - id: The flow's name. Question ids contain it, and so do idempotency keys, which random bits of each run end.
  ///   - clock: Drives timeouts, pauses, deadlines and reminders, and times `since` in ``Status/leaving(_:since:)``.
  ///   - eventLog: How many of a run's latest events are kept for slow and late subscribers; at least 1.
  public init(id: FlowID = .unique(), clock: any Clock<Duration> = ContinuousClock(), eventLog: Int = 256) {
    var settings = CoordinatorSettings()
    settings.clock = clock
    settings.eventLog = eventLog
    self.init(id: id, settings: settings)
  }

  /// - Parameter machine: One that was read back.
  package init(id: FlowID, settings: CoordinatorSettings, machine: FlowMachine? = nil) {
    self.id = id
    self.settings = settings
    serial = Self.serials.wrappingAdd(1, ordering: .relaxed).newValue
    commit = settings.persistence?.commit ?? Self.commit(settings.commit)
    stopwatch = settings.persistence?.watch ?? .stopped
    let machine = machine ?? FlowMachine(flow: id, journal: settings.machineJournal)
    self.machine = machine
    log = EventLog(
      flow: id, run: machine.phase == .idle ? machine.nextNumbers.run + 1 : machine.run, capacity: settings.eventLog,
      after: machine.sequence)
    latestLog = Lock(log)
  }

  private static func commit(_ commit: (@Sendable (FlowMachine) async throws -> Void)?) -> Commit? {
    guard let commit else { return nil }
    return { machine, _ in try await commit(machine) }
  }

  deinit {
    // Nothing was ever launched: subscribers would wait for ever.
    log.close()?.passOn()
  }

  /// Whether the flow is kept beyond the process.
  nonisolated var isPersisted: Bool { settings.persistence != nil }
  /// Whether visits are replayed.
  nonisolated var replays: Bool { settings.machineJournal != .off }
  /// How prompts are packed, where flows are kept.
  nonisolated var codec: (any ValueCodec)? { settings.persistence?.codec }
}

// MARK: - Running

extension FlowCoordinator {
  /// Runs a flow from its first step to its end, and returns what the last step made.
  ///
  /// The steps run one after the other in a task of the flow's, with the caller's task-local values and priority.
  /// Cancelling the calling task ends the flow: the running step is cancelled and awaited, and what was done is undone,
  /// newest first.
  ///
  /// It may be called again when the run has ended. Called in a task that is cancelled already, it throws, runs no code
  /// of a step, and publishes nothing.
  ///
  /// - Throws: What a step threw, as itself; a ``FlowError`` with the code `abandoned` and the reason as message;
  ///   `CancellationError` if the caller was cancelled; a `FlowError` with the code `alreadyRunning` during a run, or
  ///   `stepFailed` around a `CancellationError` that nobody but the step had caused.
  public nonisolated func run<I, O>(_ flow: some FlowComponent<I, O>, with input: I) async throws -> O {
    try await launch(flow.flow.graph, with: input)
    await drive()
    return try await endRun().get()
  }

  /// Runs a flow that needs no input.
  public nonisolated func run<O>(_ flow: some FlowComponent<Void, O>) async throws -> O {
    try await run(flow, with: ())
  }

  /// Runs a flow from a step in its middle: a deep link, a test, a flow that another system has begun.
  ///
  /// The steps before it are not on the stack: nobody backs up past it, and nothing of theirs is undone. A
  /// `.retry` or a `.timeout` around it begins with it. Otherwise as ``run(_:with:)``.
  ///
  /// - Parameters:
  ///   - flow: The flow.
  ///   - input: The flow's own input, for a `.carrying` around the whole of it.
  ///   - step: Where to begin; its whole path, or its last part if no other step ends so.
  ///   - value: What this step is given; a value of its `Input` type.
  /// - Throws: As ``run(_:with:)``; before anything has run a ``FlowError`` with the code `noSuchStep` if there is none,
  ///   or one may not begin there, because other branches or a carried value would be missing; `typeMismatch`, naming
  ///   both types, if the step takes no such value.
  public nonisolated func run<I, O>(
    _ flow: some FlowComponent<I, O>, with input: I, startingAt step: StepID, input value: any Sendable
  ) async throws -> O {
    let graph = flow.flow.graph
    let node = try graph.node(matching: step)
    let payload = try graph.payload(entering: node, with: value, of: input)
    try await launch(graph, with: input, at: (node.address, payload))
    await drive()
    return try await endRun().get()
  }

  /// Beside `run`, like ``endRun()``, so that a task that runs a flow keeps no room for it.
  @inline(never)
  nonisolated func launch(
    _ graph: Graph, with input: any Sendable, at start: (address: Int, payload: Payload)? = nil
  ) async throws {
    try Task.checkCancellation()
    await previousRunHasReturned()
    let stopwatch = isPersisted ? nil : Stopwatch(settings.clock)
    // A run that is not kept draws its bits for its first effect; most have none.
    let keyBits = isPersisted ? KeyBits.random() : nil
    try await decide(newStopwatch: stopwatch) { machine, _ in
      try machine.launch(graph, with: input, at: start, keyBits: keyBits)
    }
  }

  /// Waits for the return of a `run` whose flow has ended.
  private func previousRunHasReturned() async {
    while machine.phase == .ended, isDriven {
      let waiter = OneShot()
      nextRuns.append(waiter)
      _ = try? await waiter.uncancellableValue()
    }
  }

  /// Begins a run after another: what belongs to that one is dropped.
  func beginRun() {
    log = EventLog(flow: id, run: machine.run, capacity: settings.eventLog)
    latestLog.withLock { $0 = log }
    (timer, main, branches) = (TimerState(), TrackTasks(), TrackMap())
  }

  /// Ends a run whose tasks have ended: its result is handed out, once.
  @inline(never)
  nonisolated func endRun<O>() async -> Result<O, any Error> {
    var (result, afterwards) = await takeResult()
    afterwards.perform()
    do {
      guard let result else { throw FlowError(.flowEnded, "the run has ended without a result", flow: id) }
      return .success(try StepBody.cast(result.get(), to: O.self))
    } catch { return .failure(error) }
  }

  private func takeResult() -> (Result<any Sendable, any Error>?, Afterwards) {
    isDriven = false
    cancellation.reset()
    let (result, reaction) = machine.react { $0.takeResult() }
    var afterwards = Afterwards(discarding: reaction.discarded)
    for waiter in nextRuns { afterwards.add(.resume(waiter, .success(()))) }
    nextRuns = []
    return (result, afterwards)
  }
}

// MARK: - Watching

extension FlowCoordinator {
  /// The transitions of the current run, as a new, independent subscription at each access; use one loop for each.
  ///
  /// It first delivers what the log still holds of the run, so a watcher that comes just after `run` began misses
  /// nothing, then each new event, and ends when the flow has ended. Before the first run it waits for it; after a run
  /// it delivers that run's events.
  ///
  /// A slow reader costs the flow nothing: one that falls behind the log misses events visibly, as a gap in
  /// ``NavigationEvent/sequence``, and is whole again with the next. The position is that at the event: to a late or slow
  /// reader it may show a question that is answered by now, and an answer to it is refused.
  public nonisolated var events: AsyncStream<NavigationEvent> { makeSubscription().stream }

  /// As ``events``, for the package's own tools.
  package nonisolated func makeSubscription() -> Subscription { Subscription(latestLog.withLock { $0 }) }

  /// Where the flow stands.
  public nonisolated var position: Position {
    get async {
      if cancellation.isPending, commit == nil { await callerCancelled() }
      return await machine.position
    }
  }

  /// Waits until the flow waits for somebody outside, or has ended; before a run, waits for one.
  ///
  /// - Returns: The position in that moment. The flow may have moved on by the time the caller looks at it.
  /// - Throws: `CancellationError` if the waiting task is cancelled; a ``FlowError`` with the code `insideFlow` when
  ///   called from inside the flow's own steps.
  @discardableResult
  public nonisolated func settled() async throws -> Position {
    try refuseInside(
      step: "`settled()` would wait for the step that calls it; return from the step instead",
      effect: "`settled()` may wait for the effect that calls it; return from the effect, or look at `position`")
    return try await wait(for: .settled)
  }
}

// MARK: - Answering

extension FlowCoordinator {
  /// Answers an open question.
  ///
  /// The first valid answer wins. ``Prompt/authorize(_:)`` and ``Prompt/validate(_:)`` run in the calling task;
  /// what they throw is thrown here, and the question stays open. When this has returned, the answer is accepted and
  /// the asker will get it, whatever happens to it in the meantime.
  ///
  /// The question of a ``RenderedStep`` stays open: an answer is an action, and when this has returned, the action is
  /// applied and what it changed is published. What is shown may change while an answer is validated, so that it is
  /// validated again; after three times other actions wait until it is done, so let it send none; leaving the step waits
  /// for nobody's `validate`. An action that makes the step fail is refused
  /// with `questionClosed`, and the error is the underlying one.
  ///
  /// - Parameters:
  ///   - question: The question's id, from a position or an event.
  ///   - answer: A value of the prompt's `Answer` type.
  ///   - principal: Who answers, for ``Prompt/authorize(_:)`` and for the event.
  ///   - revision: The revision of the prompt that the answerer saw; nil accepts whichever is shown.
  /// - Throws: A ``FlowError`` with the code `noSuchQuestion`, `questionClosed` also for an answer after the time of its
  ///   question or of a part of the flow around it, `wrongAnswerType`, `staleRevision`, `principalNeeded`, `notRunning` or
  ///   `flowEnded`.
  public nonisolated func answer<A: Sendable>(
    _ question: Question.ID, with answer: A, by principal: Principal? = nil, revision: Int? = nil
  ) async throws {
    try await checkAndAccept(answer, for: question, by: principal, revision: revision)
  }

  /// Answers the one open question that shows a `P`.
  ///
  /// - Throws: As ``answer(_:with:by:revision:)``; a ``FlowError`` with the code `noSuchQuestion` if none is open,
  ///   `ambiguousQuestion` if several are.
  public nonisolated func answer<P: Prompt>(
    _ prompt: P.Type, with answer: P.Answer, by principal: Principal? = nil
  ) async throws {
    let question = try await openQuestion(of: prompt)
    try await checkAndAccept(answer, for: question, by: principal, revision: nil)
  }
}

// MARK: - Signals

extension FlowCoordinator {
  /// Sends a signal to the flow: to the step that waits for it, or to the first that will.
  ///
  /// Signals are kept in order from the run's start, at most 1,000 that nobody has received. When this has returned
  /// ``Delivery/accepted``, the signal is not lost while the run goes on; it may be called from anywhere, also from the
  /// flow's own steps. When an abandon, a cancellation or a rollback after a failure was accepted, signals that nobody has
  /// received are dropped, and new ones get ``Delivery/flowEnded``. A back drops none.
  ///
  /// - Parameters:
  ///   - value: What the signal carries.
  ///   - signal: Which one.
  ///   - key: Makes it once: of several with one key and one signal, the first counts. A key has at most 256 UTF-8 bytes.
  ///     The latest 10,000 keys of a run are remembered, as many of them as have 1 MiB in all. With nil each call counts.
  /// - Throws: A ``FlowError`` with the code `notRunning` before a run, `signalsFull` if too many wait to be received,
  ///   `tooLarge` if the key or the signal's name has more than 256 bytes, `typeMismatch` if a step waits for a signal of
  ///   this name with another type.
  @discardableResult
  public nonisolated func send<T: Sendable>(
    _ value: T, to signal: Signal<T>, key: String? = nil
  ) async throws -> Delivery {
    try await send(value, to: signal.name, key: key, size: 0, numbersBuffered: false)
  }
}
