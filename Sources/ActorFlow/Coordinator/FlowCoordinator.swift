import Synchronization

/// Runs one flow at a time: walks its steps, keeps the stack of visits, takes answers, backs up, and ends.
///
/// ```swift
/// let coordinator = FlowCoordinator()
/// async let receipt = coordinator.run(checkout, with: cart)
/// ```
///
/// Call any method from any task. ``run(_:with:by:)`` is the only call that starts anything: when it has returned or
/// thrown, no task of the library runs, no caller is left waiting, and no step is kept alive.
///
/// The actor owns the run: the machine with its linked stack of visits, and the run's waiters and tasks. Each input
/// from a step, an answerer or the clock is one turn of the actor: the machine decides, and the actor adopts the
/// decision. Steps, factories and all other user code run between turns, never within one. So ``position`` and every
/// request are served while a step runs.
public actor FlowCoordinator {
  /// The flow's name, in every event and question.
  public nonisolated let id: FlowID

  nonisolated let settings: CoordinatorSettings
  /// Identifies the coordinator in the ``FlowChain`` of the coordinators whose steps are running.
  nonisolated let serial: UInt64
  /// Commits an input before it is adopted; `nil` if nothing is committed.
  nonisolated let commit: FlowPersistence.Commit?
  /// Serializes commits, and the firing of timers.
  nonisolated let order = AsyncMutex()
  /// The log of the latest run. Behind a lock, because subscribers take no turn. The log of the first run exists before
  /// `run` is called.
  private nonisolated let latestLog: Lock<EventLog>
  /// Whether the caller of `run` was cancelled. Not part of the actor's state, because a cancellation handler cannot
  /// wait for a turn.
  nonisolated let cancellation = CallerCancellation()

  /// The number of the machine's inputs, as of the latest turn: a walk sees without a turn of its own that none came.
  nonisolated let inputs = Atomic<Int>(0)
  var state: RunState
  /// The callers of `run` that wait until the previous run has returned.
  private var nextRuns: [OneShot] = []
  /// Whether the tasks of a run are under way, or its `run` is about to return.
  var isDriven = false

  private static let serials = Atomic<UInt64>(0)

  /// Creates a coordinator that runs no flow yet.
  ///
  /// - Parameters:
  ///   - id: The flow's name. Question ids and idempotency keys contain it; an idempotency key ends with random bits of
  ///     its run.
  ///   - clock: Drives timeouts, pauses, deadlines and reminders, and measures `since` in ``Status/leaving(_:since:)``.
  ///   - eventLog: The number of a run's latest events that are held for slow and late subscribers; at least 1.
  public init(id: FlowID = .unique(), clock: any Clock<Duration> = ContinuousClock(), eventLog: Int = 256) {
    var settings = CoordinatorSettings()
    settings.clock = clock
    settings.eventLog = eventLog
    self.init(id: id, settings: settings)
  }

  /// - Parameter machine: A machine that was read back; `nil` for a new one.
  package init(id: FlowID, settings: CoordinatorSettings, machine: FlowMachine? = nil) {
    self.id = id
    self.settings = settings
    serial = Self.serials.wrappingAdd(1, ordering: .relaxed).newValue
    commit = settings.persistence?.commit ?? Self.commit(settings.commit)
    let watch: any Stopwatch = settings.persistence?.watch ?? StoppedStopwatch.shared
    let log: EventLog
    if let machine {
      let run = machine.phase == .idle ? machine.nextNumbers.run + 1 : machine.run
      log = EventLog(flow: id, run: run, capacity: settings.eventLog, after: machine.sequence)
      state = RunState(machine, log, watch)
    } else {
      log = EventLog(flow: id, run: 1, capacity: settings.eventLog)
      state = RunState(FlowMachine(flow: id, journal: settings.machineJournal), log, watch)
    }
    latestLog = Lock(log)
    state.machine.holdTime = settings.persistence?.holdTime
    state.machine.qualifiesKeys = settings.persistence?.hasFormat6 ?? true
  }

  private static func commit(_ commit: (@Sendable (FlowMachine) async throws -> Void)?) -> FlowPersistence.Commit? {
    guard let commit else { return nil }
    return { machine, _, _ in try await commit(machine) }
  }

  deinit {
    // If no run was ever launched, subscribers would wait forever.
    state.log.close()?.passOn()
  }

  /// Lends the state to `body`. A method that is called on a stored property of an actor is given a copy of it, which
  /// took 5,200 of the 36,900 instructions of a question.
  @inline(__always)
  func withState<Value>(_ body: (inout RunState) throws -> Value) rethrows -> Value { try body(&state) }

  /// Whether the flow was passivated; no input is decided here any more.
  package var isPassivated: Bool { state.isPassivated }

  /// Whether the flow is durable.
  nonisolated var isPersisted: Bool { settings.persistence != nil }
  /// Whether visits are replayed.
  nonisolated var replays: Bool { settings.machineJournal != .off }
  /// The codec for prompts; `nil` if the flow is not durable.
  nonisolated var codec: (any ValueCodec)? { settings.persistence?.codec }
}

// MARK: - Running

extension FlowCoordinator {
  /// Runs a flow from its first step to its end, and returns the output of the last step.
  ///
  /// The steps run one after the other in a task of the flow, with the caller's task-local values and priority.
  /// Cancelling the calling task ends the flow: the running step is cancelled and awaited, and the flow is rolled back,
  /// newest step first.
  ///
  /// Call it again, for the same flow or another, when the run has ended. Called in a task that is already cancelled,
  /// it throws, runs no code of a step, and publishes nothing.
  ///
  /// - Parameters:
  ///   - flow: The flow.
  ///   - input: The input of the first step.
  ///   - principal: The principal on whose behalf the run begins, for ``FlowComponent/guarded(by:)`` and
  ///     ``SkippableStep/skip(_:context:)``.
  /// - Throws: The error of a step, unchanged; a ``FlowError`` with the code `abandoned` and the reason as its message;
  ///   `CancellationError` if the caller was cancelled; a `FlowError` with the code `alreadyRunning` during a run, or
  ///   `stepFailed` around a `CancellationError` that a step threw without being cancelled.
  public nonisolated func run<I, O>(
    _ flow: some FlowComponent<I, O>, with input: I, by principal: Principal? = nil
  ) async throws -> O {
    try StepBody.cast(await perform(Launch(flow.flow.graph, with: input, by: principal)), to: O.self)
  }

  /// Runs a flow that needs no input.
  public nonisolated func run<O>(_ flow: some FlowComponent<Void, O>, by principal: Principal? = nil) async throws -> O
  {
    try await run(flow, with: (), by: principal)
  }

  /// Runs a flow from a step in its middle: a deep link, a test, or a flow that another system has begun.
  ///
  /// The steps in `earlier` are on the stack below it, as if they had been skipped: they have not run in this run, so
  /// their effects are not undone. A back leads to the nearest one, as to a step that has asked, unless its
  /// ``BackUpPolicy`` forbids it; the step is then made, and its `proceed` called with the input given here. No other
  /// step before the first is on the stack. A `.retry` or a `.timeout` around a step begins with it. In all else this
  /// is ``run(_:with:by:)``.
  ///
  /// ```swift
  /// try await coordinator.run(
  ///   checkout, with: cart, startingAt: "payment", input: order, after: [EarlierStep("shipping", input: cart)])
  /// ```
  ///
  /// - Parameters:
  ///   - flow: The flow.
  ///   - input: The flow's own input, for a `.carrying` around the whole of it.
  ///   - step: The step to begin with: its whole path, or the last part of its path if no other step's path ends with
  ///     it.
  ///   - value: The input of this step; a value of its `Input` type.
  ///   - earlier: The steps below it on the stack, the oldest first. Their order is not checked, because in a loop or a
  ///     router any order is possible.
  ///   - principal: The principal on whose behalf the run begins.
  /// - Throws: As ``run(_:with:by:)``. Before anything has run, a ``FlowError`` with the code `noSuchStep` if there is
  ///   no such step, or if the run cannot begin there because other branches, a carried value or the input of a guard
  ///   or a finalizer would be missing; `typeMismatch`, naming both types, if the step does not take such a value.
  public nonisolated func run<I, O>(
    _ flow: some FlowComponent<I, O>, with input: I, startingAt step: StepID, input value: any Sendable,
    after earlier: [EarlierStep] = [], by principal: Principal? = nil
  ) async throws -> O {
    let graph = flow.flow.graph
    let first = try graph.entry(to: step, with: value, of: input)
    let entries = try earlier.map { try graph.entry(to: $0.step, with: $0.input, of: input) }
    let places = try graph.places(below: first, earlier: entries, of: input)
    let launch = Launch(graph, with: input, at: (first.node.address, first.payload), over: places, by: principal)
    return try StepBody.cast(await perform(launch), to: O.self)
  }

  /// Runs a flow to its end.
  ///
  /// Every running flow pays for this frame in memory. So the beginning and the end of the run are kept out of it, and
  /// it is part of its caller's: a frame of its own took a slab of 1 KB more.
  @inline(__always)
  private nonisolated func perform(_ launch: Launch) async throws -> any Sendable {
    try await begin(launch, cause: nil)
    await drive()
    return try await endRun()
  }

  /// The beginning of a run. A class, so that the caller's task holds little more than a reference while it waits for
  /// the run.
  private final class Launch: Sendable {
    private let graph: Graph
    private let input: any Sendable
    private let start: (address: Int, payload: Payload)?
    private let places: [Graph.Entry]
    private let principal: Principal?
    private let keyBits: KeyBits?

    init(
      _ graph: Graph, with input: any Sendable, at start: (address: Int, payload: Payload)? = nil,
      over places: [Graph.Entry] = [], by principal: Principal?, keyBits: KeyBits? = nil
    ) {
      (self.graph, self.input, self.start, self.places, self.principal) = (graph, input, start, places, principal)
      self.keyBits = keyBits
    }

    /// - Parameter drawsBits: Whether to draw the bits of the run's idempotency keys now, if none are given. A run that
    ///   is not durable draws them for its first effect; most runs have no effect.
    func launch(_ machine: inout FlowMachine, drawsBits: Bool) throws {
      try machine.launch(
        graph, with: input, at: start, over: places, by: principal,
        keyBits: keyBits ?? (drawsBits ? KeyBits.random() : nil))
    }
  }

  /// Begins a run, and returns when its beginning is committed. No code of a step has run yet.
  ///
  /// - Parameter keyBits: The bits of the run's idempotency keys; `nil` to draw them.
  package nonisolated func begin(
    _ graph: Graph, with input: any Sendable, by principal: Principal? = nil, keyBits: KeyBits? = nil,
    cause: (any CommitCause)? = nil
  ) async throws {
    try await begin(Launch(graph, with: input, by: principal, keyBits: keyBits), cause: cause)
  }

  /// Begins a run.
  @inline(never)
  private nonisolated func begin(_ launch: Launch, cause: (any CommitCause)?) async throws {
    try Task.checkCancellation()
    while true {
      let stopwatch = isPersisted ? nil : settings.clock.stopwatch()
      do {
        return try await decide(cause: cause, newStopwatch: stopwatch) { [isPersisted] machine, _ in
          try launch.launch(&machine, drawsBits: isPersisted)
        }
      } catch let error as FlowError where error.code == .alreadyRunning {
        guard await previousRunReturns() else { throw error }
      }
    }
  }

  /// Waits until the `run` of a flow that has ended has returned. Returns false if a flow is running.
  @inline(never)
  private func previousRunReturns() async -> Bool {
    guard state.machine.phase == .ended else { return false }
    if isDriven {
      let waiter = OneShot()
      nextRuns.append(waiter)
      await waiter.end()
    }
    return true
  }

  /// Begins a run, and drops the state of the run before it.
  nonisolated func beginRun(_ stopwatch: any Stopwatch, in state: inout RunState) {
    state.stopwatch = stopwatch
    // The log of the first run exists already.
    guard state.log.run < state.machine.run else { return }
    let log = EventLog(flow: id, run: state.machine.run, capacity: settings.eventLog)
    state.log = log
    latestLog.withLock { $0 = log }
    (state.timer, state.main, state.branches) = (TimerState(), TrackTasks(), TrackMap())
  }

  /// Ends a run whose tasks have ended, and hands out its result, once.
  @inline(never)
  nonisolated func endRun() async throws -> any Sendable {
    var (result, afterwards) = await takeResult()
    afterwards.perform()
    guard let result else { throw FlowError(.flowEnded, "the run has ended without a result", flow: id) }
    return try result.get()
  }

  private func takeResult() -> (Result<any Sendable, any Error>?, Afterwards) {
    isDriven = false
    cancellation.reset()
    let (result, reaction) = state.machine.react { $0.takeResult() }
    var afterwards = Afterwards(discarding: reaction.discarded)
    for waiter in nextRuns { afterwards.add(.resume(waiter, .success(()))) }
    nextRuns = []
    return (result, afterwards)
  }
}

// MARK: - Watching

extension FlowCoordinator {
  /// The transitions of the current run.
  ///
  /// Each access returns a new, independent subscription; use one loop for each. A subscription first delivers the
  /// events of the run that the log still holds, so a subscriber that comes just after `run` began misses nothing. It
  /// then delivers each new event, and ends when the flow has ended. Before the first run it waits for that run; after
  /// a run it delivers that run's events.
  ///
  /// A slow reader costs the flow nothing. A reader that falls behind the log misses events visibly, as a gap in
  /// ``NavigationEvent/sequence``, and is up to date again with the next event. Each event carries the position at that
  /// event. To a late or slow reader it may show a question that has been answered since; an answer to it is refused.
  public nonisolated var events: AsyncStream<NavigationEvent> { makeSubscription().stream }

  /// Returns a subscription like those of ``events``, for the package's own tools.
  package nonisolated func makeSubscription() -> Subscription { Subscription(latestLog.withLock { $0 }) }

  /// The current position of the flow.
  public nonisolated var position: Position {
    get async {
      if cancellation.isPending, commit == nil { await callerCancelled() }
      return await currentPosition
    }
  }

  private var currentPosition: Position { withState { $0.machine.position } }

  /// Waits until the flow itself waits for an answer, a signal or the clock, or has ended. Before a run, first waits
  /// for one.
  ///
  /// - Returns: The position at that moment. The flow may have moved on by the time the caller looks at it.
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
  /// The first valid answer wins. ``Prompt/authorize(_:)`` and ``Prompt/validate(_:)`` run in the calling task; if one
  /// throws, its error is thrown here, and the question stays open. When this method has returned, the answer is
  /// accepted, and the asker will get it even if the asker's task is cancelled in the meantime.
  ///
  /// The question of a ``RenderedStep`` stays open: each answer is an action. When this method has returned, the action
  /// is applied, and its result is published. If the rendering changes while an answer is validated, the answer is
  /// validated again. After three such changes, other actions wait until this answer is done, so send no action from
  /// `authorize` or `validate`. Leaving the step never waits for a `validate`. If an action makes the step fail, the
  /// answer is refused with `questionClosed`, and the step's error is the underlying error.
  ///
  /// - Parameters:
  ///   - question: The question's id, from a position or an event.
  ///   - answer: A value of the prompt's `Answer` type.
  ///   - principal: The answerer, for ``Prompt/authorize(_:)`` and for the event.
  ///   - revision: The revision of the prompt that the answerer saw; pass `nil` to answer any revision.
  /// - Throws: A ``FlowError`` with the code `noSuchQuestion`, `questionClosed` (also for an answer after the deadline
  ///   of the question or of a part of the flow around it), `wrongAnswerType`, `staleRevision`, `principalNeeded`,
  ///   `notRunning` or `flowEnded`. With `noSuchQuestion`, `questionClosed` and `staleRevision` it names what is open
  ///   instead, see ``FlowError/openQuestions``.
  public nonisolated func answer<A: Sendable>(
    _ question: Question.ID, with answer: A, by principal: Principal? = nil, revision: Int? = nil
  ) async throws {
    try await checkAndAccept(answer, for: question, by: principal, revision: revision, cause: nil)
  }

  /// Answers the only open question whose prompt is a `P`.
  ///
  /// - Throws: As ``answer(_:with:by:revision:)``; a ``FlowError`` with the code `noSuchQuestion` if none is open,
  ///   `ambiguousQuestion` if several are.
  public nonisolated func answer<P: Prompt>(
    _ prompt: P.Type, with answer: P.Answer, by principal: Principal? = nil
  ) async throws {
    let question = try await openQuestion(of: prompt)
    try await checkAndAccept(answer, for: question, by: principal, revision: nil, cause: nil)
  }
}

// MARK: - Signals

extension FlowCoordinator {
  /// Sends a signal to the flow: to the step that waits for it, or to the first step that will.
  ///
  /// Signals are buffered in order from the run's start, at most 1,000 at a time. When this method has returned
  /// ``Delivery/accepted``, the signal is not lost while the run goes on. Call it from anywhere, also from the flow's
  /// own steps. When an abandon, a cancellation or a rollback after a failure is accepted, buffered signals are
  /// dropped, and new ones get ``Delivery/flowEnded``. A back drops none.
  ///
  /// - Parameters:
  ///   - value: The value that the signal carries.
  ///   - signal: The signal to send.
  ///   - key: The deduplication key: of several sends of one signal with one key, only the first counts. A key has at
  ///     most 256 UTF-8 bytes. A run remembers its latest 10,000 keys, within 1 MiB in all. With `nil` each call
  ///     counts.
  /// - Throws: A ``FlowError`` with the code `notRunning` before a run, `signalsFull` if too many signals are buffered,
  ///   `tooLarge` if the key or the signal's name has more than 256 bytes, `typeMismatch` if a step waits for a signal
  ///   of this name with another type.
  @discardableResult
  public nonisolated func send<T: Sendable>(
    _ value: T, to signal: Signal<T>, key: String? = nil
  ) async throws -> Delivery {
    try await send(value, to: signal.name, key: key, size: 0, numbersBuffered: false, cause: nil)
  }
}
