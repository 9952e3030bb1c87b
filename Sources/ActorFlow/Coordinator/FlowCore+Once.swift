// Effects that happen once.
extension FlowCore {
  func once<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, _ work: @escaping @Sendable (String) async throws -> T
  ) async throws -> T {
    let byChild = isChild(of: scope.stay)
    while true {
      let begun = try await decide(on: scope.stay.track) {
        Decision(
          try $0.beginOnce(key, scope: scope, type: T.self, byChild: byChild, drawBits: KeyBits.random))
      }
      switch begun {
      case .done(let value): return try StepBody.cast(value, to: T.self)
      case .wait: try await waitForEnd(of: key, scope: scope)
      case .run(let idempotencyKey):
        return try await shielded {
          do {
            let value = try await OnceWork.$current.withValue(OnceWork(key, scope, self.serial, in: OnceWork.current)) {
              try await work(idempotencyKey)
            }
            try await self.end(key, scope: scope, value: value, byChild: byChild)
            return value
          } catch {
            try await self.end(key, scope: scope, value: nil, byChild: byChild)
            throw error
          }
        }
      }
    }
  }

  func record<T: Codable & Sendable>(_ key: String, scope: RecordScope, as type: T.Type) async -> Record<T> {
    guard let record = withState({ $0.machine.record(key, scope: scope) }) else { return .none }
    if case .done(let value) = record.state, let value = try? StepBody.cast(value, to: T.self) { return .done(value) }
    return .interrupted(idempotencyKey: record.idempotencyKey)
  }

  func record(_ key: String, scope: RecordScope) async -> Record<Void> {
    guard let record = withState({ $0.machine.record(key, scope: scope) }) else { return .none }
    if case .done = record.state { return .done(()) }
    return .interrupted(idempotencyKey: record.idempotencyKey)
  }

  /// Waits while another call does the work. Cancelled, it leaves only this caller.
  private func waitForEnd(of key: String, scope: RecordScope) async throws {
    let cell = Cell()
    let holding = OnceWork.keys(of: serial, scope)
    let waits = try withState { state -> Bool in
      guard case .running? = state.machine.record(key, scope: scope)?.state else { return false }
      guard !state.onceWaits.wouldClose(from: key, to: holding) else {
        throw FlowError(
          .insideFlow, "once(\"\(key)\") is called from work that it waits for, directly or by another `once`",
          flow: flow)
      }
      if !holding.isEmpty { state.onceWaits.edges.append((holding, key, cell)) }
      state.onceWaiters.append(cell)
      return true
    }
    guard waits else { return }
    defer { withState { state in state.onceWaits.edges.removeAll { $0.cell === cell } } }
    _ = try await cell.value()
  }

  private func end(
    _ key: String, scope: RecordScope, value: (any Codable & Sendable)?, byChild: Bool?
  ) async throws {
    defer {
      let waiters = withState { state in
        defer { state.onceWaiters = [] }
        return state.onceWaiters
      }
      for waiter in waiters { waiter.fulfil(.success(())) }
    }
    do {
      try await decide(on: scope.stay.track, evenParked: true) { machine in
        machine.endOnce(key, scope: scope, value: value, byChild: byChild)
        return Decision(())
      }
    } catch {
      // Not recorded, so what became of the work is not known. But it has ended, and nobody is to wait for it.
      try await decide(on: scope.stay.track, commits: false, evenParked: true) { machine in
        machine.endOnce(key, scope: scope, value: nil, byChild: byChild)
        return Decision(())
      }
      throw error
    }
  }
}
