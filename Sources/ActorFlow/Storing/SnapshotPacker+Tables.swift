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
      case .dropSuperseded(let payload): .dropSuperseded(payload: try add(payload))
      // The packer has made a walk of a reload and of an operator's decision.
      case .supersede, .reload, .complete, .enter: .supersede
      }
    return PackedLeave(
      goal: goal, number: leave.number, visit: leave.visit.map(PackedVisit.init), since: leave.since,
      failures: try pack(leave.failures), isAnnounced: leave.isAnnounced)
  }

  mutating func pack(_ start: Start, _ track: Track) throws -> PackedStart {
    let kind: PackedStart.Kind =
      switch start.kind {
      case .at(let address, let payload):
        .at(try name(of: address, payload, track), payload: try add(payload))
      case .top: .top
      case .anew(let payload): .anew(payload: try add(payload, as: track.top?.node.body.types.input))
      case .recovery(let step, let frame, let error):
        .recovery(PackedFault(step: step, error: StoredFailure(error)), frame: try add(frame))
      case .failure(let step, let error, let frame):
        .failure(PackedFault(step: step, error: StoredFailure(error)), frame: try frame.map { try add($0) })
      }
    return PackedStart(kind: kind, pause: start.pause, update: try start.handover.map { try value($0.update) })
  }

  func name(of address: Int, _ payload: Payload, _ track: Track) throws -> PackedStart.Address {
    if let scopes = payload.scopes, scopes !== track.outerScopes, scopes.start == address { return .scope }
    if let top = track.top?.shown, top.node.address + 1 == address { return .behind(top.visit.info.id) }
    if let scope = names.scope(before: address) { return .past(scope) }
    if let finalizer = names.finalizer(before: address) { return .behind(finalizer.info.id) }
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

  mutating func packSignals() throws {
    snapshot.signals.buffer = try machine.signals.buffer.map { signal in
      try locate("the signal \"\(signal.signal)\"") {
        PackedSignals.Signal(name: signal.signal, value: try value(signal.value))
      }
    }
    snapshot.signals.keys = machine.signals.rememberedKeys.map { PackedSignals.Key(signal: $0.signal, key: $0.key) }
  }

  mutating func packTimers() throws {
    for index in 0..<machine.timers.count {
      let timer = machine.timers[index]
      let subject: PackedTimer.Subject =
        switch timer.subject {
        case .scope(let frame): .scope(frame: try add(frame))
        case .idle(let frame, let after): .idle(frame: try add(frame), after: after, pausedAt: timer.pausedAt)
        case .question(let number): .question(number)
        case .reminder(let question, let number, let every, let most):
          .reminder(question: question, number: number, every: every, of: most)
        case .wait(let number): .wait(number)
        case .pause: .pause
        }
      snapshot.timers.append(PackedTimer(due: timer.due, track: timer.track.number, subject: subject))
    }
  }

  // MARK: - Tables

  mutating func add(_ payload: Payload, as type: Any.Type? = nil) throws -> Int {
    if let index = payloads[ObjectIdentifier(payload)] { return index }
    let packed = PackedPayload(
      value: try before.payloads.pack(
        payload.value, named: ObjectIdentifier(payload), of: payload, as: type, with: codec),
      carried: try payload.carried.map { try add($0) },
      scopes: try payload.scopes.map { try add($0) })
    snapshot.payloads.append(packed)
    payloads[ObjectIdentifier(payload)] = snapshot.payloads.count - 1
    return snapshot.payloads.count - 1
  }

  mutating func add(_ carried: Carried) throws -> Int {
    if let index = self.carried[ObjectIdentifier(carried)] { return index }
    let packed = PackedCarried(value: try value(carried.value), below: try carried.below.map { try add($0) })
    snapshot.carried.append(packed)
    self.carried[ObjectIdentifier(carried)] = snapshot.carried.count - 1
    return snapshot.carried.count - 1
  }

  mutating func add(_ frame: ScopeFrame) throws -> Int {
    if let index = frames[ObjectIdentifier(frame)] { return index }
    guard let name = names.name(of: frame.scope) else {
      throw machine.error(.notStorable, "an open scope belongs to another definition")
    }
    let packed = PackedFrame(
      scope: name, payload: try add(frame.payload), attempt: frame.attempt, admitted: frame.admitted?.participants)
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
