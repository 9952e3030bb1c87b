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
  /// Which branches each track's fork names, and which say that they are its own, by the track's number.
  private(set) var named: [Int32: [Int32]] = [:]
  private(set) var children: [Int32: [PackedTrack]] = [:]
  /// How many rows of tables are being made, each for the one before.
  var nesting = 0
  /// More than any definition nests. Longer chains would not fit on the stack, here and where they are freed.
  static let deepest = 500

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
    machine.keyBits = snapshot.keyBits
    machine.ending = snapshot.ending?.ending
    machine.undoFailures = failures(snapshot.undoFailures)
    if let failure = snapshot.failure { machine.result = .failure(failure.error(in: machine.flow)) }
    if let output = snapshot.output { machine.result = .success(value(output)) }
    machine.mail = Mail(
      signals: snapshot.mail.buffer.map {
        Mail.BufferedSignal(signal: $0.name, value: value($0.value), size: $0.name.utf8.count + $0.value.size)
      },
      keys: snapshot.mail.keys.map { ($0.signal, $0.key) }, lastWait: snapshot.numbers.wait)
    guard snapshot.main.number == 0, snapshot.main.branch == nil else {
      return noteDamage("", "the flow's own track is a branch")
    }
    var main = Track(phase: .walking)
    fill(&main, with: snapshot.main)
    machine.main = main
    named = Dictionary(packedTracks.map { ($0.number, $0.fork?.tracks ?? []) }) { first, _ in first }
    children = Dictionary(grouping: snapshot.branches) { $0.branch?.parent ?? 0 }
    for packed in snapshot.branches { open(packed) }
    // From the innermost: the view of a branch holds those of its own branches.
    for packed in snapshot.branches.reversed() + [snapshot.main] { fork(packed) }
    // What does not hold together is not looked at any further.
    guard problems.isEmpty else { return }
    for packed in packedTracks { begin(packed) }
    // An earlier version did not drop them when the ending was accepted.
    if machine.isEnding { machine.dropBufferedSignals() }
    checkCounts()
    setAlarms()
    machine.lastStack = lastStack()
    machine.branches.show(on: &machine.main.fork)
  }

  // MARK: - What does not fit

  mutating func damaged<Value>(_ step: StepID) -> Value? {
    noteDamage(step, "a table is too short, too deep, or goes in a circle")
    return nil
  }

  mutating func noteDamage(_ step: StepID, _ what: String) { note(step, "the snapshot is damaged: \(what)") }

  mutating func note(_ step: StepID, _ reason: String) {
    let problem = UnfitSnapshot.Problem(step: step, reason: reason)
    if !problems.contains(problem) { problems.append(problem) }
  }
}
