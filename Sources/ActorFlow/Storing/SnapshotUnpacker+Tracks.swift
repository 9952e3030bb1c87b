// Tracks, their places, and their forks.
extension SnapshotUnpacker {
  mutating func open(_ packed: PackedTrack) {
    guard let branch = packed.branch, let parent = tracks[branch.parent], tracks[packed.number] == nil else {
      return note(packed.branch?.path ?? "", "branch \(packed.number) has no parent fork")
    }
    let top = machine[parent].top?.shown
    let scopes = top?.payload.scopes
    let path = top?.node.fork?.name(ofFixed: branch.number, at: branch.elements) ?? branch.path
    var track = Track(
      phase: .walking,
      branch: Branching(
        parent: parent, number: branch.number, path: path, elements: branch.elements, scopes: scopes))
    fill(&track, with: packed)
    tracks[packed.number] = machine.branches.open(track, numbered: packed.number)
    guard let siblings = named[branch.parent], siblings.indices.contains(branch.number),
      siblings[branch.number] == packed.number
    else {
      return noteDamage(branch.path, "branch \(packed.number) is not at its index in the fork")
    }
  }

  /// Restores the parts of a track that do not depend on other tracks.
  mutating func fill(_ track: inout Track, with packed: PackedTrack) {
    for (index, place) in packed.places.enumerated() {
      let isTop = index == packed.places.count - 1
      if let next = self.place(place, on: track.top, isTop: isTop) { track.top = next }
    }
    track.visit = packed.visit.map { visit($0, on: track.top) } ?? track.top?.shown?.visit
    track.hasAsked = packed.hasAsked
    track.isSealed = packed.isSealed
    track.closedAt = packed.closedAt
    var memory: PlaceMemory?
    let focus = packed.focus
    if !focus.records.isEmpty || !focus.answers.isEmpty || focus.update != nil || focus.tree != nil
      || focus.keysOfChildren == nil || !focus.labelCalls.isEmpty
    {
      memory = self.memory(focus.records, focus.tree)
      for answer in packed.focus.answers { memory?.answers[answer.key] = entry(answer.entry) }
    }
    memory?.keysOfChildren = focus.keysOfChildren.map { Set($0) }
    for call in focus.labelCalls { memory?.labelCalls[call.name] = call.number }
    let ofChildren = childKeys(packed)
    for key in ofChildren { memory?.answers[key] = nil }
    track.focus = Focus(
      isEntered: packed.focus.isEntered, hasAsked: packed.focus.hasAsked, hasReturned: packed.phase != .walking,
      askersAtOnce: askersAtOnce(packed),
      attempt: ProceedCall(isReplay: true, owesAnswers: memory?.answersOfStep.isEmpty == false), memory: memory)
    guard packed.phase == .walking, packed.question != nil || !packed.waits.isEmpty else { return }
    track.reopening = Reopening(question: packed.question, waits: packed.waits, ofChildren: ofChildren)
  }

  /// Returns the keys of the open question and waits that count as withdrawn: those of child tasks.
  private func childKeys(_ packed: PackedTrack) -> Set<JournalKey> {
    let open = Set(packed.waits.map(\.key)).union(packed.question?.key.map { [$0] } ?? [])
    return Set(packed.focus.answers.filter { $0.entry.isWithdrawn }.map(\.key)).intersection(open)
  }

  mutating func place(_ packed: PackedPlace, on below: Place?, isTop: Bool) -> Place? {
    guard let node = names.node(packed.visit.step) else {
      note(packed.visit.step, "the definition has no such step")
      return nil
    }
    guard let payload = payload(packed.payload, of: packed.visit.step) else { return nil }
    let backUp: BackUpPolicy?
    // The policy is not stored: like a fixed one, it is that of the definition that the flow has now.
    do { backUp = try node.backUp(for: payload.value) } catch {
      note(packed.visit.step, "its back-up policy cannot be chosen: \((error as? FlowError)?.message ?? "\(error)")")
      return nil
    }
    return Place(
      on: below, node: node, payload: payload, instance: nil, visit: visit(packed.visit, on: below, of: node),
      backTarget: packed.backTarget, backUp: backUp ?? node.backUp, memory: isTop ? nil : memory(of: packed, node),
      isInner: packed.isInner, isClosed: packed.isClosed, isFinished: packed.isFinished)
  }

  /// Returns the memory of a covered place; `nil` if its visits left nothing behind.
  private mutating func memory(of packed: PackedPlace, _ node: Node) -> PlaceMemory.Box? {
    guard !packed.records.isEmpty || packed.tree != nil || packed.update != nil else { return nil }
    var memory = memory(packed.records, packed.tree)
    memory.handover = packed.update.flatMap { handover($0, to: node) }
    return PlaceMemory.Box(memory)
  }

  func visit(_ packed: PackedVisit, on below: Place?, of node: Node? = nil) -> VisitNode {
    let presentation = (node ?? names.node(packed.step))?.info.presentation
    return VisitNode(
      id: VisitID(packed.id), info: StepInfo(id: packed.step, presentation: presentation), below: below?.shown?.visit,
      isSkipped: packed.isSkipped, canBackUp: packed.canBackUp)
  }

  /// Returns the visits that are visible after the end.
  func lastStack() -> VisitNode? {
    guard snapshot.ending != nil else { return nil }
    return snapshot.lastStack.reduce(nil) { below, packed in
      VisitNode(
        id: VisitID(packed.id),
        info: StepInfo(id: packed.step, presentation: names.node(packed.step)?.info.presentation), below: below,
        isSkipped: packed.isSkipped, canBackUp: packed.canBackUp)
    }
  }

  func memory(_ records: [PackedRecord], _ tree: PackedTree?) -> PlaceMemory {
    var memory = PlaceMemory()
    memory.tree = tree
    for record in records {
      memory.records[record.key] = StoredRecord(
        type: nil, typeName: record.type, idempotencyKey: record.idempotencyKey, state: state(of: record))
      if record.value == nil, record.failure?.isLatest == true { memory.latestFailures.append(record.key) }
    }
    return memory
  }

  private func state(of record: PackedRecord) -> StoredRecord.State {
    if let packed = record.value { return .done(value(packed)) }
    guard let failure = record.failure else { return .interrupted }
    return .failed(
      RecordedError(typeName: failure.type, message: failure.message, detail: failure.detail.map { value($0) }))
  }

  func entry(_ packed: PackedAnswer.Entry) -> JournalEntry {
    switch packed {
    case .answered(let answer, let facts): .answered(value(answer), facts.map(AnswerFacts.Box.init))
    case .withdrawn(let call, let isPresumed): .withdrawn(settledAt: call, isPresumed: isPresumed)
    case .overdue: .overdue
    }
  }

  mutating func fork(_ packed: PackedTrack) {
    guard let track = tracks[packed.number], let fork = packed.fork else { return }
    guard let node = machine[track].top?.shown?.node, let plan = node.fork else {
      return note(
        packed.places.last?.visit.step ?? "",
        "the snapshot has open branches here, but the step is no longer a fork")
    }
    let ids = fork.tracks.compactMap { tracks[$0] }
    guard ids.count == fork.tracks.count else {
      return note(packed.places.last?.visit.step ?? "", "a branch of the fork is missing")
    }
    guard holdsTogether(fork, of: packed) else {
      return noteDamage(packed.places.last?.visit.step ?? "", "the branches and their results do not match")
    }
    guard hasItsBranches(fork, of: packed, node, plan) else { return }
    var open = OpenFork(tracks: ids, asksGoal: plan.asksGoal, showing: ids.map { machine[$0].view })
    open.open = ids.count - (children[packed.number] ?? []).count { $0.phase == .ended }
    open.results = fork.results.map { ($0.branch, value($0.value)) }
    open.failure = fork.failure.map { ($0.step, $0.error.error(in: machine.flow)) }
    open.failures = failures(fork.failures)
    // If the goal is not asked, all results are joined, and can be joined again. A judge remembers the results it was
    // given: a new judge is given all of them again.
    open.isDecided = fork.isDecided && plan.asksGoal
    open.judged = open.isDecided ? fork.judged : 0
    machine[track].fork = open
  }
}
