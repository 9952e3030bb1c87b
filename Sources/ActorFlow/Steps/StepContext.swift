/// The operations of a step on its flow while its `proceed` runs.
///
/// A context belongs to one visit. After that visit has ended, every verb that can throw throws
/// ``FlowError/Code/notActive``. While the visit is being left, it throws `CancellationError`, which a step lets
/// through. (`try?` around ``ask(_:key:)`` in a loop would spin once the visit is left.)
public struct StepContext: Sendable {
  private let runtime: (any StepRuntime)?
  private let info: StepInfo
  let stay: Stay

  /// The visit this context belongs to.
  public var visit: VisitID { stay.visit }

  init(runtime: any StepRuntime, info: StepInfo, stay: Stay) {
    self.runtime = runtime
    self.info = info
    self.stay = stay
  }

  private init() {
    runtime = nil
    info = StepInfo(id: "standalone")
    stay = Stay(VisitID(0))
  }

  /// The flow the step is part of.
  public var flow: FlowID { runtime?.flow ?? "standalone" }

  /// The step's path in the flow.
  public var step: StepID { info.id }

  /// The trace context that the flow was started with, to pass on with calls of other systems. Empty for a flow in
  /// memory.
  public var trace: TraceContext { runtime?.trace ?? TraceContext() }

  /// A context for a step used outside any flow.
  ///
  /// ``ask(_:key:)``, ``reply(to:key:)``, ``update(_:)``, ``backUp()`` and ``abandon(_:)`` throw
  /// ``FlowError/Code/notInFlow``. `once` and `attempt` run their work each time, with a new key each time, and record
  /// nothing. ``now(key:)`` stands still at the beginning.
  public static let standalone = StepContext()

  func inFlow() throws -> any StepRuntime {
    guard let runtime else {
      throw FlowError(.notInFlow, "this step is used outside a flow; run it with a FlowCoordinator to use this")
    }
    return runtime
  }
}

// MARK: - Asking

extension StepContext {
  /// Asks a question and waits for its answer.
  ///
  /// The question is open from the event `.asked` until it is answered, the asking task is cancelled (the question is
  /// then withdrawn), or the visit is left. An accepted answer is returned even if this task was cancelled in the
  /// meantime.
  ///
  /// - Parameters:
  ///   - prompt: The content to show, and the type of the answer.
  ///   - key: The name of the answer in the visit's journal; a key has one answer. The default is the prompt's type and
  ///     the number of questions of that type that this visit has asked.
  /// - Throws: `CancellationError` when the visit is left or the task cancelled; `FlowError` with the code
  ///   `alreadyAsking` if the visit has an open question, `duplicateKey` if it has an answer under `key`, `notActive`
  ///   after the visit.
  public func ask<P: Prompt>(_ prompt: P, key: String? = nil) async throws -> P.Answer {
    try await inFlow().ask(prompt, key: key, at: stay)
  }

  /// Asks a question as ``ask(_:key:)`` does, and returns the answer without casting it.
  func answer(to prompt: any Prompt) async throws -> any Sendable {
    try await inFlow().answer(to: prompt, key: nil, at: stay)
  }

  /// Asks a question as ``ask(_:key:)`` does, and returns the answer with its circumstances: the principal that
  /// answered, the time, the revision of the prompt, and the question.
  ///
  /// ``ask(_:key:)`` returns the reply's answer. In a visit that is replayed, each field comes out as it was.
  ///
  /// - Throws: As ``ask(_:key:)``.
  public func reply<P: Prompt>(to prompt: P, key: String? = nil) async throws -> Reply<P.Answer> {
    try await inFlow().reply(to: prompt, key: key, at: stay)
  }

  /// Asks a question whose prompt changes while it is open: each element of `updates` replaces the prompt, as
  /// ``update(_:)`` does.
  ///
  /// A child task reads the sequence, and has ended before this returns. When the sequence ends, the question stays
  /// open with the last prompt.
  ///
  /// - Throws: As ``ask(_:key:)``.
  public func ask<P: Prompt>(
    _ prompt: P, key: String? = nil, updates: some AsyncSequence<P, Never> & Sendable
  ) async throws -> P.Answer {
    let runtime = try inFlow()
    let pending = try await runtime.open(prompt, key: key, at: stay)
    return try await withThrowingTaskGroup(of: P.Answer?.self) { group in
      group.addTask { try await pending.answer() }
      group.addTask {
        for await next in updates {
          // Refused: the question was answered or withdrawn, so updates no longer matter.
          do { try await runtime.update(next, at: stay) } catch { break }
        }
        return nil
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let answer = result { return answer }
      }
      throw CancellationError()
    }
  }

  /// Replaces the prompt of this visit's open question. Its revision grows by one, and an event `.updated` is
  /// published.
  ///
  /// - Throws: `FlowError` with the code `notActive` if no question of this visit is open, `wrongPromptType` if the
  ///   open question has another type of prompt; `CancellationError` while the visit is being left.
  public func update<P: Prompt>(_ prompt: P) async throws {
    try await inFlow().update(prompt, at: stay)
  }
}

// MARK: - Effects

extension StepContext {
  /// Does work in the outside world once, and records its result.
  ///
  /// The first call for `key` in this place runs `work` and records its result; later calls return the record without
  /// running anything. `work` runs in a task that is not cancelled when the visit is left, and leaving waits for it, so
  /// that its result is recorded before the flow moves on. So `work` should end in bounded time.
  ///
  /// Simultaneous calls with the same key: one runs the work and the others wait; cancelling one of the others ends
  /// only that call.
  ///
  /// If `work` throws, the error is thrown here, nothing is recorded as done, and the next call tries again with the
  /// same idempotency key. ``record(_:as:)`` then returns `interrupted`, because it is not known whether the outside
  /// world acted.
  ///
  /// In a hosted flow the next call may be a replay, because each answer may begin `proceed` anew. Suppose the first
  /// card of a customer fails because of the network, and the step catches the error and asks for a second card. To take
  /// that answer, the flow may be activated: `proceed` begins anew, and the work for the first card runs again and may
  /// succeed. If a step goes on after a failure, use ``attempt(_:_:)-(String,(String)->T)``, and another key for the
  /// second card. `once` is for work whose failure fails the step.
  ///
  /// Records are dropped when the place's `backUp` has returned, and stay if it threw. A place that a back passes over
  /// is dropped with its records.
  ///
  /// - Parameters:
  ///   - key: Names the effect within this place.
  ///   - work: Gets an idempotency key: the same for every attempt of this effect at this place, a new one after the
  ///     place was rolled back, and never that of another run. It has at most 200 UTF-8 bytes;
  ///     <doc:BackingUp#What-an-idempotency-key-is-made-of> describes its parts.
  /// - Throws: The error of `work`; `CancellationError` if the visit was being left before the work began; `FlowError`
  ///   with the code `wrongRecordType` if the record is of another type, `insideFlow` if `work` would wait for itself.
  public func once<T: Codable & Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> T {
    guard let runtime else { return try await work(IdempotencyKey.standalone(key, bits: .random())) }
    return try await runtime.once(key, scope: scope, work)
  }

  /// Does work in the outside world once, as ``once(_:_:)-(String,(String)->T)`` does, for work that returns nothing.
  @_disfavoredOverload
  public func once(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> Void
  ) async throws {
    _ = try await once(key) { idempotencyKey in
      try await work(idempotencyKey)
      return Done()
    }
  }

  /// Does work that records its result itself.
  package func once<T: Codable & Sendable>(
    _ key: String, recording work: @escaping RecordingWork<T>
  ) async throws -> T {
    guard let runtime else { return try await work(IdempotencyKey.standalone(key, bits: .random())) { _, _ in } }
    return try await runtime.once(key, scope: scope, recording: work)
  }

  /// Refuses work whose result is not Codable, because it cannot be recorded.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "the result of 'once' is recorded: its type must be Codable")
  public func once<T: Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> T {
    try await work(key)
  }

  /// Does work in the outside world, and records its result, be it a value or a failure.
  ///
  /// The first call for `key` in this place runs `work`. Later calls, also those of a replay, return its result without
  /// running anything: a failure is a result. So a step may go on after a failure, and a second card needs a second key:
  ///
  /// ```swift
  /// for number in 1...3 {
  ///   let card = try await context.ask(CardForm(order: order, refused: refused))
  ///   let charge = try await context.attempt("card-\(number)") { [gateway] key in
  ///     try await gateway.charge(card, order.total, idempotencyKey: key)
  ///   }
  ///   switch charge {
  ///   case .made(let receipt): return receipt
  ///   case .failed(let error): refused = error.message
  ///   }
  /// }
  /// ```
  ///
  /// `work` runs as that of ``once(_:_:)-(String,(String)->T)`` does: it is not cancelled when the visit is left, and
  /// leaving waits for it. If it throws after the visit was left, or after the flow was passivated, nothing is
  /// recorded: the outcome is unknown, and the next call runs `work` again with the same idempotency key.
  ///
  /// A failed attempt may have acted all the same. So ``record(_:as:)`` returns `interrupted` with its idempotency key,
  /// also to `backUp`, which voids what may exist.
  ///
  /// If the step then fails, its next attempt, by `.retry` or by a retry of the hosted flow, runs those failures again
  /// that nothing has followed, with their idempotency keys. A failure is followed by whatever the step begins after it
  /// (a question, a wait, other work), and by an answer or a signal, or the end of a time limit, that comes after it.
  ///
  /// `once`, `attempt` and ``now(key:)`` share one namespace of keys. A value that one of `once` and `attempt` has
  /// recorded is returned by the other, and work whose outcome is unknown may be taken over by the other. A `once` under
  /// the key of a failed attempt is refused.
  ///
  /// - Parameters:
  ///   - key: Names the effect within this place.
  ///   - work: Gets an idempotency key, as that of ``once(_:_:)-(String,(String)->T)`` does.
  /// - Returns: The value of `work`, or its recorded error.
  /// - Throws: `CancellationError` if the visit was being left before the work began, or if the work threw after that;
  ///   `FlowError` with the code `wrongRecordType` if the record is of another type, `insideFlow` if `work` would wait
  ///   for itself, `notActive` after the visit. It never throws the error of `work`.
  public func attempt<T: Codable & Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> Attempt<T> {
    if let runtime { return try await runtime.attempt(key, scope: scope, work) }
    do { return .made(try await work(IdempotencyKey.standalone(key, bits: .random()))) } catch {
      try Task.checkCancellation()
      return .failed(RecordedError(error))
    }
  }

  /// Does work in the outside world, and records its result, as ``attempt(_:_:)-(String,(String)->T)`` does, for work
  /// that returns nothing.
  @_disfavoredOverload
  public func attempt(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> Void
  ) async throws -> Attempt<Void> {
    let attempt = try await attempt(key) { idempotencyKey in
      try await work(idempotencyKey)
      return Done()
    }
    return switch attempt {
    case .made: .made(())
    case .failed(let error): .failed(error)
    }
  }

  /// Refuses work whose result is not Codable, because it cannot be recorded.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "the result of 'attempt' is recorded: its type must be Codable")
  public func attempt<T: Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> Attempt<T> {
    .made(try await work(key))
  }

  /// Returns the time of the first call for `key` in this place, which is recorded: a replay gets the same time.
  ///
  /// The time is the coordinator's; in a hosted flow that of the host's clock, with a `date`. The record is dropped as
  /// that of a ``once(_:_:)-(String,(String)->T)`` is, and shares the namespace of its keys.
  ///
  /// - Throws: `CancellationError` if the visit was being left before the time was recorded; `FlowError` with the code
  ///   `wrongRecordType` if the key has another record, `notActive` after the visit.
  public func now(key: String) async throws -> FlowTime {
    try await runtime?.now(key, scope: scope) ?? FlowTime(sinceStart: .zero)
  }

  /// Returns the record that `once`, `attempt` or `now` left under `key` in this place. A failed attempt is
  /// `interrupted`.
  ///
  /// A record of another type counts as `interrupted`: work was begun under this key.
  public func record<T: Codable & Sendable>(_ key: String, as type: T.Type) async -> Record<T> {
    await runtime?.record(key, scope: scope, as: type) ?? .none
  }

  /// Returns the record under `key` in this place, without its value and whatever its type.
  public func record(_ key: String) async -> Record<Void> {
    await runtime?.record(key, scope: scope) ?? .none
  }

  /// Gives the hosted flow a label, by which lists and pages find it, or takes one away.
  ///
  /// Returns when the label is in the store. A flow's labels are those of its start, and what its steps have set since,
  /// whichever came last. A replay does not set them again, and a back or a rollback does not take them back. Without a
  /// host the call has no effect.
  ///
  /// - Parameters:
  ///   - key: The label's key: at most 512 UTF-8 bytes, without U+0000. Keys that are equal as a `String` are one label, which
  ///     is found under the bytes that were set last.
  ///   - value: The value: at most 512 UTF-8 bytes, without U+0000; `nil` removes the label.
  /// - Throws: `CancellationError` while the visit is being left; `FlowError` with the code `tooLarge`, `notStorable` for
  ///   U+0000 or if the flow is stored in a format without labels of steps, or `notActive` after the visit.
  public func label(_ key: String, _ value: String?) async throws {
    try await runtime?.label(key, value, at: stay)
  }

  private var scope: RecordScope { RecordScope(stay, isRollback: false) }
}

// MARK: - Leaving

extension StepContext {
  /// Leaves this step by backing up, as ``FlowCoordinator/backUp(to:)`` does from outside.
  ///
  /// The request is accepted before this throws: whatever `proceed` then throws or returns, the flow backs up. An
  /// automatic step whose policy is `.returnable` and that always backs up loops for ever.
  ///
  /// - Throws: `CancellationError` when the request was accepted. `CancellationError` as well when the visit was
  ///   already being left; the request then has no effect. `FlowError` with the code `cannotBackUp` if there is no
  ///   target, and nothing has changed; `notActive` after the visit.
  public func backUp() async throws -> Never {
    try await inFlow().backUp(from: stay)
    throw CancellationError()
  }

  /// Abandons the flow from inside, with rollback, as ``FlowCoordinator/abandon(reason:rollingBack:)`` does from
  /// outside.
  ///
  /// The request is accepted before this throws: whatever `proceed` then throws or returns, the flow is abandoned.
  ///
  /// - Throws: `CancellationError` when the request was accepted. `CancellationError` as well when the visit was
  ///   already being left; the request then has no effect, and a back that is under way goes on. `FlowError` with the
  ///   code `notActive` after the visit.
  public func abandon(_ reason: String) async throws -> Never {
    try await inFlow().abandon(reason, from: stay)
    throw CancellationError()
  }
}
