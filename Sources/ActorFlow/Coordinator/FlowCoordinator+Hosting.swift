// The interface for hosts of durable flows. A flow is activated from its snapshot, and passivated without being left.
extension FlowCoordinator {
  /// Creates a coordinator for a flow that was read back. Nothing runs until ``activate()``.
  package init(resuming machine: FlowMachine, settings: CoordinatorSettings) {
    self.init(id: machine.flow, settings: settings, machine: machine)
  }

  /// Whether the run has ended, or the flow is suspended because a step failed.
  package var hasStopped: Bool { state.machine.phase == .ended || state.machine.fault != nil }

  /// Whether the flow waits for an answer, a signal or the clock, is suspended, or has ended.
  package var isSettled: Bool { withState { $0.machine.isSettled } }

  /// Whether the flow is settled, and no step may still be executing beside what it waits for.
  package var canPassivate: Bool { withState { $0.machine.canPassivate } }

  /// Waits until ``canPassivate`` is true.
  package nonisolated func passivatable() async throws { _ = try await wait(for: .passivatable) }

  /// Whether the flow is at rest; see ``FlowMachine/isAtRest(isDriven:)``.
  package var isAtRest: Bool { withState { $0.machine.isAtRest(isDriven: isDriven) } }

  /// Waits until ``isAtRest`` is true.
  package nonisolated func resting() async throws { _ = try await wait(for: .resting) }

  /// The number of the latest event, if the flow is settled, and a step that asks and waits at once has its question
  /// open.
  package var presentableSequence: Int? {
    withState { $0.machine.isPresentable ? $0.machine.sequence : nil }
  }

  /// Waits until ``presentableSequence`` has a value.
  package nonisolated func presentable() async throws { _ = try await wait(for: .presentable) }

  /// The time since the run's start, and the time at which the next timer is due, if there is one.
  package var timetable: (now: Duration, next: Duration?) {
    withState { ($0.stopwatch.elapsed(), $0.machine.nextTimer) }
  }

  /// Whether effects of rendered steps run or are about to start.
  package var hasEffects: Bool { state.effects.running > 0 }

  /// Sends a signal. A buffered signal takes an event number although it is no event: record something under that
  /// number.
  ///
  /// - Parameter size: The number of bytes that the value takes in a snapshot.
  package nonisolated func sendNumbered<T: Sendable>(
    _ value: T, to signal: Signal<T>, key: String, size: Int, cause: any CommitCause
  ) async throws -> Delivery {
    try await send(value, to: signal.name, key: key, size: size, numbersBuffered: true, cause: cause)
  }

  /// Answers an open question, as ``answer(_:with:by:revision:)`` does.
  package nonisolated func answer<A: Sendable>(
    _ question: Question.ID, with answer: A, by principal: Principal?, revision: Int?, cause: any CommitCause
  ) async throws {
    try await checkAndAccept(answer, for: question, by: principal, revision: revision, cause: cause)
  }

  /// Answers the only open question whose prompt is a `P`, as ``answer(_:with:by:)`` does.
  package nonisolated func answer<P: Prompt>(
    _ prompt: P.Type, with answer: P.Answer, by principal: Principal?, cause: any CommitCause
  ) async throws {
    let question = try await openQuestion(of: prompt)
    try await checkAndAccept(answer, for: question, by: principal, revision: nil, cause: cause)
  }

  /// Returns the open question with this id.
  package func openQuestion(_ id: Question.ID) throws -> Question {
    try withState { try $0.machine.openQuestion(id, at: $0.stopwatch.elapsed()) }
  }

  /// The questions that can be answered now, for an answerer whose answer is refused.
  package var questionsToAnswer: [OpenQuestion] {
    withState { $0.machine.questionsToAnswer(at: $0.stopwatch.elapsed()) }
  }

  /// The questions that are open, and those that were open when the machine was read back.
  package var questions: [Question.ID] { withState { $0.machine.persistedQuestions } }

  /// Whether a signal has come under this key.
  package func hasCome(_ key: String, of signal: String) -> Bool {
    withState { $0.machine.hasCome(key, of: signal) }
  }

  /// Backs up, as ``backUp(to:)`` and ``backUp(from:)`` do.
  ///
  /// - Parameter whenFiled: Called when the request is committed; ``activate()`` is needed only from then on.
  package nonisolated func backUp(
    to step: StepID?, from question: Question.ID?, cause: any CommitCause, whenFiled: () -> Void
  ) async throws {
    try refuseLeavingInside("try await context.backUp()")
    try await request(cause: cause, whenFiled: whenFiled) { machine, stopwatch in
      if let question { return try machine.backUp(from: question, since: stopwatch.elapsed()) }
      return try machine.backUp(to: step, since: stopwatch.elapsed())
    }
  }

  /// Ends the flow, as ``abandon(reason:rollingBack:)`` does.
  package nonisolated func abandon(
    reason: String, rollingBack: Bool, cause: any CommitCause, whenFiled: () -> Void
  ) async throws {
    try refuseLeavingInside("try await context.abandon(_:)")
    try await request(cause: cause, whenFiled: whenFiled) { machine, stopwatch in
      try machine.abandon(reason: reason, rollBack: rollingBack, since: stopwatch.elapsed())
    }
  }
}

// MARK: - Activation and passivation

extension FlowCoordinator {
  /// Walks on until the run has ended, or the flow is suspended, or it is passivated by ``passivate()`` or because the
  /// calling task is cancelled.
  package nonisolated func activate() async {
    await setTimer()
    await drive()
  }

  /// Passivates the flow: running steps are cancelled, no more inputs are decided, and no visit is left or undone. The
  /// outcome of a `once` under way is still recorded. So is the end of a running `backUp`, which is not cancelled.
  ///
  /// ``activate()`` returns when all running code has ended. Passivating waits for no commit, because a commit that
  /// fails calls it.
  package nonisolated func passivate() async { _ = await passivate(if: .always) }

  /// Commits what is held back, after the commits under way. Call it when the flow was passivated: no input is held back
  /// any more then.
  package nonisolated func flushHeld() async {
    guard let holding = settings.persistence?.holding else { return }
    await order.lock()
    defer { order.unlock() }
    await holding.flush()
  }

  /// Passivates the flow, unless its steps do more than wait, a timer is due, or a reminder is to run.
  ///
  /// This is checked while no commit is under way. So the effect of a committed timer has begun, or the timer has not
  /// fired: the flow is never passivated before a reminder that counts as sent has run.
  ///
  /// - Returns: False if the flow has something to do; true also if it has ended or was passivated before.
  package nonisolated func passivateIfIdle() async -> Bool {
    await order.lock()
    defer { order.unlock() }
    return await passivate(if: .isIdle)
  }

  /// Passivates the flow, because another host wants it, if it has something open and no work of a `once` is under way.
  ///
  /// - Returns: False if the flow is not passivated now; true also if it has ended or was passivated before.
  package nonisolated func passivateToYield() async -> Bool {
    await order.lock()
    defer { order.unlock() }
    return await passivate(if: .canYield)
  }

  /// Passivates the flow if it is suspended. Checked while no commit is under way, because one might end the
  /// suspension.
  nonisolated func passivateIfSuspended() async -> Bool {
    await order.lock()
    defer { order.unlock() }
    return await passivate(if: .isSuspended)
  }

  /// - Returns: Whether the condition is met; true also if the flow was passivated before.
  private nonisolated func passivate(if condition: FlowMachine.PassivationCondition) async -> Bool {
    guard var afterwards = await passivated(if: condition) else { return false }
    afterwards.perform()
    return true
  }

  private func passivated(if condition: FlowMachine.PassivationCondition) -> Afterwards? {
    guard state.isPassivated || mayPassivate(if: condition) else { return nil }
    var afterwards = Afterwards()
    guard !state.isPassivated, state.machine.phase != .ended else { return afterwards }
    state.isPassivated = true
    for track in [TrackID.main] + state.machine.descendants(of: .main) where self[track].isWalking {
      if let stint = self[track].stint { afterwards.add(.cancel(stint)) }
    }
    for waiter in state.takeWaiters() { afterwards.add(.resume(waiter, .cancelled)) }
    afterwards.wake(state.log.close())
    return afterwards
  }

  /// Passivates the flow in the turn of another decision.
  func passivate(_ afterwards: inout Afterwards) {
    if let passivated = passivated(if: .always) { afterwards.add(passivated) }
  }

  /// Whether a decision may be the last one before the flow is passivated: the flow has ended, or all its steps only ask
  /// and wait, so that passivating it lets no code of a step run.
  ///
  /// - Parameter asker: The asker that the decision keeps waiting although an answerer has reserved it.
  func mayBeLast(_ next: FlowMachine, at time: Duration, keeping asker: OneShot?) -> Bool {
    guard state.effects.running == 0 else { return false }
    if next.phase == .ended { return true }
    let areAskersBack = askers.allSatisfy { $0 === asker || $0.isAwaitedNow }
    return next.mayPassivate(if: .isIdle, at: time, areAskersBack: areAskersBack) && next.onlyAsks
  }

  private func mayPassivate(if condition: FlowMachine.PassivationCondition) -> Bool {
    let areAskersBack = condition != .isIdle || askers.allSatisfy(\.isAwaitedNow)
    return withState { state in
      state.machine.mayPassivate(if: condition, at: state.stopwatch.elapsed(), areAskersBack: areAskersBack)
    }
  }

  /// Fires the timers that are due, and resumes the tasks concerned. Returns whether any was due.
  ///
  /// First waits for a timer that is firing: the machine may know of it before the step to remind does.
  package nonisolated func fireDue() async throws -> Bool {
    await timersHaveFired()
    guard await isTimerDue else { return false }
    while try await fire() {}
    return true
  }

  /// Waits until every asker waits for its answer, and none is running a reminder.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled before.
  package nonisolated func askersAreBack() async throws {
    for asker in await askers { try await asker.isAwaited() }
  }

  private var isTimerDue: Bool { withState { $0.machine.isTimerDue(at: $0.stopwatch.elapsed()) } }

  /// Changes the number of effects that run or are about to start.
  nonisolated func countEffects(_ difference: Int) async {
    guard isPersisted, difference != 0 else { return }
    for waiter in await effectsCounted(difference) { waiter.fulfil(.success(())) }
  }

  private func effectsCounted(_ difference: Int) -> [OneShot] {
    state.effects.running += difference
    guard state.effects.running == 0 else { return [] }
    defer { state.effects.waiters = [] }
    return state.effects.waiters
  }

  /// Waits until no effect of a rendered step runs or is about to start.
  package nonisolated func effectsHaveEnded() async throws {
    let waiter = OneShot()
    guard try await begin(waitingForEffects: waiter) else { return }
    do { _ = try await waiter.value() } catch {
      await forget(effectWaiter: waiter)
      throw error
    }
  }

  private func begin(waitingForEffects waiter: OneShot) throws -> Bool {
    guard !state.isPassivated else { throw CancellationError() }
    guard state.effects.running > 0 else { return false }
    state.effects.waiters.append(waiter)
    return true
  }

  private func forget(effectWaiter waiter: OneShot) { state.effects.waiters.removeAll { $0 === waiter } }

  /// Waits for commits under way: everything that is stored by now is then adopted here.
  ///
  /// - Throws: `CancellationError` if the flow was passivated.
  package nonisolated func waitForCommits() async throws {
    await order.lock()
    order.unlock()
    guard await !isPassivated else { throw CancellationError() }
  }

  /// Calls `body` after the commits under way. No input is decided until it returns.
  package nonisolated func betweenCommits<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await order.lock()
    defer { order.unlock() }
    return try await body()
  }

  /// Waits until a question that was open when the machine was read back is asked again, or will not be asked again.
  package nonisolated func reopened(_ question: Question.ID) async throws {
    guard await isReopening(question) else { return }
    _ = try await wait(for: .reopened(question))
  }

  private func isReopening(_ question: Question.ID) -> Bool { withState { $0.machine.isReopening(question) } }

  /// Waits until the waits for a signal that were open when the machine was read back are open again, so that their
  /// conditions are known.
  ///
  /// - Returns: False, without waiting, if there are none, or when called from the flow's own steps, which it would wait
  ///   for.
  package nonisolated func waitsAgain(for signal: String) async throws -> Bool {
    guard FlowChain.code(of: serial) == nil, await isReopening(waitFor: signal) else { return false }
    _ = try await wait(for: .waitsAgain(signal: signal))
    return true
  }

  private func isReopening(waitFor signal: String) -> Bool {
    withState { $0.machine.isReopening(waitFor: signal) }
  }

  /// Notes that the step on top is about to run in the current task.
  func noteWalker(of track: TrackID) {
    let task = withUnsafeCurrentTask { $0?.hashValue }
    with(track) { $0.walker = task }
  }

  /// Returns whether the calling task is the step's own or a child of it.
  nonisolated func callingTask(at stay: Stay) async -> CallingTask {
    guard replays else { return .unknown }
    let walker = await self[stay.track].walker
    return walker == withUnsafeCurrentTask { $0?.hashValue } ? .step : .child
  }

  /// Returns the persistent form of a prompt that is asked. If the question was updated before the flow was passivated,
  /// it includes the prompt that was shown last.
  nonisolated func persisted<P: Prompt>(_ prompt: P, at stay: Stay) async throws -> FlowMachine.PersistedPrompt? {
    let (step, old) = await reopening(at: stay)
    let persisted = try persisted(prompt, of: step)
    guard let persisted, let codec, let old, !old.updates.isEmpty, let type = P.self as? any (Prompt & Decodable).Type
    else { return persisted }
    // If the updated prompt can no longer be read, the question shows the prompt that is asked now.
    return FlowMachine.PersistedPrompt(
      prompt: persisted.prompt, token: persisted.token, shown: try? codec.decode(old.prompt.bytes, as: type))
  }

  private func reopening(at stay: Stay) -> (StepID?, PackedQuestion?) {
    withState { $0.machine.look(at: stay.track) { ($0.visit?.info.id, $0.reopening?.question) } }
  }

  /// Returns the persistent form of a prompt; `nil` if the flow is not durable.
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
    if P.isAudited { try settings.persistence?.refuse(P.self, of: id) }
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
  /// The waiters of all askers.
  private var askers: [OneShot] {
    ([TrackID.main] + state.machine.descendants(of: .main)).compactMap { self[$0].asker }
  }
}
