// The continuation of a track: the start of its walk, or its leave.
extension SnapshotUnpacker {
  /// Restores the start of a track's walk, or the leave under way.
  mutating func begin(_ packed: PackedTrack) {
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
    // An earlier version stored the start of the walk even for a track that was being left.
    if packed.phase == .walking { machine[track].start = packed.start.flatMap { start($0, on: track) } }
    check(packed, on: track)
    guard packed.phase == .walking, packed.start == nil else { return }
    guard machine[track].top != nil else {
      if packed.places.isEmpty { note("", "the snapshot does not say where the walk continues") }
      return
    }
    machine[track].start = Start(.top, handover: machine[track].focus.memory?.handover)
  }

  mutating func leave(_ packed: PackedLeave, on track: TrackID) -> Leave? {
    let goal: Leave.Goal
    switch packed.goal {
    case .back(let depth, let update):
      goal = .back(to: depth, update.flatMap { handover($0, at: depth, on: track) })
    case .end(let ending, let rollBack): goal = .end(ending.ending, rollBack: rollBack)
    case .unwind(let index, let fault, let isTimeout):
      guard let frame = frame(index, of: fault.step) else { return nil }
      goal = .unwind(
        Unwinding(frame: frame, step: fault.step, error: fault.error.error(in: machine.flow), isTimeout: isTimeout))
    case .dropSuperseded(let index):
      guard let payload = payload(index, of: machine[track].visit?.info.id ?? "") else { return nil }
      goal = .dropSuperseded(payload)
    case .supersede: goal = .supersede
    }
    return Leave(
      goal: goal, number: packed.number, visit: packed.visit.map { visit($0, leftOn: track) },
      since: packed.since, failures: failures(packed.failures), isAnnounced: packed.isAnnounced)
  }

  /// Returns the visit that is shown during a leave. Its place may still be on the stack, or have been removed with others.
  private func visit(_ packed: PackedVisit, leftOn track: TrackID) -> VisitNode {
    var place = machine[track].top?.shown
    while let here = place, here.visit.id > VisitID(packed.id) { place = here.below?.shown }
    if let place, place.visit.id == VisitID(packed.id) { return place.visit }
    return visit(packed, on: place)
  }

  mutating func handover(_ update: PackedValue, at depth: Int, on track: TrackID) -> Handover? {
    var place = machine[track].top
    while let here = place, here.depth > depth { place = here.below }
    guard let place else {
      note("", "the step that a pending update goes to is missing")
      return nil
    }
    return handover(update, to: place.node)
  }

  mutating func handover(_ update: PackedValue, to node: Node) -> Handover? {
    guard let receiver = node.body.types.receiver else {
      note(node.info.id, "the step no longer takes updates, but one is pending")
      return nil
    }
    return Handover(receiver: receiver, update: value(update))
  }

  mutating func start(_ packed: PackedStart, on track: TrackID) -> Start? {
    let top = machine[track].top?.shown
    let kind: Start.Kind
    switch packed.kind {
    case .top: kind = .top
    case .anew(let index):
      guard let payload = payload(index, of: top?.visit.info.id ?? "") else { return nil }
      guard let top, top === machine[track].top, top.node.fork == nil, top.node.finalizer == nil else {
        note(top?.visit.info.id ?? "", "the step that is to be entered anew is not on top, or is a fork")
        return nil
      }
      kind = .anew(payload)
    case .at(let address, let index):
      guard let payload = payload(index, of: top?.visit.info.id ?? ""),
        let number = self.address(address, payload, on: track)
      else { return nil }
      kind = .at(address: number, payload)
    case .recovery(let fault, let index):
      guard let frame = frame(index, of: fault.step) else { return nil }
      kind = .recovery(fault.step, frame, fault.error.error(in: machine.flow))
    case .failure(let fault, let index):
      let frame = index.flatMap { self.frame($0, of: fault.step) }
      kind = .failure(fault.step, fault.error.error(in: machine.flow), frame)
    }
    let timer = snapshot.timers.first { $0.track == track.number && $0.subject == .pause }
    let pause = max(timer.map { $0.due - now } ?? packed.pause, .zero)
    return Start(kind, pause: pause, handover: packed.kind == .top ? machine[track].focus.memory?.handover : nil)
  }

  mutating func address(_ address: PackedStart.Address, _ payload: Payload, on track: TrackID) -> Int? {
    switch address {
    case .beginning:
      guard let branch = machine[track].branch else { return 0 }
      let plan = machine[branch.parent].top?.shown?.node.fork
      guard let plan, !plan.entries.isEmpty, plan.isForEach || branch.number < plan.entries.count else {
        note(branch.path, "the fork has no such branch any more")
        return nil
      }
      return plan.entries[min(branch.number, plan.entries.count - 1)]
    case .scope: return payload.scopes?.start
    case .behind(let step):
      guard let node = names.node(step) else {
        note(step, "the definition has no such step")
        return nil
      }
      return names.address(behind: node)
    case .past(let name):
      guard let scope = names.scope(name) else {
        note(name.step, "the definition has no `.\(name.kind)` here any more")
        return nil
      }
      return scope.next
    }
  }
}
