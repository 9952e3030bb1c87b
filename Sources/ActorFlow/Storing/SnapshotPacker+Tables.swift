// Leaves, walks, forks, signals and timers, and the tables of state that several places share.
extension SnapshotPacker {
  mutating func pack(_ leave: Leave) throws -> PackedLeave {
    let goal: PackedLeave.Goal =
      switch leave.goal {
      case .back(let depth, let handover): .back(to: depth, update: try handover.map { try value($0.update) })
      case .end(let ending, let rollBack): .end(PackedEnding(ending), rollBack: rollBack)
      case .unwind(let unwinding):
        .unwind(
          frame: try add(unwinding.frame),
          PackedFault(step: unwinding.step, error: StoredFailure(unwinding.error)), isTimeout: unwinding.isTimeout)
      case .prune(let cargo): .prune(cargo: try add(cargo))
      case .dissolve, .reload: .dissolve
      }
    return PackedLeave(
      goal: goal, number: leave.number, visit: leave.visit.map(PackedVisit.init), since: leave.since,
      failures: try pack(leave.failures), isAnnounced: leave.isAnnounced)
  }

  mutating func pack(_ start: Start, _ track: Track) throws -> PackedStart {
    let kind: PackedStart.Kind =
      switch start.kind {
      case .at(let address, let cargo):
        .at(try name(of: address, cargo, track), cargo: try add(cargo))
      case .top: .top
      case .recovery(let step, let frame, let error):
        .recovery(PackedFault(step: step, error: StoredFailure(error)), frame: try add(frame))
      case .failure(let step, let error, let frame):
        .failure(PackedFault(step: step, error: StoredFailure(error)), frame: try frame.map { try add($0) })
      }
    return PackedStart(kind: kind, pause: start.pause, update: try start.handover.map { try value($0.update) })
  }

  func name(of address: Int, _ cargo: Cargo, _ track: Track) throws -> PackedStart.Address {
    if let scopes = cargo.scopes, scopes !== track.outerScopes, scopes.start == address { return .scope }
    if let top = track.top?.shown, top.node.address + 1 == address { return .behind(top.visit.info.id) }
    if let scope = names.scope(before: address) { return .past(scope) }
    guard track.top == nil else {
      throw machine.error(.notStorable, "the walk begins at an address that has no name (\(address))")
    }
    return .beginning
  }

  mutating func pack(_ fork: OpenFork) throws -> PackedFork {
    var packed = PackedFork(
      tracks: fork.tracks.map(\.number), results: [],
      failure: fork.failure.map { PackedFault(step: $0.step, error: StoredFailure($0.error)) },
      failures: try pack(fork.failures), judged: fork.judged, isDecided: fork.isDecided)
    packed.results.reserveCapacity(fork.results.count)
    for result in fork.results {
      let value = try before.results.pack(result.value, named: fork.tracks[result.branch], with: codec)
      packed.results.append(PackedResult(branch: result.branch, value: value))
    }
    return packed
  }

  mutating func packMail() throws {
    snapshot.mail.buffer = try machine.mail.buffer.map { signal in
      try locate("the signal \"\(signal.signal)\"") {
        PackedMail.Signal(name: signal.signal, value: try value(signal.value))
      }
    }
    snapshot.mail.keys = machine.mail.rememberedKeys.map { PackedMail.Key(signal: $0.signal, key: $0.key) }
  }

  mutating func packAlarms() throws {
    for index in 0..<machine.alarms.count {
      let alarm = machine.alarms[index]
      let subject: PackedAlarm.Subject =
        switch alarm.subject {
        case .scope(let frame): .scope(frame: try add(frame))
        case .idle(let frame, let after): .idle(frame: try add(frame), after: after, pausedAt: alarm.pausedAt)
        case .question(let number): .question(number)
        case .reminder(let question, let number, let every, let most):
          .reminder(question: question, number: number, every: every, of: most)
        case .wait(let number): .wait(number)
        case .pause: .pause
        }
      snapshot.alarms.append(PackedAlarm(due: alarm.due, track: alarm.track.number, subject: subject))
    }
  }

  // MARK: - Tables

  mutating func add(_ cargo: Cargo, as type: Any.Type? = nil) throws -> Int {
    if let index = cargoes[ObjectIdentifier(cargo)] { return index }
    let packed = PackedCargo(
      value: try before.cargoes.pack(
        cargo.value, named: ObjectIdentifier(cargo), of: cargo, as: type, with: codec),
      kept: try cargo.kept.map { try add($0) },
      scopes: try cargo.scopes.map { try add($0) })
    snapshot.cargoes.append(packed)
    cargoes[ObjectIdentifier(cargo)] = snapshot.cargoes.count - 1
    return snapshot.cargoes.count - 1
  }

  mutating func add(_ kept: Kept) throws -> Int {
    if let index = self.kept[ObjectIdentifier(kept)] { return index }
    let packed = PackedKept(value: try value(kept.value), below: try kept.below.map { try add($0) })
    snapshot.kept.append(packed)
    self.kept[ObjectIdentifier(kept)] = snapshot.kept.count - 1
    return snapshot.kept.count - 1
  }

  mutating func add(_ frame: ScopeFrame) throws -> Int {
    if let index = frames[ObjectIdentifier(frame)] { return index }
    guard let name = names.name(of: frame.scope) else {
      throw machine.error(.notStorable, "an open scope belongs to another definition")
    }
    let packed = PackedFrame(scope: name, cargo: try add(frame.cargo), attempt: frame.attempt)
    snapshot.frames.append(packed)
    frames[ObjectIdentifier(frame)] = snapshot.frames.count - 1
    return snapshot.frames.count - 1
  }

  func value(_ value: any Sendable, as type: Any.Type? = nil) throws -> PackedValue {
    try PackedValue(value, as: type, with: codec)
  }

  /// Adds the step to errors.
  func locate<Result>(_ step: StepID, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as FlowError { throw error.located(in: machine.flow, at: step) }
  }

  func locate<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as FlowError {
      throw machine.error(error.code, "\(what): \(error.message)", underlying: error.underlyingErrors)
    }
  }
}

extension PackedVisit {
  init(_ visit: VisitNode) {
    self.init(id: visit.id.number, step: visit.info.id, isSkipped: visit.isSkipped, canBackUp: visit.canBackUp)
  }
}

extension PackedEnding {
  init(_ ending: Ending) {
    self =
      switch ending {
      case .finished: .finished
      case .failed: .failed
      case .cancelled: .cancelled
      case .abandoned(let reason): .abandoned(reason: reason)
      }
  }

  package var ending: Ending {
    switch self {
    case .finished: .finished
    case .failed: .failed
    case .cancelled: .cancelled
    case .abandoned(let reason): .abandoned(reason: reason)
    }
  }
}
