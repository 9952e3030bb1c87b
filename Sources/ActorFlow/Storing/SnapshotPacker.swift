extension FlowMachine {
  /// Returns the machine as a snapshot. Call it only after the launch.
  ///
  /// - Parameter names: The names of the graph that the machine runs; after the end the graph is not used.
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the step and the type.
  package func snapshot(_ names: GraphNames, with codec: any ValueCodec) throws -> MachineSnapshot {
    var packer = SnapshotPacker(machine: self, names: names, codec: codec)
    return try packer.pack()
  }

  /// As `snapshot(_:with:)`, reusing values already encoded for the previous snapshot of the same run.
  ///
  /// - Parameter before: The values packed for earlier snapshots that were stored; on return those of this snapshot.
  package func snapshot(
    _ names: GraphNames, with codec: any ValueCodec, reusing before: inout PackedBefore
  ) throws -> MachineSnapshot {
    var packer = SnapshotPacker(machine: self, names: names, codec: codec)
    swap(&packer.before, &before)
    defer { swap(&packer.before, &before) }
    packer.before.begin()
    let snapshot = try packer.pack()
    packer.before.end()
    return snapshot
  }
}

/// An encoder of a machine as a snapshot.
struct SnapshotPacker {
  let machine: FlowMachine
  let names: GraphNames
  let codec: any ValueCodec
  var snapshot = MachineSnapshot()
  var before = PackedBefore()
  var payloads: [ObjectIdentifier: Int] = [:]
  var carried: [ObjectIdentifier: Int] = [:]
  var frames: [ObjectIdentifier: Int] = [:]

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
    snapshot.numbers.wait = machine.signals.lastWait
    snapshot.keyBits = machine.keyBits
    snapshot.participants = machine.participants
    snapshot.ending = machine.ending.map(PackedEnding.init)
    snapshot.fault = machine.fault.map { PackedFault(step: $0.step, error: StoredFailure($0.error)) }
    snapshot.undoFailures = try pack(machine.undoFailures)
    switch machine.result {
    case .success(let output)?: snapshot.output = try locate("the flow's output") { try value(output) }
    case .failure(let error)?: snapshot.failure = StoredFailure(error)
    case nil: break
    }
    snapshot.main = try pack(machine.main, .main)
    for track in machine.descendants(of: .main).sorted() { snapshot.branches.append(try pack(machine[track], track)) }
    try packSignals()
    try packTimers()
    packLastStack()
    return snapshot
  }

  private mutating func packLastStack() {
    guard let last = machine.lastStack else { return }
    for visit in sequence(first: last, next: \.below) { snapshot.lastStack.append(PackedVisit(visit)) }
    snapshot.lastStack.reverse()
  }

  // MARK: - Tracks

  mutating func pack(_ track: Track, _ id: TrackID) throws -> PackedTrack {
    var packed = PackedTrack()
    packed.number = id.number
    packed.branch = track.branch.map {
      PackedBranch(parent: $0.parent.number, number: $0.number, path: $0.path, elements: $0.elements)
    }
    // A track that reloads its step, or leaves it as an operator has decided, is stored as it goes on: with another
    // process, no code of the step is left to wait for.
    let isLeft = track.leave.map { !$0.isReload && !$0.isOperators } ?? false
    packed.phase =
      switch track.phase {
      case .idle, .walking: .walking
      case .leaving: isLeft ? .leaving : .walking
      case .compensating: .compensating
      case .ended: .ended
      }
    if let leave = track.leave, isLeft { packed.leave = try pack(leave) }
    packed.places = try places(track)
    packed.focus = try focus(track)
    if let visit = track.visit, visit !== track.top?.shown?.visit { packed.visit = PackedVisit(visit) }
    packed.hasAsked = track.hasAsked
    packed.isSealed = track.isSealed
    packed.closedAt = track.closedAt
    // Beginning with the step on top is the default, and is not stored.
    packed.start = try (track.operatorsStart ?? track.start).map { try pack($0, track) }
    if packed.start == PackedStart(kind: .top) { packed.start = nil }
    packed.fork = try track.fork.map { try pack($0) }
    try packQuestions(of: track, &packed)
    markChildren(of: track, &packed)
    return packed
  }

  mutating func places(_ track: Track) throws -> [PackedPlace] {
    var packed: [PackedPlace] = []
    packed.reserveCapacity(Int(track.top?.depth ?? -1) + 1)
    var next = track.top
    while let place = next {
      next = place.below
      packed.append(try pack(place, memory: place === track.top ? nil : place.memory?.memory))
    }
    packed.reverse()
    return packed
  }

  mutating func pack(_ place: Place, memory: PlaceMemory?) throws -> PackedPlace {
    let payload: Int
    // Without `locate`, which would copy the packer for every place.
    do { payload = try add(place.payload, as: place.node.body.types.input) } catch let error as FlowError {
      throw error.located(in: machine.flow, at: place.visit.info.id)
    }
    return PackedPlace(
      visit: PackedVisit(place.visit), payload: payload, backTarget: place.backTarget, isInner: place.isInner,
      isClosed: place.isClosed, isFinished: place.isFinished, records: try memory.map { try records($0) } ?? [],
      // No back leads to a place that a joined branch left behind.
      tree: place.isInner ? nil : memory?.tree,
      update: place.isInner ? nil : try memory?.handover.map { try value($0.update) })
  }

  mutating func pack(_ failures: [UndoFailure]) throws -> [PackedUndoFailure] {
    var packed: [PackedUndoFailure] = []
    for failure in failures {
      packed.append(
        PackedUndoFailure(
          error: StoredFailure(failure.error),
          place: try failure.place.map { try pack($0, memory: $0.memory?.memory) }))
    }
    return packed
  }

  mutating func focus(_ track: Track) throws -> PackedFocus {
    var packed = PackedFocus(
      isEntered: track.focus.isEntered, hasAsked: track.focus.hasAsked, askersAtOnce: Int(track.focus.askersAtOnce))
    guard let memory = track.focus.memory else { return packed }
    do {
      packed.records = try records(memory)
      for (key, entry) in memory.answers.sorted(by: { $0.key < $1.key }) {
        packed.answers.append(PackedAnswer(key: key, entry: try pack(entry)))
      }
      packed.update = try memory.handover.map { try value($0.update) }
    } catch let error as FlowError {
      throw error.located(in: machine.flow, at: track.top?.visit.info.id ?? "")
    }
    packed.tree = memory.tree
    packed.keysOfChildren = memory.keysOfChildren?.sorted()
    packed.labelCalls = memory.labelCalls.map { JournalKey(name: $0, number: $1) }.sorted()
    return packed
  }

  /// Marks the open question and waits of child tasks as withdrawn, under their own keys: only child tasks ask for them
  /// again.
  func markChildren(of track: Track, _ packed: inout PackedTrack) {
    var keys = track.reopening?.ofChildren ?? []
    if let asking = track.asking, asking.isByChild, let key = asking.key { keys.insert(key) }
    for waiting in track.waits where waiting.isByChild { keys.insert(waiting.key) }
    guard !keys.isEmpty else { return }
    let open = Set(packed.waits.map(\.key)).union(packed.question?.key.map { [$0] } ?? [])
    packed.focus.answers += keys.intersection(open).map { PackedAnswer(key: $0, entry: .withdrawn()) }
    packed.focus.answers.sort { $0.key < $1.key }
  }

  mutating func records(_ memory: PlaceMemory) throws -> [PackedRecord] {
    guard !memory.records.isEmpty else { return [] }
    var packed: [PackedRecord] = []
    packed.reserveCapacity(memory.records.count)
    for (key, record) in memory.records.sorted(by: { $0.key.precedesByBytes($1.key) }) {
      var one = PackedRecord(key: key, type: record.typeName, idempotencyKey: record.idempotencyKey)
      switch record.state {
      case .done(let value):
        one.value = try before.records.pack(value, named: TextKey(record.idempotencyKey), with: codec)
      case .failed(let error):
        one.failure = PackedAttemptFailure(
          type: error.typeName, message: error.message, detail: (error.detail as? StoredValue)?.packed,
          isLatest: memory.latestFailures.contains(key))
      case .running, .interrupted: break
      }
      packed.append(one)
    }
    return packed
  }

  func pack(_ entry: JournalEntry) throws -> PackedAnswer.Entry {
    switch entry {
    case .answered(let answer, let facts): .answered(try value(answer), facts?.facts)
    case .withdrawn(let call, let isPresumed): .withdrawn(settledAt: call, isPresumed: isPresumed)
    case .overdue: .overdue
    }
  }

  private func promptName(of asking: Asking) -> String? {
    guard machine.qualifiesKeys else { return nil }
    if case .type? = asking.key?.name { return nil }
    return type(of: asking.question.prompt).promptName
  }

  /// Packs the open question and waits, and those that were open when the machine was restored and were not asked
  /// again.
  func packQuestions(of track: Track, _ packed: inout PackedTrack) throws {
    packed.question = track.reopening?.question
    if let asking = track.asking {
      let question = asking.question
      packed.question = try locate(question.step) {
        PackedQuestion(
          number: question.id.number, token: question.id.token, revision: question.revision, key: asking.key,
          prompt: try asking.packed?.value ?? value(question.prompt), promptName: promptName(of: asking),
          updates: asking.updates.digests, assignees: asking.assignees)
      }
    }
    packed.waits =
      (track.reopening?.waits ?? [])
      + track.waits.map {
        PackedWait(
          signal: $0.wait.signal, key: $0.key, number: $0.wait.number, type: $0.typeName,
          pairedQuestion: $0.pairedQuestion)
      }
    packed.waits.sort { $0.number < $1.number }
  }
}
