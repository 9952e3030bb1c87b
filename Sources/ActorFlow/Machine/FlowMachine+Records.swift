// Records of `once`, `attempt` and `now`.
extension FlowMachine {
  package enum OnceBegun: Sendable {
    /// Run the work with this key.
    case run(idempotencyKey: String)
    /// Another call is running the work; wait for it, then ask again.
    case wait
    case done(any Sendable)
    /// The work of an `attempt` threw.
    case failed(RecordedError)
  }

  /// Begins the work of a `once` or an `attempt`, or returns its record.
  ///
  /// A value is the record of either. A failure is only that of an `attempt`, for which it is a result: a `once` would
  /// try again, and a replay of the `attempt` would then get something else.
  ///
  /// - Parameters:
  ///   - isAttempt: Whether a failure is a result.
  ///   - isTime: Whether the work is only to look at the clock, which follows nothing that has failed.
  ///   - drawBits: Draws the run's ``keyBits``; called for the first effect of a run that is not persisted.
  /// - Throws: `CancellationError` while the visit is being left and there is no record, else a `FlowError`.
  package mutating func beginOnce<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, type: T.Type, isAttempt: Bool = false, isTime: Bool = false,
    by caller: CallingTask = .unknown, drawBits: () -> KeyBits
  ) throws -> OnceBegun {
    let track = scope.stay.track
    guard let place = place(in: scope) else {
      throw error(.notActive, "the visit that this context belongs to has ended; it can no longer begin an effect")
    }
    var known: String?
    if let record = focus(of: track).memory?.records[key] {
      guard record.holds(type) else {
        throw error(
          .wrongRecordType,
          "the record \"\(key)\" is of type \(record.typeName), not \(StoredRecord.name(of: type))",
          step: place.visit.info.id)
      }
      switch record.state {
      case .done(let value):
        if !scope.isRollback {
          self[track].focus.attempt.countEffect(by: caller)
          note(.outcome(by: caller), on: track)
        }
        return .done(value)
      case .failed(let failure):
        guard isAttempt else {
          throw error(
            .wrongRecordType,
            "the record \"\(key)\" is a failed `attempt`, so `once` does not try it again; use another key",
            step: place.visit.info.id)
        }
        self[track].focus.attempt.countEffect(by: caller)
        note(.outcome(by: caller), on: track)
        return .failed(failure)
      case .running: return .wait
      case .interrupted: known = record.idempotencyKey
      }
    }
    if scope.isRollback {
      guard !focus(of: track).hasReturned else {
        throw error(
          .notActive, "this rollback has returned; it can no longer begin an effect", step: place.visit.info.id)
      }
    } else {
      _ = try activePlace(of: scope.stay.visit, on: track, to: "begin an effect")
      self[track].focus.attempt.countEffect(by: caller)
      note(.began, on: track)
      if caller == .step { settleGivenUp(on: track) }
      if !isTime { noteFollowed(on: track) }
    }
    let idempotencyKey = known ?? newIdempotencyKey(key, at: place, drawBits)
    if self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.running += 1
    self[track].focus.memory?.records[key] = StoredRecord(
      type: ObjectIdentifier(type), typeName: StoredRecord.name(of: type), idempotencyKey: idempotencyKey,
      state: .running)
    return .run(idempotencyKey: idempotencyKey)
  }

  /// Ends the work of a `once`. Pass `nil` if it threw.
  package mutating func endOnce(
    _ key: String, scope: RecordScope, value: (any Codable & Sendable)?, by caller: CallingTask = .unknown
  ) {
    perform(.wakeOnce)
    let track = scope.stay.track
    guard top(of: track)?.visit.id == scope.stay.visit, case .running? = focus(of: track).memory?.records[key]?.state
    else { return }
    self[track].focus.memory?.running -= 1
    self[track].focus.memory?.records[key]?.state = value.map { .done($0) } ?? .interrupted
    if !scope.isRollback { note(value == nil ? .threw : .outcome(by: caller), on: track) }
  }

  /// Ends the work of an `attempt` that threw.
  ///
  /// After the visit is over or being left, the failure is no result of it: the outcome is unknown, as after a `once`.
  ///
  /// - Returns: Whether the failure is recorded.
  package mutating func endAttempt(
    _ key: String, scope: RecordScope, failure: RecordedError, by caller: CallingTask = .unknown
  ) -> Bool {
    let track = scope.stay.track
    guard runningPlace(of: scope.stay.visit, on: track) != nil,
      case .running? = focus(of: track).memory?.records[key]?.state
    else {
      endOnceUncommitted(key, scope: scope, by: caller)
      return false
    }
    perform(.wakeOnce)
    self[track].focus.memory?.running -= 1
    self[track].focus.memory?.records[key]?.state = .failed(failure)
    self[track].focus.memory?.latestFailures.append(key)
    note(.outcome(by: caller), on: track)
    return true
  }

  /// Notes that something has followed the failed attempts of the visit, so that they stay as they are: the step has
  /// begun a question, a wait or work, or has got an answer or a signal, or a time limit has passed.
  mutating func noteFollowed(on track: TrackID) {
    // Changed in place: a look at it, optimized by Swift 6.3, copies the machine.
    with(track) { $0.focus.memory?.latestFailures.removeAll() }
  }

  /// Forgets the failures that nothing has followed, because the visit gets another attempt: their work runs again,
  /// with the same idempotency keys.
  mutating func forgetLatestFailures(on track: TrackID) {
    guard let keys = focus(of: track).memory?.latestFailures, !keys.isEmpty else { return }
    for key in keys { self[track].focus.memory?.records[key]?.state = .interrupted }
    self[track].focus.memory?.latestFailures = []
  }

  /// Returns the time that the place has recorded under this key. Without a record, records the time now.
  ///
  /// - Returns: `done` with the time, or `wait`, because a `once` that makes a time is under way.
  /// - Throws: As ``beginOnce(_:scope:type:isAttempt:isTime:by:drawBits:)``.
  package mutating func recordTime(
    _ key: String, scope: RecordScope, by caller: CallingTask = .unknown, drawBits: () -> KeyBits,
    at now: () -> FlowTime
  ) throws -> OnceBegun {
    let begun = try beginOnce(key, scope: scope, type: FlowTime.self, isTime: true, by: caller, drawBits: drawBits)
    guard case .run = begun else { return begun }
    let now = now()
    endOnce(key, scope: scope, value: now, by: caller)
    return .done(now)
  }

  /// Ends the work of a `once` whose end could not be committed: without a record its outcome is unknown.
  package mutating func endOnceUncommitted(_ key: String, scope: RecordScope, by caller: CallingTask = .unknown) {
    needsNoCommit()
    endOnce(key, scope: scope, value: nil, by: caller)
  }

  /// Whether work begun by a `once` of the place on top of a track is still under way. The flow does not move on before
  /// it has ended.
  package func hasRunningWork(on track: TrackID) -> Bool {
    look(at: track) { $0.hasRunningWork }
  }

  /// The number of works begun by a `once` that are under way, on all tracks.
  package var runningWorks: Int {
    ([.main] + descendants(of: .main)).reduce(0) { count, track in
      count + look(at: track) { $0.focus.memory?.running ?? 0 }
    }
  }

  /// Whether the step on top has left something open that must end before the flow moves on.
  package func hasLooseEnds(on track: TrackID) -> Bool {
    look(at: track) { $0.asking != nil || $0.hasRunningWork || !$0.waits.isEmpty || $0.reopening != nil }
  }

  /// Returns the record of `once` under `key`.
  package func record(_ key: String, scope: RecordScope) -> StoredRecord? {
    place(in: scope) == nil ? nil : focus(of: scope.stay.track).memory?.records[key]
  }

  /// Returns an idempotency key that no other effect of any run has.
  ///
  /// A persisted flow gets its key bits at its launch. If it has none, it was stored by an older version: its keys
  /// must then be the same in each process, and in a store that was restored.
  private mutating func newIdempotencyKey(_ key: String, at place: Place, _ drawBits: () -> KeyBits) -> String {
    if keyBits == nil, journal != .persisting { keyBits = drawBits() }
    return IdempotencyKey.make(
      flow: flow, step: place.visit.info.id, visit: place.visit.id, key: key, bits: keyBits)
  }

  private func place(in scope: RecordScope) -> Place? {
    let track = scope.stay.track
    guard let place = top(of: track), place.visit.id == scope.stay.visit else { return nil }
    switch phase(of: track) {
    case .walking, .leaving: return scope.isRollback ? nil : place
    case .compensating: return scope.isRollback ? place : nil
    case .idle, .ended: return nil
    }
  }
}

extension StoredRecord {
  fileprivate static func name(of type: Any.Type) -> String { type == Done.self ? "Void" : "\(type)" }

  fileprivate func holds(_ type: Any.Type) -> Bool {
    if let known = self.type { known == ObjectIdentifier(type) } else { typeName == Self.name(of: type) }
  }
}

extension Track {
  fileprivate var hasRunningWork: Bool { (focus.memory?.running ?? 0) > 0 }
}
