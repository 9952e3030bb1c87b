// Effects that happen once, and times that are recorded.
extension FlowCoordinator {
  nonisolated func once<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, _ work: @escaping @Sendable (String) async throws -> T
  ) async throws -> T {
    let caller = await callingTask(at: scope.stay)
    while true {
      let begun = try await decide(on: scope.stay.track) { machine, _ in
        try machine.beginOnce(key, scope: scope, type: T.self, by: caller, drawBits: KeyBits.random)
      }
      switch begun {
      case .done(let value): return try StepBody.cast(value, to: T.self)
      case .failed(let error): throw error
      case .wait: try await waitForEnd(of: key, scope: scope)
      case .run(let idempotencyKey):
        return try await shielded {
          try await self.within(key, scope) { hasEnded in
            do {
              let value = try await Self.value(of: work, idempotencyKey, hasEnded)
              try await self.end(key, scope: scope, value: value, by: caller)
              return value
            } catch {
              try await self.end(key, scope: scope, value: nil, by: caller)
              throw error
            }
          }
        }
      }
    }
  }

  /// Does work that records its result itself, in a transaction with what it writes.
  ///
  /// Nothing is committed before the work: if the process dies, so does the transaction, and the next call runs the work
  /// again. In a flow without commits the result is recorded when the work has returned.
  nonisolated func once<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, recording work: @escaping RecordingWork<T>
  ) async throws -> T {
    guard isPersisted else { return try await once(key, scope: scope) { try await work($0) { _, _ in } } }
    let caller = await callingTask(at: scope.stay)
    while true {
      let begun = try await decide(on: scope.stay.track) { machine, _ in
        let begun = try machine.beginOnce(key, scope: scope, type: T.self, by: caller, drawBits: KeyBits.random)
        if case .run = begun { machine.needsNoCommit() }
        return begun
      }
      switch begun {
      case .done(let value): return try StepBody.cast(value, to: T.self)
      case .failed(let error): throw error
      case .wait: try await waitForEnd(of: key, scope: scope)
      case .run(let idempotencyKey):
        return try await shielded {
          do {
            return try await self.within(key, scope) { hasEnded in
              try await Self.value(
                of: { idempotencyKey in
                  try await work(idempotencyKey) { value, cause in
                    try await self.decide(on: scope.stay.track, cause: cause, evenPassivated: true) { machine, _ in
                      machine.endOnce(key, scope: scope, value: value, by: caller)
                    }
                  }
                }, idempotencyKey, hasEnded)
            }
          } catch {
            await self.endUncommitted(key, scope: scope, by: caller)
            throw error
          }
        }
      }
    }
  }

  nonisolated func attempt<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, _ work: @escaping @Sendable (String) async throws -> T
  ) async throws -> Attempt<T> {
    try settings.persistence?.refuse("attempt", of: id)
    let caller = await callingTask(at: scope.stay)
    while true {
      let begun = try await decide(on: scope.stay.track) { machine, _ in
        try machine.beginOnce(
          key, scope: scope, type: T.self, isAttempt: true, by: caller, drawBits: KeyBits.random)
      }
      switch begun {
      case .done(let value): return .made(try StepBody.cast(value, to: T.self))
      case .failed(let error): return .failed(error)
      case .wait: try await waitForEnd(of: key, scope: scope)
      case .run(let idempotencyKey):
        return try await shielded {
          let failure = Lock<RecordedError?>(nil)
          do {
            return .made(
              try await self.within(key, scope) { hasEnded in
                let value: T
                do { value = try await Self.value(of: work, idempotencyKey, hasEnded) } catch {
                  let recorded = try await self.end(key, scope: scope, failure: error, by: caller)
                  failure.withLock { $0 = recorded }
                  throw error
                }
                try await self.end(key, scope: scope, value: value, by: caller)
                return value
              })
          } catch {
            guard let recorded = failure.withLock({ $0 }) else { throw error }
            return .failed(recorded)
          }
        }
      }
    }
  }

  /// Runs an effect, under observation if there is one: its work, and what records the work's result.
  private nonisolated func within<T: Sendable>(
    _ key: String, _ scope: RecordScope, _ effect: @escaping @Sendable (FlowObservation.EndEffect) async throws -> T
  ) async throws -> T {
    try await OnceWork.$current.withValue(OnceWork(key, scope, serial, in: OnceWork.current)) {
      try await observed(key, scope, effect)
    }
  }

  /// Does the work of an effect, and says when it has ended.
  private static nonisolated func value<T: Sendable>(
    of work: @Sendable (String) async throws -> T, _ idempotencyKey: String, _ hasEnded: FlowObservation.EndEffect
  ) async throws -> T {
    do {
      let value = try await work(idempotencyKey)
      hasEnded(nil)
      return value
    } catch {
      hasEnded(error)
      throw error
    }
  }

  nonisolated func now(_ key: String, scope: RecordScope) async throws -> FlowTime {
    try settings.persistence?.refuse("now(key:)", of: id)
    let caller = await callingTask(at: scope.stay)
    let start = settings.persistence?.start
    while true {
      let begun = try await decide(on: scope.stay.track) { machine, stopwatch in
        try machine.recordTime(key, scope: scope, by: caller, drawBits: KeyBits.random) {
          FlowTime(sinceStart: stopwatch.elapsed(), start: start)
        }
      }
      guard case .done(let time) = begun else {
        try await waitForEnd(of: key, scope: scope)
        continue
      }
      return try StepBody.cast(time, to: FlowTime.self)
    }
  }

  nonisolated func label(_ key: String, _ value: String?, at stay: Stay) async throws {
    try settings.persistence?.refuse("label", of: id)
    let caller = await callingTask(at: stay)
    try await decide(on: stay.track) { machine, _ in try machine.label(key, value, at: stay, by: caller) }
  }

  nonisolated func record<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, as type: T.Type
  ) async -> Record<T> {
    guard let record = await stored(key, scope) else { return .none }
    if case .done(let value) = record.state, let value = try? StepBody.cast(value, to: T.self) { return .done(value) }
    return .interrupted(idempotencyKey: record.idempotencyKey)
  }

  private func stored(_ key: String, _ scope: RecordScope) -> StoredRecord? {
    withState { $0.machine.record(key, scope: scope) }
  }

  func record(_ key: String, scope: RecordScope) async -> Record<Void> {
    guard let record = stored(key, scope) else { return .none }
    if case .done = record.state { return .done(()) }
    return .interrupted(idempotencyKey: record.idempotencyKey)
  }

  /// Waits while another call does the work. A cancellation ends only the waiting of this caller.
  private nonisolated func waitForEnd(of key: String, scope: RecordScope) async throws {
    let waiter = OneShot()
    let holding = OnceWork.keys(of: serial, scope)
    guard try await begin(waiter, waitingFor: key, scope: scope, holding: holding) else { return }
    do { _ = try await waiter.value() } catch {
      await forget(onceWaiter: waiter)
      throw error
    }
    await forget(onceWaiter: waiter)
  }

  /// - Returns: False if the work is no longer under way.
  private func begin(
    _ waiter: OneShot, waitingFor key: String, scope: RecordScope, holding: [String]
  ) throws -> Bool {
    guard case .running? = stored(key, scope)?.state else { return false }
    guard !state.onceWaits.wouldClose(from: key, to: holding) else {
      throw FlowError(
        .insideFlow, "once(\"\(key)\") is called, directly or through another `once`, by its own work",
        flow: id)
    }
    if !holding.isEmpty { state.onceWaits.edges.append((holding, key, waiter)) }
    state.onceWaiters.append(waiter)
    return true
  }

  private func forget(onceWaiter waiter: OneShot) {
    state.onceWaits.edges.removeAll { $0.cell === waiter }
    state.onceWaiters.removeAll { $0 === waiter }
  }

  /// Records the failure of an `attempt`.
  ///
  /// - Throws: `CancellationError` if the visit was left or the flow passivated, so that nothing is recorded; the error
  ///   of the commit.
  private nonisolated func end(
    _ key: String, scope: RecordScope, failure: any Error, by caller: CallingTask
  ) async throws -> RecordedError {
    let failure = RecordedError(failure, codec: codec)
    let isRecorded: Bool
    do {
      isRecorded = try await decide(on: scope.stay.track) { machine, _ in
        machine.endAttempt(key, scope: scope, failure: failure, by: caller)
      }
    } catch {
      await endUncommitted(key, scope: scope, by: caller)
      throw error
    }
    guard isRecorded else { throw CancellationError() }
    return failure
  }

  private nonisolated func end(
    _ key: String, scope: RecordScope, value: (any Codable & Sendable)?, by caller: CallingTask
  ) async throws {
    do {
      try await decide(on: scope.stay.track, evenPassivated: true) { machine, _ in
        machine.endOnce(key, scope: scope, value: value, by: caller)
      }
    } catch {
      await endUncommitted(key, scope: scope, by: caller)
      throw error
    }
  }

  /// Ends work without a record: its outcome is unknown. But it has ended, so no task may wait for it.
  private nonisolated func endUncommitted(_ key: String, scope: RecordScope, by caller: CallingTask) async {
    _ = try? await decide(on: scope.stay.track, evenPassivated: true) { machine, _ in
      machine.endOnceUncommitted(key, scope: scope, by: caller)
    }
  }
}

/// The work of the `once` calls around the current code, innermost first.
///
/// Work that calls `once` with its own key would wait for itself, and could not be cancelled. The chain is a
/// task-local, so it also reaches the work's child tasks.
final class OnceWork: Sendable {
  @TaskLocal static var current: OnceWork?

  private let key: String
  private let scope: RecordScope
  private let coordinator: UInt64
  private let outer: OnceWork?

  init(_ key: String, _ scope: RecordScope, _ coordinator: UInt64, in outer: OnceWork?) {
    self.key = key
    self.scope = scope
    self.coordinator = coordinator
    self.outer = outer
  }

  /// Returns the keys at this place whose work includes the current code.
  static func keys(of coordinator: UInt64, _ scope: RecordScope) -> [String] {
    var keys: [String] = []
    var link = current
    while let here = link {
      if here.coordinator == coordinator, here.scope == scope { keys.append(here.key) }
      link = here.outer
    }
    return keys
  }
}

/// The waits between works of `once` at one place, so that a cycle is refused before it closes.
struct OnceWaits: Sendable {
  /// For each wait, the keys that the waiting work is for, the key it waits for, and its waiter.
  var edges: [(holding: [String], key: String, cell: OneShot)] = []

  /// Whether work for `key` waits, directly or through other work, for work for one of `holding`.
  func wouldClose(from key: String, to holding: [String]) -> Bool {
    guard !holding.isEmpty else { return false }
    var reached: Set = [TextKey(key)]
    func isReached(_ key: String) -> Bool { reached.contains(TextKey(key)) }
    var grew = true
    while grew {
      grew = false
      for edge in edges where !reached.contains(TextKey(edge.key)) && edge.holding.contains(where: isReached) {
        reached.insert(TextKey(edge.key))
        grew = true
      }
    }
    return holding.contains(where: isReached)
  }
}
