extension FlowMachine {
  /// Restores the machine of a snapshot. Its places have no instances, and a step that was running begins anew.
  ///
  /// Values stay packed until a step needs them and knows their types.
  ///
  /// - Parameter now: The time from the run's start, from which the rest of a pause is computed.
  /// - Throws: The problems that keep the snapshot from fitting the definition.
  package init(
    _ snapshot: MachineSnapshot, of flow: FlowID, names: GraphNames, codec: any ValueCodec,
    journal: Journal = .persisting, at now: Duration
  ) throws(UnfitSnapshot) {
    var unpacker = SnapshotUnpacker(snapshot, flow: flow, names: names, codec: codec, journal: journal, now: now)
    unpacker.unpack()
    guard unpacker.problems.isEmpty else { throw UnfitSnapshot(unpacker.problems) }
    self = unpacker.machine
  }
}

/// A decoder of snapshots that notes all problems.
struct SnapshotUnpacker {
  let snapshot: MachineSnapshot
  let names: GraphNames
  let codec: any ValueCodec
  let now: Duration
  var machine: FlowMachine
  private(set) var problems: [UnfitSnapshot.Problem] = []
  var payloads: UnpackedTable<Payload>
  var carried: UnpackedTable<Carried>
  var frames: UnpackedTable<ScopeFrame>
  var tracks: [Int32: TrackID] = [0: .main]
  /// The branches that each track's fork names, and the branches that name the track as their parent, by the track's
  /// number.
  private(set) var named: [Int32: [Int32]] = [:]
  private(set) var children: [Int32: [PackedTrack]] = [:]
  /// The number of table rows that are being restored, each for the one before.
  var nesting = 0

  init(
    _ snapshot: MachineSnapshot, flow: FlowID, names: GraphNames, codec: any ValueCodec, journal: FlowMachine.Journal,
    now: Duration
  ) {
    (self.snapshot, self.names, self.codec, self.now) = (snapshot, names, codec, now)
    machine = FlowMachine(flow: flow, journal: journal)
    payloads = UnpackedTable(count: snapshot.payloads.count)
    carried = UnpackedTable(count: snapshot.carried.count)
    frames = UnpackedTable(count: snapshot.frames.count)
  }

  mutating func unpack() {
    machine.graph = names.graph
    machine.run = snapshot.run
    machine.sequence = snapshot.sequence
    machine.numbers.run = snapshot.run
    machine.numbers.visit = snapshot.numbers.visit
    machine.numbers.question = snapshot.numbers.question
    machine.numbers.leave = snapshot.numbers.leave
    machine.numbers.track = snapshot.numbers.track
    machine.keyBits = snapshot.keyBits
    machine.participants = snapshot.participants
    machine.ending = snapshot.ending?.ending
    machine.fault = snapshot.fault.map { ($0.step, $0.error.error(in: machine.flow)) }
    machine.undoFailures = failures(snapshot.undoFailures, ofEarlierLeaves: snapshot.ending == nil)
    if let failure = snapshot.failure { machine.result = .failure(failure.error(in: machine.flow)) }
    if let output = snapshot.output { machine.result = .success(value(output)) }
    machine.signals = SignalBuffer(
      signals: snapshot.signals.buffer.map {
        SignalBuffer.BufferedSignal(signal: $0.name, value: value($0.value), size: $0.name.utf8.count + $0.value.size)
      },
      keys: snapshot.signals.keys.map { ($0.signal, $0.key) }, lastWait: snapshot.numbers.wait)
    guard snapshot.main.number == 0, snapshot.main.branch == nil else {
      return noteDamage("", "the flow's own track is a branch")
    }
    var main = Track(phase: .walking)
    fill(&main, with: snapshot.main)
    machine.main = main
    named = Dictionary(packedTracks.map { ($0.number, $0.fork?.tracks ?? []) }) { first, _ in first }
    children = Dictionary(grouping: snapshot.branches) { $0.branch?.parent ?? 0 }
    for packed in snapshot.branches { open(packed) }
    // Innermost first: the view of a branch holds those of its own branches.
    for packed in snapshot.branches.reversed() + [snapshot.main] { fork(packed) }
    // An inconsistent snapshot is not examined further.
    guard problems.isEmpty else { return }
    for packed in packedTracks { begin(packed) }
    // An earlier version did not drop buffered signals when the ending was accepted.
    if machine.isEnding { machine.dropBufferedSignals() }
    checkCounts()
    setTimers()
    machine.lastStack = lastStack()
    machine.branches.show(on: &machine.main.fork)
  }

  // MARK: - Problems

  mutating func damaged<Value>(_ step: StepID) -> Value? {
    noteDamage(step, "a table is too short, too deep, or contains a cycle")
    return nil
  }

  mutating func noteDamage(_ step: StepID, _ what: String) { note(step, "the snapshot is damaged: \(what)") }

  mutating func note(_ step: StepID, _ reason: String) {
    let problem = UnfitSnapshot.Problem(step: step, reason: reason)
    if !problems.contains(problem) { problems.append(problem) }
  }
}
