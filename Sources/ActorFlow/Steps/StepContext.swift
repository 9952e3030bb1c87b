/// What a step may do to its flow while its `proceed` runs.
///
/// A context belongs to one visit. Used after that visit has ended, every verb that can throw throws
/// ``FlowError/Code/notActive``; used while the visit is being left, it throws `CancellationError`, which a step lets
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

  /// A context for a step used outside any flow.
  ///
  /// ``ask(_:key:)``, ``update(_:)``, ``backUp()`` and ``abandon(_:)`` throw ``FlowError/Code/notInFlow``;
  /// `once` runs its work each time, with a key of its own, and remembers nothing.
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
  /// The question is open from the event `.asked` on, until somebody answers it, the asking task is cancelled (the
  /// question is then withdrawn), or the visit is left. An accepted answer is returned even if this task was cancelled
  /// in the meantime.
  ///
  /// - Parameters:
  ///   - prompt: What to show, and the type of the answer.
  ///   - key: The name of the answer in the visit's journal; one key, one answer. The default is the prompt's type and
  ///     how many of that type this visit has asked.
  /// - Throws: `CancellationError` when the visit is left or the task cancelled; `FlowError` with the code
  ///   `alreadyAsking` if the visit has an open question, `duplicateKey` if it has an answer under `key`, `notActive`
  ///   after the visit.
  public func ask<P: Prompt>(_ prompt: P, key: String? = nil) async throws -> P.Answer {
    try await inFlow().ask(prompt, key: key, at: stay)
  }

  /// Asks a question whose prompt changes while it is open: each element of `updates` replaces what is shown, as
  /// ``update(_:)`` does.
  ///
  /// The sequence is read by a child task that has ended before this returns. When the sequence ends, the question
  /// stays open with the last prompt.
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
          // Refused: the question was answered or withdrawn, so nobody looks at it any more.
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

  /// Replaces what this visit's open question shows. Its revision grows by one, and an event `.updated` is published.
  ///
  /// - Throws: `FlowError` with the code `notActive` if no question of this visit is open, `wrongPromptType` if the
  ///   open question shows another type of prompt; `CancellationError` while the visit is being left.
  public func update<P: Prompt>(_ prompt: P) async throws {
    try await inFlow().update(prompt, at: stay)
  }
}

// MARK: - Effects

extension StepContext {
  /// Does work in the outside world once, and records what it returned.
  ///
  /// The first call for `key` in this place runs `work` and records its result; later calls return the record without
  /// running anything. `work` runs in a task that is not cancelled when the visit is left, and leaving waits for it:
  /// what the outside world did is recorded before the flow moves on. So `work` should end in bounded time.
  ///
  /// Calls with the same key at the same time run it once; the others wait, and cancelling one of them leaves only
  /// that one. If `work` throws, the error is thrown here, nothing is recorded as done, and the next call tries again
  /// with the same idempotency key; ``record(_:as:)`` then says `interrupted`, because whether the outside world acted
  /// is not known. In a hosted flow the next call may be a replay: each answer begins `proceed` anew. Let `work` return a
  /// failure that is to stay one.
  ///
  /// Records are dropped when the place's `backUp` has returned, and kept if it threw; but a place that a back passes over
  /// goes with its records.
  ///
  /// - Parameters:
  ///   - key: Names the effect within this place.
  ///   - work: Gets an idempotency key: the same for every attempt of this effect at this place, a new one after the
  ///     place was rolled back, and never that of another run. It has at most 200 UTF-8 bytes; what it is made of is said
  ///     in <doc:BackingUp#What-an-idempotency-key-is-made-of>.
  /// - Throws: What `work` threw; `CancellationError` if the visit was being left before the work began;
  ///   `FlowError` with the code `wrongRecordType` if the record is of another type, `insideFlow` if `work` would wait
  ///   for itself.
  public func once<T: Codable & Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> T {
    guard let runtime else { return try await work(IdempotencyKey.standalone(key, bits: .random())) }
    return try await runtime.once(key, scope: scope, work)
  }

  /// Does work in the outside world once. As ``once(_:_:)-(String,(String)->T)``, for work that returns nothing.
  @_disfavoredOverload
  public func once(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> Void
  ) async throws {
    _ = try await once(key) { idempotencyKey in
      try await work(idempotencyKey)
      return Done()
    }
  }

  /// Work whose result is not Codable, so that it cannot be recorded.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "what 'once' returns is recorded: its type must be Codable")
  public func once<T: Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> T {
    try await work(key)
  }

  /// What `once` recorded under `key` in this place.
  ///
  /// A record of another type counts as `interrupted`: something was begun under this key.
  public func record<T: Codable & Sendable>(_ key: String, as type: T.Type) async -> Record<T> {
    await runtime?.record(key, scope: scope, as: type) ?? .none
  }

  /// Whether `once` recorded anything under `key` in this place, whatever its type.
  public func record(_ key: String) async -> Record<Void> {
    await runtime?.record(key, scope: scope) ?? .none
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
  /// - Throws: `CancellationError` when the request was accepted, and when the visit was being left already: the request
  ///   is then void. `FlowError` with the code `cannotBackUp` if there is nowhere to go, and nothing has changed;
  ///   `notActive` after the visit.
  public func backUp() async throws -> Never {
    try await inFlow().backUp(from: stay)
    throw CancellationError()
  }

  /// Abandons the flow from inside, with rollback, as ``FlowCoordinator/abandon(reason:rollingBack:)`` does from
  /// outside.
  ///
  /// The request is accepted before this throws: whatever `proceed` then throws or returns, the flow is abandoned.
  ///
  /// - Throws: `CancellationError` when the request was accepted, and when the visit was being left already: the request
  ///   is then void, and a back that is under way goes on. `FlowError` with the code `notActive` after the visit.
  public func abandon(_ reason: String) async throws -> Never {
    try await inFlow().abandon(reason, from: stay)
    throw CancellationError()
  }
}
