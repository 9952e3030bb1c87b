// Flows that are kept: they are taken up where a snapshot left them, and put away without being left.
extension FlowCore {
  /// Goes on with a machine that was read back, until the run has ended or the flow is put away.
  func goOn() async {
    setTimer()
    await drive()
  }

  /// Puts the flow away: steps that run are cancelled, nothing is decided any more, and nothing is left or undone. What a
  /// `once` has begun is still recorded, and so is that a `backUp` that runs has ended; that one is not cancelled.
  func park() { _ = park { _ in true } }

  /// Puts the flow away unless it has something to do.
  ///
  /// No commit is under way when that is looked at. So what a timer was committed to do has begun, or the timer has not
  /// fired: a reminder that counts as given is never put away before it has run.
  ///
  /// - Returns: False if the flow has something to do, and is not put away.
  func parkIfIdle() async -> Bool {
    await gate.enter()
    defer { gate.leave() }
    let now = elapsed
    return park { state in
      guard state.machine.isResting, state.machine.nextAlarm.map({ $0 > now }) ?? true else { return false }
      return state.askers.allSatisfy(\.isAwaitedNow)
    }
  }

  /// Puts the flow away if it stands still. No commit is under way when that is looked at, which might end it.
  func parkIfStandingStill() async -> Bool {
    // Most do not, and need not wait for a commit.
    guard withState({ $0.machine.fault != nil }) else { return false }
    await gate.enter()
    defer { gate.leave() }
    return park { $0.machine.fault != nil }
  }

  /// - Parameter isMeant: Asked in the turn that puts the flow away.
  /// - Returns: What `isMeant` says; true if the flow was put away before.
  private func park(if isMeant: (inout State) -> Bool) -> Bool {
    var readers: EventLog.Wake?
    let parked = withState { state -> ([Task<Void, Never>], [Cell])? in
      guard state.isParked || isMeant(&state) else { return nil }
      guard !state.isParked, state.machine.phase != .ended else { return ([], []) }
      state.isParked = true
      let tracks = [TrackID.main] + state.machine.descendants(of: .main)
      state.log.close()
      readers = state.log.takeWaiting()
      return (tracks.compactMap { state[$0].isWalking ? state[$0].stint : nil }, state.takeCells())
    }
    guard let (tasks, cells) = parked else { return false }
    for task in tasks { task.cancel() }
    for cell in cells { cell.fulfil(.cancelled) }
    readers?.passOn()
    return true
  }

  /// Tells the machine of the time, if something is due, and whoever it concerns. Whether something was.
  ///
  /// The timer may be at it already: then the machine knows, and the step that is to be reminded does not yet.
  func ringDue() async throws -> Bool {
    try await timerHasRung()
    let now = elapsed
    guard withState({ $0.machine.nextAlarm.map { $0 <= now } ?? false }) else { return false }
    while try await ring() {}
    return true
  }

  /// Waits until everybody who asks waits for the answer, and nobody is away to remind somebody.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled before.
  func askersAreBack() async throws {
    for cell in withState({ $0.askers }) { try await cell.isAwaited() }
  }

  func countEffects(_ difference: Int) {
    let waiters = withState { state -> [Cell] in
      state.effects.running += difference
      guard state.effects.running == 0 else { return [] }
      defer { state.effects.waiters = [] }
      return state.effects.waiters
    }
    for waiter in waiters { waiter.fulfil(.success(())) }
  }

  /// Waits until no effect of a rendered step runs or is about to.
  func effectsHaveEnded() async throws {
    let cell = Cell()
    let waits = try withState { state in
      guard !state.isParked else { throw CancellationError() }
      guard state.effects.running > 0 else { return false }
      state.effects.waiters.append(cell)
      return true
    }
    guard waits else { return }
    do { _ = try await cell.value() } catch {
      withState { $0.effects.waiters.removeAll { $0 === cell } }
      throw error
    }
  }

  var isParked: Bool { withState { $0.isParked } }

  /// Waits for commits that are under way: what is in the store by now, is known here.
  func catchUp() async throws {
    try await decide(commits: false) { _ in Decision(()) }
  }

  /// Waits until a question that was open when the machine was read back is asked again, or is not going to be.
  func reopened(_ question: Question.ID) async throws {
    guard withState({ $0.machine.isReopening(question) }) else { return }
    _ = try await wait(for: .reopened(question))
  }

  /// The step on top is about to run in the current task.
  @inline(never)
  func noteWalker(of track: TrackID) {
    let task = withUnsafeCurrentTask { $0?.hashValue }
    withState { state in state.with(track) { $0.walker = task } }
  }

  /// Whether the current task is one that the step has begun, so that the step itself may do something else; nil where
  /// no visit is replayed, and nobody need know.
  func isChild(of stay: Stay) -> Bool? {
    guard replays else { return nil }
    let task = withUnsafeCurrentTask { $0?.hashValue }
    return withState { state in state.with(stay.track) { $0.walker != task } }
  }

  /// What is kept of a prompt that is asked; with what the question shows by now, if it was updated before the flow was
  /// put away.
  func keeping<P: Prompt>(_ prompt: P, at stay: Stay) throws -> FlowMachine.Keeping? {
    let (step, old) = withState { state in
      state.machine.look(at: stay.track) { ($0.visit?.info.id, $0.reopening?.question) }
    }
    let keeping = try keeping(prompt, of: step)
    guard let keeping, let codec, let old, !old.updates.isEmpty, let type = P.self as? any (Prompt & Decodable).Type
    else { return keeping }
    // One that cannot be read any more is asked anew.
    return FlowMachine.Keeping(
      prompt: keeping.prompt, token: keeping.token, shown: try? codec.decode(old.prompt.bytes, as: type))
  }

  /// What is kept of a prompt.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the prompt and its answer.
  func keeping<P: Prompt>(_ prompt: P, of step: StepID?) throws -> FlowMachine.Keeping? {
    guard let codec else { return nil }
    guard P.Answer.self is any Codable.Type || P.Answer.self == Void.self else {
      throw FlowError(
        .notStorable,
        "the prompt \(P.self) asks for an answer of type \(P.Answer.self), which cannot be stored; make it Codable",
        flow: flow, step: step)
    }
    guard prompt is any Encodable else {
      throw FlowError(
        .notStorable, "a prompt of type \(P.self) cannot be stored; make it Encodable", flow: flow, step: step)
    }
    var generator = SystemRandomNumberGenerator()
    return FlowMachine.Keeping(
      prompt: PackedPrompt(try PackedValue(prompt, with: codec)), token: RandomBits(using: &generator))
  }
}

extension FlowCore.State {
  /// The cells of everybody who asks.
  fileprivate var askers: [Cell] {
    ([TrackID.main] + machine.descendants(of: .main)).compactMap { self[$0].asker }
  }

  /// Everybody who waits for the flow, to be told that it was put away.
  mutating func takeCells() -> [Cell] {
    var cells = Array(waiters.values) + Array(pauses.values) + latches.map(\.cell) + effects.waiters
    (waiters, pauses, latches, effects.waiters) = ([:], [:], [], [])
    for track in [TrackID.main] + machine.descendants(of: .main) {
      with(track) { strand in
        if let asker = strand.asker.take() { cells.append(asker) }
        cells += strand.takeHeld()
      }
    }
    return cells
  }
}
