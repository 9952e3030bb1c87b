// Signals from outside, and updates between steps.
extension FlowCoordinator {
  nonisolated func wait<T: Sendable>(
    for signal: String, matching condition: (@Sendable (T) -> Bool)?, at stay: Stay, within limit: Duration?
  ) async throws -> T? {
    let caller = await callingTask(at: stay)
    if Task.isCancelled {
      try await passOver(at: stay) {
        try $0.passOver(waitFor: signal, at: stay, hasLimit: limit != nil, by: caller)
      }
    }
    let cell = OneShot()
    let waited = try await judging(signal, with: condition) { condition, verdicts in
      try await decide(on: stay.track, waiter: cell) { machine, stopwatch in
        let due = limit.map { stopwatch.elapsed().later(by: $0) }
        return try machine.wait(
          for: signal, as: T.self, at: stay, matching: condition, until: due, by: caller, at: stopwatch.elapsed(),
          judging: verdicts.callAsFunction)
      }
    }
    switch waited {
    case .received(let value): return try StepBody.cast(value, to: T.self)
    case .overdue: return nil
    case .withdrawn:
      let value = try await cell.value()
      guard value is AskAgain else { return try StepBody.cast(value, to: T.self) }
      return try await wait(for: signal, matching: condition, at: stay, within: limit)
    case .waiting(let number):
      do {
        let value = try await cell.value()
        return value is TimeIsUp ? nil : try StepBody.cast(value, to: T.self)
      } catch {
        await stopWaiting(number, on: stay.track, isGivenUp: true)
        throw error
      }
    }
  }

  /// Gives the machine an input that may take a buffered signal. Calls the condition on the buffered signals that the
  /// machine asks about, outside the turn, and then gives the input again.
  nonisolated func judging<T: Sendable, Value: Sendable>(
    _ signal: String, with condition: (@Sendable (T) -> Bool)?,
    _ input: (SignalCondition?, Verdicts) async throws -> Value
  ) async throws -> Value {
    guard let condition else { return try await input(nil, Verdicts()) }
    let erased = SignalCondition(condition)
    var verdicts = Verdicts()
    while true {
      do { return try await input(erased, verdicts) } catch is Verdicts.Missing {
        for (number, value) in await buffered(signal, as: T.self) {
          if verdicts.add(number, { erased.isMet(value) }) { break }
        }
      }
    }
  }

  private func buffered<T>(_ signal: String, as type: T.Type) -> [(number: Int, value: any Sendable)] {
    withState { $0.machine.buffered(signal, as: type) }
  }

  nonisolated func stopWaiting(_ number: Int, on track: TrackID, isGivenUp: Bool = false) async {
    _ = try? await decide(on: track) { machine, stopwatch in
      machine.stopWaiting(number, on: track, isGivenUp: isGivenUp, at: stopwatch.elapsed())
    }
  }

  /// - Parameters:
  ///   - size: The number of bytes that the value takes in a snapshot.
  ///   - numbersBuffered: Whether a buffered signal takes an event number, so that a host can record the sender under
  ///     it.
  nonisolated func send(
    _ value: any Sendable, to signal: String, key: String?, size: Int, numbersBuffered: Bool,
    cause: (any CommitCause)?
  ) async throws -> Delivery {
    var verdicts = Verdicts()
    while true {
      let (waits, conditions) = await waits(for: signal)
      for (number, condition) in conditions { verdicts.add(number) { condition.isMet(value) } }
      do {
        return try await send(
          value, to: signal, key: key, size: size, numbersBuffered: numbersBuffered, cause, waits, verdicts)
      } catch is Missed {} catch is Verdicts.Missing {} catch is NobodyReceives { return .flowEnded }
    }
  }

  /// Returns the waiting tasks, and the conditions of those that wait for this signal.
  private func waits(
    for signal: String
  ) -> (waiters: [Int: OneShot], conditions: [(wait: Int, condition: SignalCondition)]) {
    withState { ($0.waits, $0.machine.conditions(on: signal)) }
  }

  /// Thrown if a task began to wait after the waiters were read. The send is tried again.
  private struct Missed: Error {}

  /// Reserves the waiting task in the turn in which the machine hands the signal over. So a task that has given up gets
  /// no signal, even before the machine hears of it, and a task that gets the signal can no longer give up.
  private nonisolated func send(
    _ value: any Sendable, to signal: String, key: String?, size: Int, numbersBuffered: Bool,
    _ cause: (any CommitCause)?, _ waits: [Int: OneShot], _ verdicts: Verdicts
  ) async throws -> Delivery {
    let taken = Lock<OneShot?>(nil)
    do {
      return try await decide(cause: cause) { machine, stopwatch in
        let sent = try machine.send(
          value, to: signal, key: key, size: size, at: stopwatch.elapsed(), judging: verdicts.callAsFunction
        ) { number in
          guard let waiter = waits[number] else { throw Missed() }
          guard waiter.take() else { return false }
          taken.withLock { $0 = waiter }
          return true
        }
        switch sent {
        case .received: return .accepted
        case .buffered:
          if numbersBuffered { machine.takeNumber() }
          return .accepted
        case .duplicate: return .duplicate
        case .flowEnded: throw NobodyReceives()
        }
      }
    } catch {
      taken.withLock { $0 }?.giveBack()
      throw error
    }
  }

  /// Thrown for a signal that comes too late, so that nothing is committed: a host that recorded the key would report
  /// the next send as a duplicate.
  private struct NobodyReceives: Error {}

  nonisolated func send<S: ReceivingStep>(_ update: S.Update, to type: S.Type, from stay: Stay) async throws {
    guard let (place, track) = try await receiver(S.self, below: stay), let receiver = place.node.body.types.receiver,
      let instance = try await instance(of: place, on: track)
    else {
      throw FlowError(.notActive, "no earlier step on the stack has the type \(type)", flow: id)
    }
    try await receiver.receive(instance, update)
  }

  private func receiver<S: ReceivingStep>(_ type: S.Type, below stay: Stay) throws -> (place: Place, track: TrackID)? {
    try withState { state in
      _ = try state.machine.activePlace(of: stay.visit, on: stay.track, to: "send an update")
      return state.machine.receiver(below: stay) { $0.step == type }
    }
  }

  /// Returns the step of an earlier place, made anew if the place was read back.
  private nonisolated func instance(of place: Place, on track: TrackID) async throws -> StepInstance? {
    if let instance = place.instance { return instance }
    guard let made = try await place.node.body.make?() else { return nil }
    if let handover = place.memory?.memory.handover { try await handover.receiver.receive(made, handover.update) }
    let visit = place.visit.id
    return try await decide(on: track) { machine, _ in
      machine.remade(made, at: visit, on: track)
    }
  }

  nonisolated func backUp<S: ReceivingStep>(
    to type: S.Type, delivering update: S.Update, from stay: Stay
  ) async throws {
    try await decide { [id] machine, stopwatch in
      let isFound = try machine.backUp(delivering: update, from: stay, since: stopwatch.elapsed()) { $0.step == S.self }
      guard isFound else {
        throw FlowError(.cannotBackUp, "no earlier step on the stack has the type \(S.self)", flow: id)
      }
    }
  }

  /// Backs up to the nearest earlier step that takes this value as its update, and hands it over there. Returns false
  /// if there is no such step.
  nonisolated func deliver(_ value: any Sendable, on track: TrackID) async throws -> Bool {
    try await decide(on: track) { machine, stopwatch in
      try machine.backUp(delivering: value, from: track, since: stopwatch.elapsed())
    }
  }
}

/// The verdicts of steps' conditions on signals, by the number of the buffered signal or of the wait.
struct Verdicts: Sendable {
  private var known: [Int: Bool] = [:]

  /// Thrown if there is no verdict yet.
  struct Missing: Error {}

  /// Adds a verdict, and returns it. A condition is asked once.
  @discardableResult
  mutating func add(_ number: Int, _ judge: () -> Bool) -> Bool {
    if let verdict = known[number] { return verdict }
    let verdict = judge()
    known[number] = verdict
    return verdict
  }

  func callAsFunction(_ number: Int) throws -> Bool {
    guard let verdict = known[number] else { throw Missing() }
    return verdict
  }
}
