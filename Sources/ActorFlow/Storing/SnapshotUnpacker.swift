extension FlowMachine {
  /// The machine of a snapshot, as it stood. Its places have no instances, and what a step was doing begins anew.
  ///
  /// Values stay packed until a step comes that knows their types.
  ///
  /// - Parameter now: The time from the run's start: what is left of a pause is counted from it.
  /// - Throws: What the definition lacks.
  package init(
    _ snapshot: MachineSnapshot, of flow: FlowID, names: GraphNames, codec: any ValueCodec,
    journal: Journal = .keeping, at now: Duration
  ) throws(UnfitSnapshot) {
    var unpacker = SnapshotUnpacker(snapshot, flow: flow, names: names, codec: codec, journal: journal, now: now)
    unpacker.unpack()
    guard unpacker.problems.isEmpty else { throw UnfitSnapshot(unpacker.problems) }
    self = unpacker.machine
  }
}

/// Makes a machine of a snapshot, and notes whatever does not fit.
struct SnapshotUnpacker {
  let snapshot: MachineSnapshot
  let names: GraphNames
  let codec: any ValueCodec
  let now: Duration
  var machine: FlowMachine
  private(set) var problems: [UnfitSnapshot.Problem] = []
  var cargoes: [Entry<Cargo>]
  var kept: [Entry<Kept>]
  var frames: [Entry<ScopeFrame>]
  var tracks: [Int32: TrackID] = [0: .main]

  /// What stands in a table.
  enum Entry<Value: Sendable>: Sendable {
    case packed
    case isBeingMade
    case made(Value)
  }

  init(
    _ snapshot: MachineSnapshot, flow: FlowID, names: GraphNames, codec: any ValueCodec, journal: FlowMachine.Journal,
    now: Duration
  ) {
    (self.snapshot, self.names, self.codec, self.now) = (snapshot, names, codec, now)
    machine = FlowMachine(flow: flow, journal: journal)
    cargoes = Array(repeating: .packed, count: snapshot.cargoes.count)
    kept = Array(repeating: .packed, count: snapshot.kept.count)
    frames = Array(repeating: .packed, count: snapshot.frames.count)
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
    machine.ending = snapshot.ending?.ending
    machine.undoFailures = failures(snapshot.undoFailures)
    if let failure = snapshot.failure { machine.result = .failure(failure.error(in: machine.flow)) }
    if let output = snapshot.output { machine.result = .success(value(output)) }
    machine.mail = Mail(
      signals: snapshot.mail.buffer.map { ($0.name, value($0.value)) },
      keys: snapshot.mail.keys.map { ($0.signal, $0.key) }, lastWait: snapshot.numbers.wait)
    var main = Track(phase: .walking)
    fill(&main, with: snapshot.main)
    machine.main = main
    for packed in snapshot.branches { open(packed) }
    // From the innermost: the view of a branch holds those of its own branches.
    for packed in snapshot.branches.reversed() + [snapshot.main] { fork(packed) }
    for packed in [snapshot.main] + snapshot.branches { begin(packed) }
    setAlarms()
    machine.branches.show(on: &machine.main.fork)
  }

  // MARK: - What does not fit

  mutating func damaged<Value>(_ step: StepID) -> Value? {
    note(step, "the snapshot is damaged: a table is too short, or goes in a circle")
    return nil
  }

  mutating func note(_ step: StepID, _ reason: String) {
    let problem = UnfitSnapshot.Problem(step: step, reason: reason)
    if !problems.contains(problem) { problems.append(problem) }
  }
}
