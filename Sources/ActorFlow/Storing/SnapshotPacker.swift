extension FlowMachine {
  /// The machine as a snapshot. Not before the launch.
  ///
  /// - Parameter names: Of the graph that it runs; after the end the graph is not looked at.
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the step and the type.
  package func snapshot(_ names: GraphNames, with codec: any ValueCodec) throws -> MachineSnapshot {
    var packer = SnapshotPacker(machine: self, names: names, codec: codec)
    return try packer.pack()
  }
}

/// Makes a snapshot of a machine.
private struct SnapshotPacker {
  let machine: FlowMachine
  let names: GraphNames
  let codec: any ValueCodec
  private var snapshot = MachineSnapshot()
  private var cargoes: [ObjectIdentifier: Int] = [:]
  private var kept: [ObjectIdentifier: Int] = [:]
  private var frames: [ObjectIdentifier: Int] = [:]

  init(machine: FlowMachine, names: GraphNames, codec: any ValueCodec) {
    (self.machine, self.names, self.codec) = (machine, names, codec)
  }

  mutating func pack() throws -> MachineSnapshot {
    snapshot.run = machine.run
    snapshot.sequence = machine.sequence
    snapshot.numbers.visit = machine.numbers.visit
    snapshot.numbers.question = machine.numbers.question
    snapshot.numbers.leave = machine.numbers.leave
    snapshot.numbers.track = machine.numbers.track
    snapshot.numbers.wait = machine.mail.lastWait
    snapshot.ending = machine.ending.map(PackedEnding.init)
    snapshot.fault = machine.fault.map { PackedFault(step: $0.step, error: StoredFailure($0.error)) }
    snapshot.rollbackErrors = machine.rollbackErrors.map(StoredFailure.init)
    switch machine.result {
    case .success(let output)?: snapshot.output = try locate("the flow's output") { try value(output) }
    case .failure(let error)?: snapshot.failure = StoredFailure(error)
    case nil: break
    }
    snapshot.main = try pack(machine.main, .main)
    for track in machine.descendants(of: .main).sorted() { snapshot.branches.append(try pack(machine[track], track)) }
    try packMail()
    try packAlarms()
    return snapshot
  }

  // MARK: - Tracks

  private mutating func pack(_ track: Track, _ id: TrackID) throws -> PackedTrack {
    var packed = PackedTrack()
    packed.number = id.number
    packed.branch = track.branch.map {
      PackedBranch(parent: $0.parent.number, number: $0.number, path: $0.path, elements: $0.elements)
    }
    let isReload = track.leave?.isReload == true
    packed.phase =
      switch track.phase {
      case .idle, .walking: .walking
      case .leaving: isReload ? .walking : .leaving
      case .compensating: .compensating
      case .ended: .ended
      }
    if let leave = track.leave, !isReload { packed.leave = try pack(leave) }
    packed.places = try places(track)
    packed.focus = try focus(track)
    if let visit = track.visit, visit !== track.top?.shown?.visit { packed.visit = PackedVisit(visit) }
    packed.hasAsked = track.hasAsked
    packed.isSealed = track.isSealed
    packed.closedAt = track.closedAt
    // To begin with the step on top goes without saying.
    packed.start = try track.start.map { try pack($0, track) }
    if packed.start == PackedStart(kind: .top) { packed.start = nil }
    packed.fork = try track.fork.map { try pack($0) }
    try packQuestions(of: track, &packed)
    return packed
  }

  private mutating func places(_ track: Track) throws -> [PackedPlace] {
    var packed: [PackedPlace] = []
    var next = track.top
    while let place = next {
      next = place.below
      let cargo = try locate(place.visit.info.id) { try add(place.cargo, as: place.node.body.types.input) }
      packed.append(
        PackedPlace(
          visit: PackedVisit(place.visit), cargo: cargo, backTarget: place.backTarget, isInner: place.isInner,
          isClosed: place.isClosed, records: place === track.top ? [] : try records(place.memory?.memory)))
    }
    packed.reverse()
    return packed
  }

  private func focus(_ track: Track) throws -> PackedFocus {
    var packed = PackedFocus(isEntered: track.focus.isEntered, hasAsked: track.focus.hasAsked)
    guard let memory = track.focus.memory else { return packed }
    try locate(track.top?.visit.info.id ?? "") {
      packed.records = try records(memory)
      for (key, entry) in memory.answers.sorted(by: { $0.key < $1.key }) {
        packed.answers.append(PackedAnswer(key: key, entry: try pack(entry)))
      }
      packed.update = try memory.handover.map { try value($0.update) }
    }
    return packed
  }

  private func records(_ memory: PlaceMemory?) throws -> [PackedRecord] {
    try (memory?.records ?? [:]).sorted { $0.key < $1.key }.map { key, record in
      var packed = PackedRecord(key: key, type: record.typeName, idempotencyKey: record.idempotencyKey)
      if case .done(let value) = record.state { packed.value = try self.value(value) }
      return packed
    }
  }

  private func pack(_ entry: JournalEntry) throws -> PackedAnswer.Entry {
    switch entry {
    case .answered(let answer): .answered(try value(answer))
    case .withdrawn: .withdrawn
    case .overdue: .overdue
    }
  }

  /// What is open, and what was open when the machine was read back and has not been asked again.
  private func packQuestions(of track: Track, _ packed: inout PackedTrack) throws {
    packed.question = track.reopening?.question
    if let asking = track.asking {
      let question = asking.question
      packed.question = try locate(question.step) {
        PackedQuestion(
          number: question.id.number, token: question.id.token, revision: question.revision, key: asking.key,
          prompt: try asking.packed?.value ?? value(question.prompt))
      }
    }
    packed.waits =
      (track.reopening?.waits ?? [])
      + track.waits.map { PackedWait(signal: $0.wait.signal, key: $0.key, number: $0.wait.number, type: $0.typeName) }
    packed.waits.sort { $0.number < $1.number }
  }

  // MARK: - What is under way

  private mutating func pack(_ leave: Leave) throws -> PackedLeave {
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
      errors: leave.errors.map(StoredFailure.init), isAnnounced: leave.isAnnounced)
  }

  private mutating func pack(_ start: Start, _ track: Track) throws -> PackedStart {
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

  private func name(of address: Int, _ cargo: Cargo, _ track: Track) throws -> PackedStart.Address {
    if let scopes = cargo.scopes, scopes !== track.outerScopes, scopes.start == address { return .scope }
    if let top = track.top?.shown, top.node.address + 1 == address { return .behind(top.visit.info.id) }
    if let scope = names.scope(before: address) { return .past(scope) }
    guard track.top == nil else {
      throw machine.error(.notStorable, "the walk begins at an address that has no name (\(address))")
    }
    return .beginning
  }

  private func pack(_ fork: OpenFork) throws -> PackedFork {
    PackedFork(
      tracks: fork.tracks.map(\.number),
      results: try fork.results.map { PackedResult(branch: $0.branch, value: try value($0.value)) },
      failure: fork.failure.map { PackedFault(step: $0.step, error: StoredFailure($0.error)) },
      errors: fork.errors.map(StoredFailure.init), judged: fork.judged, isDecided: fork.isDecided)
  }

  private mutating func packMail() throws {
    snapshot.mail.buffer = try machine.mail.signals.map { signal, value in
      try locate("the signal \"\(signal)\"") { PackedMail.Signal(name: signal, value: try self.value(value)) }
    }
    snapshot.mail.keys = machine.mail.rememberedKeys.map { PackedMail.Key(signal: $0.signal, key: $0.key) }
  }

  private mutating func packAlarms() throws {
    for index in 0..<machine.alarms.count {
      let alarm = machine.alarms[index]
      let subject: PackedAlarm.Subject =
        switch alarm.subject {
        case .scope(let frame): .scope(frame: try add(frame))
        case .idle(let frame, let after): .idle(frame: try add(frame), after: after)
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

  private mutating func add(_ cargo: Cargo, as type: Any.Type? = nil) throws -> Int {
    if let index = cargoes[ObjectIdentifier(cargo)] { return index }
    let packed = PackedCargo(
      value: try value(cargo.value, as: type), kept: try cargo.kept.map { try add($0) },
      scopes: try cargo.scopes.map { try add($0) })
    snapshot.cargoes.append(packed)
    cargoes[ObjectIdentifier(cargo)] = snapshot.cargoes.count - 1
    return snapshot.cargoes.count - 1
  }

  private mutating func add(_ kept: Kept) throws -> Int {
    if let index = self.kept[ObjectIdentifier(kept)] { return index }
    let packed = PackedKept(value: try value(kept.value), below: try kept.below.map { try add($0) })
    snapshot.kept.append(packed)
    self.kept[ObjectIdentifier(kept)] = snapshot.kept.count - 1
    return snapshot.kept.count - 1
  }

  private mutating func add(_ frame: ScopeFrame) throws -> Int {
    if let index = frames[ObjectIdentifier(frame)] { return index }
    guard let name = names.name(of: frame.scope) else {
      throw machine.error(.notStorable, "a scope of another definition is under way")
    }
    let packed = PackedFrame(scope: name, cargo: try add(frame.cargo), attempt: frame.attempt)
    snapshot.frames.append(packed)
    frames[ObjectIdentifier(frame)] = snapshot.frames.count - 1
    return snapshot.frames.count - 1
  }

  private func value(_ value: any Sendable, as type: Any.Type? = nil) throws -> PackedValue {
    try PackedValue(value, as: type, with: codec)
  }

  /// Names the step in errors.
  private func locate<Result>(_ step: StepID, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as FlowError { throw error.located(in: machine.flow, at: step) }
  }

  private func locate<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
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
