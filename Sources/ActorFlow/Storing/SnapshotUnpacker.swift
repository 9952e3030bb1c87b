/// Why a snapshot does not fit a definition: everything that is missing.
package struct UnfitSnapshot: Error, Sendable, CustomStringConvertible {
  package struct Problem: Sendable, Hashable {
    package let step: StepID
    package let reason: String

    package init(step: StepID, reason: String) {
      (self.step, self.reason) = (step, reason)
    }
  }

  package let problems: [Problem]

  package init(_ problems: [Problem]) {
    self.problems = problems
  }

  package var description: String { problems.map { "\($0.step): \($0.reason)" }.joined(separator: "; ") }
}

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
private struct SnapshotUnpacker {
  let snapshot: MachineSnapshot
  let names: GraphNames
  let codec: any ValueCodec
  let now: Duration
  private(set) var machine: FlowMachine
  private(set) var problems: [UnfitSnapshot.Problem] = []
  private var cargoes: [Entry<Cargo>]
  private var kept: [Entry<Kept>]
  private var frames: [Entry<ScopeFrame>]
  private var tracks: [Int32: TrackID] = [0: .main]

  /// What stands in a table.
  private enum Entry<Value: Sendable>: Sendable {
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
    machine.rollbackErrors = errors(snapshot.rollbackErrors)
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

  // MARK: - Tracks

  private mutating func open(_ packed: PackedTrack) {
    guard let branch = packed.branch, let parent = tracks[branch.parent], tracks[packed.number] == nil else {
      return note(packed.branch?.path ?? "", "the branch \(packed.number) belongs to no fork")
    }
    let scopes = machine[parent].top?.shown?.cargo.scopes
    var track = Track(
      phase: .walking,
      branch: Branching(
        parent: parent, number: branch.number, path: branch.path, elements: branch.elements, scopes: scopes))
    fill(&track, with: packed)
    tracks[packed.number] = machine.branches.open(track, numbered: packed.number)
  }

  /// What a track is by itself; not yet what depends on others.
  private mutating func fill(_ track: inout Track, with packed: PackedTrack) {
    for (index, place) in packed.places.enumerated() {
      let isTop = index == packed.places.count - 1
      if let next = self.place(place, on: track.top, isTop: isTop) { track.top = next }
    }
    track.visit = packed.visit.map { visit($0, on: track.top) } ?? track.top?.shown?.visit
    track.hasAsked = packed.hasAsked
    track.isSealed = packed.isSealed
    track.closedAt = packed.closedAt
    var memory: PlaceMemory?
    if !packed.focus.records.isEmpty || !packed.focus.answers.isEmpty || packed.focus.update != nil {
      memory = self.memory(packed.focus.records)
      for answer in packed.focus.answers { memory?.answers[answer.key] = entry(answer.entry) }
    }
    track.focus = Focus(
      isEntered: packed.focus.isEntered, hasAsked: packed.focus.hasAsked, hasReturned: packed.phase != .walking,
      attempt: Attempt(isReplay: true), memory: memory)
    guard packed.phase == .walking, packed.question != nil || !packed.waits.isEmpty else { return }
    track.reopening = Reopening(question: packed.question, waits: packed.waits)
  }

  private mutating func place(_ packed: PackedPlace, on below: Place?, isTop: Bool) -> Place? {
    guard let node = names.node(packed.visit.step) else {
      note(packed.visit.step, "the definition has no such step")
      return nil
    }
    guard let cargo = cargo(packed.cargo, of: packed.visit.step) else { return nil }
    return Place(
      on: below, node: node, cargo: cargo, instance: nil, visit: visit(packed.visit, on: below, of: node),
      backTarget: packed.backTarget,
      memory: isTop || packed.records.isEmpty ? nil : PlaceMemory.Box(memory(packed.records)),
      isInner: packed.isInner, isClosed: packed.isClosed)
  }

  private func visit(_ packed: PackedVisit, on below: Place?, of node: Node? = nil) -> VisitNode {
    let presentation = (node ?? names.node(packed.step))?.info.presentation
    return VisitNode(
      id: VisitID(packed.id), info: StepInfo(id: packed.step, presentation: presentation), below: below?.shown?.visit,
      isSkipped: packed.isSkipped, canBackUp: packed.canBackUp)
  }

  private func memory(_ records: [PackedRecord]) -> PlaceMemory {
    var memory = PlaceMemory()
    for record in records {
      memory.records[record.key] = StoredRecord(
        type: nil, typeName: record.type, idempotencyKey: record.idempotencyKey,
        state: record.value.map { .done(value($0)) } ?? .interrupted)
    }
    return memory
  }

  private func entry(_ packed: PackedAnswer.Entry) -> JournalEntry {
    switch packed {
    case .answered(let answer): .answered(value(answer))
    case .withdrawn: .withdrawn
    case .overdue: .overdue
    }
  }

  private mutating func fork(_ packed: PackedTrack) {
    guard let track = tracks[packed.number], let fork = packed.fork else { return }
    guard let plan = machine[track].top?.shown?.node.fork else {
      return note(packed.places.last?.visit.step ?? "", "the branches of a fork are open here, and it is none any more")
    }
    let ids = fork.tracks.compactMap { tracks[$0] }
    guard ids.count == fork.tracks.count else {
      return note(packed.places.last?.visit.step ?? "", "a branch of the fork is missing")
    }
    var open = OpenFork(tracks: ids, asksGoal: plan.asksGoal, showing: ids.map { machine[$0].view })
    let ended = snapshot.branches.filter { fork.tracks.contains($0.number) && $0.phase == .ended }.count
    open.open = ids.count - ended
    open.results = fork.results.map { ($0.branch, value($0.value)) }
    open.failure = fork.failure.map { ($0.step, $0.error.error(in: machine.flow)) }
    open.errors = errors(fork.errors)
    // A goal that is not asked joins all results, and can do so again. A judge remembers what it was told: another one is
    // told everything again.
    open.isDecided = fork.isDecided && plan.asksGoal
    open.judged = open.isDecided ? fork.judged : 0
    machine[track].fork = open
  }

  /// How the track goes on.
  private mutating func begin(_ packed: PackedTrack) {
    guard let track = tracks[packed.number] else { return }
    machine[track].phase =
      switch packed.phase {
      case .walking: .walking
      case .leaving: .leaving
      case .compensating: .compensating
      case .ended: .ended
      }
    machine[track].leave = packed.leave.flatMap { leave($0, on: track) }
    if let update = packed.focus.update {
      let handover = handover(update, at: Int(machine[track].top?.depth ?? 0), on: track)
      machine[track].focus.memory?.handover = handover
    }
    machine[track].start = packed.start.flatMap { start($0, on: track) }
    guard packed.phase == .walking, packed.start == nil else { return }
    guard machine[track].top != nil else {
      if packed.places.isEmpty { note("", "nothing says where the walk goes on") }
      return
    }
    machine[track].start = Start(.top, handover: machine[track].focus.memory?.handover)
  }

  private mutating func leave(_ packed: PackedLeave, on track: TrackID) -> Leave? {
    let goal: Leave.Goal
    switch packed.goal {
    case .back(let depth, let update):
      goal = .back(to: depth, update.flatMap { handover($0, at: depth, on: track) })
    case .end(let ending, let rollBack): goal = .end(ending.ending, rollBack: rollBack)
    case .unwind(let index, let fault, let isTimeout):
      guard let frame = frame(index, of: fault.step) else { return nil }
      goal = .unwind(
        Unwinding(frame: frame, step: fault.step, error: fault.error.error(in: machine.flow), isTimeout: isTimeout))
    case .prune(let index):
      guard let cargo = cargo(index, of: machine[track].visit?.info.id ?? "") else { return nil }
      goal = .prune(cargo)
    case .dissolve: goal = .dissolve
    }
    var leave = Leave(
      goal: goal, number: packed.number, visit: packed.visit.map { visit($0, on: machine[track].top) },
      since: packed.since, errors: errors(packed.errors))
    leave.isAnnounced = packed.isAnnounced
    return leave
  }

  private mutating func handover(_ update: PackedValue, at depth: Int, on track: TrackID) -> Handover? {
    var place = machine[track].top
    while let here = place, here.depth > depth { place = here.below }
    guard let place, let receiver = place.node.body.types.receiver else {
      note(place?.visit.info.id ?? "", "the step that an update is on its way to takes none any more")
      return nil
    }
    return Handover(receiver: receiver, update: value(update))
  }

  private mutating func start(_ packed: PackedStart, on track: TrackID) -> Start? {
    let top = machine[track].top?.shown
    let kind: Start.Kind
    switch packed.kind {
    case .top: kind = .top
    case .at(let address, let index):
      guard let cargo = cargo(index, of: top?.visit.info.id ?? ""),
        let number = self.address(address, cargo, on: track)
      else { return nil }
      kind = .at(address: number, cargo)
    case .recovery(let fault, let index):
      guard let frame = frame(index, of: fault.step) else { return nil }
      kind = .recovery(fault.step, frame, fault.error.error(in: machine.flow))
    case .failure(let fault, let index):
      let frame = index.flatMap { self.frame($0, of: fault.step) }
      kind = .failure(fault.step, fault.error.error(in: machine.flow), frame)
    }
    let alarm = snapshot.alarms.first { $0.track == track.number && $0.subject == .pause }
    let pause = alarm.map { max($0.due - now, .zero) } ?? packed.pause
    return Start(kind, pause: pause, handover: packed.kind == .top ? machine[track].focus.memory?.handover : nil)
  }

  private mutating func address(_ address: PackedStart.Address, _ cargo: Cargo, on track: TrackID) -> Int? {
    switch address {
    case .beginning:
      guard let branch = machine[track].branch else { return 0 }
      let plan = machine[branch.parent].top?.shown?.node.fork
      guard let plan, !plan.entries.isEmpty, plan.isForEach || branch.number < plan.entries.count else {
        note(branch.path, "the fork has no such branch any more")
        return nil
      }
      return plan.entries[min(branch.number, plan.entries.count - 1)]
    case .scope: return cargo.scopes?.start
    case .behind(let step):
      guard let node = names.node(step) else {
        note(step, "the definition has no such step")
        return nil
      }
      return node.address + 1
    case .past(let name):
      guard let scope = names.scope(name) else {
        note(name.step, "the definition has no `.\(name.kind)` here any more")
        return nil
      }
      return scope.next
    }
  }

  // MARK: - Alarms

  private mutating func setAlarms() {
    for alarm in snapshot.alarms {
      guard let track = tracks[alarm.track], let subject = subject(alarm.subject) else { continue }
      machine.alarms.set(subject, at: alarm.due, on: track)
    }
  }

  /// Nil for a pause: it begins anew with what is left of it.
  private mutating func subject(_ packed: PackedAlarm.Subject) -> Alarms.Subject? {
    switch packed {
    case .scope(let index): frame(index, of: "").map { .scope($0) }
    case .idle(let index, let after): frame(index, of: "").map { .idle($0, after: after) }
    case .question(let number): .question(number)
    case .reminder(let question, let number, let every, let most):
      .reminder(question: question, number: number, every: every, of: most)
    case .wait(let number): .wait(number)
    case .pause: nil
    }
  }

  // MARK: - Tables

  private mutating func cargo(_ index: Int, of step: StepID) -> Cargo? {
    guard cargoes.indices.contains(index) else { return damaged(step) }
    switch cargoes[index] {
    case .made(let cargo): return cargo
    case .isBeingMade: return damaged(step)
    case .packed: break
    }
    cargoes[index] = .isBeingMade
    let packed = snapshot.cargoes[index]
    let scopes = packed.scopes.flatMap { frame($0, of: step) }
    let cargo = Cargo(value(packed.value), kept: packed.kept.flatMap { kept($0, of: step) }, scopes: scopes)
    cargoes[index] = .made(cargo)
    return cargo
  }

  private mutating func kept(_ index: Int, of step: StepID) -> Kept? {
    guard kept.indices.contains(index) else { return damaged(step) }
    switch kept[index] {
    case .made(let kept): return kept
    case .isBeingMade: return damaged(step)
    case .packed: break
    }
    kept[index] = .isBeingMade
    let packed = snapshot.kept[index]
    let made = Kept(value(packed.value), below: packed.below.flatMap { kept($0, of: step) })
    kept[index] = .made(made)
    return made
  }

  private mutating func frame(_ index: Int, of step: StepID) -> ScopeFrame? {
    guard frames.indices.contains(index) else { return damaged(step) }
    switch frames[index] {
    case .made(let frame): return frame
    case .isBeingMade: return damaged(step)
    case .packed: break
    }
    frames[index] = .isBeingMade
    let packed = snapshot.frames[index]
    guard let scope = names.scope(packed.scope) else {
      note(packed.scope.step, "the definition has no `.\(packed.scope.kind)` here any more")
      return nil
    }
    guard let cargo = cargo(packed.cargo, of: step) else { return nil }
    let frame = ScopeFrame(scope, cargo, attempt: packed.attempt)
    frames[index] = .made(frame)
    return frame
  }

  private func value(_ packed: PackedValue) -> StoredValue { StoredValue(packed, codec: codec) }

  private func errors(_ packed: [StoredFailure]) -> [any Error] { packed.map { $0.error(in: machine.flow) } }

  private mutating func damaged<Value>(_ step: StepID) -> Value? {
    note(step, "the snapshot is damaged: a table is too short, or goes in a circle")
    return nil
  }

  private mutating func note(_ step: StepID, _ reason: String) {
    let problem = UnfitSnapshot.Problem(step: step, reason: reason)
    if !problems.contains(problem) { problems.append(problem) }
  }
}
