// For hosts: flows that are kept beyond the process.
extension FlowCoordinator {
  /// A coordinator of a flow that was read back. It stands still until ``activate()``.
  package init(resuming machine: FlowMachine, settings: CoordinatorSettings) {
    self.init(id: machine.flow, settings: settings, machine: machine)
  }

  /// Begins a run, and returns when its beginning is committed. Nothing of a step's has run yet.
  package nonisolated func begin(_ graph: Graph, with input: any Sendable) async throws {
    try await launch(graph, with: input)
  }

  /// Whether nothing goes on any more: the run has ended, or a step failed and somebody is to see to it.
  package var hasStopped: Bool { machine.phase == .ended || machine.fault != nil }

  /// Whether the flow waits for somebody outside or for the clock, or has ended.
  package var isSettled: Bool { machine.isSettled }

  /// Whether the flow's steps do nothing but wait for somebody outside or for the clock, or the flow is at rest.
  package var canPassivate: Bool { machine.canPassivate }

  /// Waits for that.
  package nonisolated func passivatable() async throws { _ = try await wait(for: .passivatable) }

  /// The number of the latest event, if the flow waits, and a step that asks and waits at once has its question open.
  package var presentableSequence: Int? { machine.isPresentable ? machine.sequence : nil }

  /// Waits until there is such a number.
  package nonisolated func presentable() async throws { _ = try await wait(for: .presentable) }

  /// The time since the run's start, and the time at which something is due next, if something is.
  package var timetable: (now: Duration, next: Duration?) { (stopwatch.elapsed(), machine.nextTimer) }

  /// Whether effects of rendered steps run or are about to.
  package var hasEffects: Bool { effects.running > 0 }

  /// Sends a signal. One that nobody waits for gets a number among the events, though it is none: see to it that
  /// something is written under it.
  ///
  /// - Parameter size: How many bytes the value has in a snapshot.
  package nonisolated func sendNumbered<T: Sendable>(
    _ value: T, to signal: Signal<T>, key: String, size: Int
  ) async throws -> Delivery {
    try await send(value, to: signal.name, key: key, size: size, numbersBuffered: true)
  }

  /// The open question of this id.
  package func openQuestion(_ id: Question.ID) throws -> Question { try machine.openQuestion(id) }

  /// The questions that are open, and those that were when the machine was read back.
  package var questions: [Question.ID] { machine.persistedQuestions }

  /// Whether a signal has come under this key.
  package func hasCome(_ key: String, of signal: String) -> Bool { machine.hasCome(key, of: signal) }

  /// As ``backUp(to:)``.
  ///
  /// - Parameter whenFiled: Called when the request is committed; only then ``activate()`` need be called.
  package nonisolated func backUp(to step: StepID?, from question: Question.ID?, whenFiled: () -> Void) async throws {
    try refuseLeavingInside("try await context.backUp()")
    try await request(whenFiled: whenFiled) { machine, stopwatch in
      if let question { return try machine.backUp(from: question, since: stopwatch.elapsed()) }
      return try machine.backUp(to: step, since: stopwatch.elapsed())
    }
  }

  /// As ``abandon(reason:rollingBack:)``.
  package nonisolated func abandon(reason: String, rollingBack: Bool, whenFiled: () -> Void) async throws {
    try refuseLeavingInside("try await context.abandon(_:)")
    try await request(whenFiled: whenFiled) { machine, stopwatch in
      try machine.abandon(reason: reason, rollBack: rollingBack, since: stopwatch.elapsed())
    }
  }
}

// Flows that are kept: they are taken up where a snapshot left them, and put away without being left.
extension FlowCoordinator {
  /// Walks on until the run has ended, the flow stands still, or it is put away, because of ``passivate()`` or because the
  /// calling task is cancelled.
  package nonisolated func activate() async {
    await setTimer()
    await drive()
  }

  /// Puts the flow away: steps that run are cancelled, nothing is decided any more, and nothing is left or undone. What a
  /// `once` has begun is still recorded, and so is that a `backUp` that runs has ended; that one is not cancelled.
  ///
  /// ``activate()`` returns when what runs has ended. A turn of its own, which waits for no commit: a commit that fails calls
  /// it.
  package nonisolated func passivate() async { _ = await passivate(if: .always) }

  /// Puts the flow away, or finds that it has ended or was put away, unless its steps do more than wait, a timer is due,
  /// or a reminder is to run.
  ///
  /// No commit is under way when that is looked at. So what a timer was committed to do has begun, or the timer has not
  /// fired: a reminder that counts as given is never put away before it has run.
  ///
  /// - Returns: False if the flow has something to do, and is not put away.
  package nonisolated func passivateIfIdle() async -> Bool {
    await order.lock()
    defer { order.unlock() }
    return await passivate(if: .isIdle)
  }

  /// Puts the flow away if it stands still. No commit is under way when that is looked at, which might end it.
  nonisolated func passivateIfSuspended() async -> Bool {
    await order.lock()
    defer { order.unlock() }
    return await passivate(if: .isSuspended)
  }

  private enum PassivationCondition {
    case always, isIdle, isSuspended
  }

  /// - Returns: Whether the condition is met; true if the flow was put away before.
  private nonisolated func passivate(if condition: PassivationCondition) async -> Bool {
    guard var afterwards = await passivated(if: condition) else { return false }
    afterwards.perform()
    return true
  }

  private func passivated(if condition: PassivationCondition) -> Afterwards? {
    guard isPassivated || isMet(condition) else { return nil }
    var afterwards = Afterwards()
    guard !isPassivated, machine.phase != .ended else { return afterwards }
    isPassivated = true
    for track in [TrackID.main] + machine.descendants(of: .main) where self[track].isWalking {
      if let stint = self[track].stint { afterwards.add(.cancel(stint)) }
    }
    for waiter in takeWaiters() { afterwards.add(.resume(waiter, .cancelled)) }
    afterwards.wake(log.close())
    return afterwards
  }

  private func isMet(_ condition: PassivationCondition) -> Bool {
    switch condition {
    case .always: return true
    case .isSuspended: return machine.fault != nil
    case .isIdle:
      let now = stopwatch.elapsed()
      guard machine.canPassivate, machine.nextTimer.map({ $0 > now }) ?? true else { return false }
      return askers.allSatisfy(\.isAwaitedNow)
    }
  }

  /// Tells the machine of the time, if something is due, and whoever it concerns. Whether something was.
  ///
  /// The timer may be at it already: then the machine knows, and the step that is to be reminded does not yet.
  package nonisolated func fireDue() async throws -> Bool {
    await timersHaveFired()
    guard await isTimerDue else { return false }
    while try await fire() {}
    return true
  }

  /// Waits until everybody who asks waits for the answer, and nobody is away to remind somebody.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled before.
  package nonisolated func askersAreBack() async throws {
    for asker in await askers { try await asker.isAwaited() }
  }

  private var isTimerDue: Bool {
    let now = stopwatch.elapsed()
    return machine.nextTimer.map { $0 <= now } ?? false
  }

  /// So many more effects are about to begin or run, or fewer.
  nonisolated func countEffects(_ difference: Int) async {
    guard isPersisted, difference != 0 else { return }
    for waiter in await effectsCounted(difference) { waiter.fulfil(.success(())) }
  }

  private func effectsCounted(_ difference: Int) -> [OneShot] {
    effects.running += difference
    guard effects.running == 0 else { return [] }
    defer { effects.waiters = [] }
    return effects.waiters
  }

  /// Waits until no effect of a rendered step runs or is about to.
  package nonisolated func effectsHaveEnded() async throws {
    let waiter = OneShot()
    guard try await begin(waitingForEffects: waiter) else { return }
    do { _ = try await waiter.value() } catch {
      await forget(effectWaiter: waiter)
      throw error
    }
  }

  private func begin(waitingForEffects waiter: OneShot) throws -> Bool {
    guard !isPassivated else { throw CancellationError() }
    guard effects.running > 0 else { return false }
    effects.waiters.append(waiter)
    return true
  }

  private func forget(effectWaiter waiter: OneShot) { effects.waiters.removeAll { $0 === waiter } }

  /// Waits for commits that are under way: what is in the store by now, is known here.
  package nonisolated func waitForCommits() async throws {
    try await decide(isCommitted: false) { _, _ in }
  }

  /// Waits until a question that was open when the machine was read back is asked again, or is not going to be.
  package nonisolated func reopened(_ question: Question.ID) async throws {
    guard await machine.isReopening(question) else { return }
    _ = try await wait(for: .reopened(question))
  }

  /// The step on top is about to run in the current task.
  func noteWalker(of track: TrackID) {
    let task = withUnsafeCurrentTask { $0?.hashValue }
    with(track) { ($0.walker, $0.loss) = (task, nil) }
  }

  /// The task that calls, as a task of the step's.
  nonisolated func callingTask(at stay: Stay) async -> CallingTask {
    guard replays else { return .unknown }
    let walker = await self[stay.track].walker
    return walker == withUnsafeCurrentTask { $0?.hashValue } ? .step : .child
  }

  /// What is kept of a prompt that is asked; with what the question shows by now, if it was updated before the flow was
  /// put away.
  nonisolated func persisted<P: Prompt>(_ prompt: P, at stay: Stay) async throws -> FlowMachine.PersistedPrompt? {
    let (step, old) = await reopening(at: stay)
    let persisted = try persisted(prompt, of: step)
    guard let persisted, let codec, let old, !old.updates.isEmpty, let type = P.self as? any (Prompt & Decodable).Type
    else { return persisted }
    // One that cannot be read any more is asked anew.
    return FlowMachine.PersistedPrompt(
      prompt: persisted.prompt, token: persisted.token, shown: try? codec.decode(old.prompt.bytes, as: type))
  }

  private func reopening(at stay: Stay) -> (StepID?, PackedQuestion?) {
    machine.look(at: stay.track) { ($0.visit?.info.id, $0.reopening?.question) }
  }

  /// What is kept of a prompt.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the prompt and its answer.
  nonisolated func persisted<P: Prompt>(_ prompt: P, of step: StepID?) throws -> FlowMachine.PersistedPrompt? {
    guard let codec else { return nil }
    guard P.Answer.self is any Codable.Type || P.Answer.self == Void.self else {
      throw FlowError(
        .notStorable,
        "the prompt \(P.self) asks for an answer of type \(P.Answer.self), which cannot be stored; make it Codable",
        flow: id, step: step)
    }
    guard prompt is any Encodable else {
      throw FlowError(
        .notStorable, "a prompt of type \(P.self) cannot be stored; make it Encodable", flow: id, step: step)
    }
    var generator = SystemRandomNumberGenerator()
    return FlowMachine.PersistedPrompt(
      prompt: PackedPrompt(try PackedValue(prompt, with: codec)), token: RandomBits(using: &generator))
  }
}

extension FlowCoordinator {
  /// The waiters of everybody who asks.
  private var askers: [OneShot] {
    ([TrackID.main] + machine.descendants(of: .main)).compactMap { self[$0].asker }
  }

  /// Everybody who waits for the flow, to be told that it was put away.
  func takeWaiters() -> [OneShot] {
    var waiters = Array(waits.values) + Array(pauses.values) + milestones.map(\.waiter) + effects.waiters
    (waits, pauses, milestones, effects.waiters) = ([:], [:], [], [])
    for track in [TrackID.main] + machine.descendants(of: .main) {
      with(track) { tasks in
        if let asker = tasks.asker.take() { waiters.append(asker) }
        waiters += tasks.takeHeld()
      }
    }
    return waiters
  }
}
