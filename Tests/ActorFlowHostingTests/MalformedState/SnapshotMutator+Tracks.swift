@testable import ActorFlow

extension SnapshotMutator {
  mutating func changeTrack(_ track: inout PackedTrack, _ donor: PackedTrack, _ snapshot: MachineSnapshot) {
    switch random.below(16) {
    case 0: track.number = small(track.number)
    case 1: changeBranch(&track.branch, donor)
    case 2: track.phase = [.walking, .leaving, .compensating, .ended][random.below(4)]
    case 3, 4: changeLeave(&track.leave, donor)
    case 5, 6, 7: changePlaces(&track, donor, snapshot)
    case 8: changeFocus(&track.focus, donor.focus)
    case 9: track.visit = random.bool() ? nil : donor.visit ?? donor.places.last?.visit
    case 10: track.closedAt = Int32(number(Int(max(0, track.closedAt))) & 0xFFFF) - 1
    case 11: changeStart(&track.start, donor)
    case 12, 13: changeFork(&track, donor)
    case 14: changeQuestion(&track.question, donor.question)
    default:
      shuffle(&track.waits, donor.waits)
      track.isSealed.toggle()
      track.hasAsked.toggle()
    }
  }

  private mutating func changeBranch(_ branch: inout PackedBranch?, _ donor: PackedTrack) {
    guard var changed = branch, random.below(5) > 0 else { return branch = donor.branch }
    switch random.below(4) {
    case 0: changed.parent = small(changed.parent)
    case 1: changed.number = number(changed.number)
    case 2: shuffle(&changed.elements, [0, 7, Int.max >> 1])
    default: changed.path = random.step()
    }
    branch = changed
  }

  private mutating func changeLeave(_ leave: inout PackedLeave?, _ donor: PackedTrack) {
    guard var changed = leave, random.below(4) > 0 else {
      leave = random.bool() ? donor.leave : random.leave()
      return
    }
    switch random.below(6) {
    case 0: changed.goal = random.leave().goal
    case 1: changed.goal = .back(to: random.bool() ? 1_000_000_000 : random.below(6), update: nil)
    case 2: changed.number = number(changed.number)
    case 3: changed.visit = random.bool() ? nil : random.visit()
    case 4: changed.failures.append(random.undoFailure())
    default: changed.isAnnounced.toggle()
    }
    leave = changed
  }

  private mutating func changePlaces(_ track: inout PackedTrack, _ donor: PackedTrack, _ snapshot: MachineSnapshot) {
    guard !track.places.isEmpty, random.below(3) > 0 else { return shuffle(&track.places, donor.places) }
    let index = random.below(track.places.count)
    switch random.below(8) {
    case 0: track.places[index].payload = self.index(snapshot.payloads.count)
    case 1: track.places[index].backTarget = random.bool() ? random.depth() : Int32(random.below(8)) - 1
    case 2: track.places[index].isInner.toggle()
    case 3 where random.below(2) == 0: track.places[index].isFinished.toggle()
    case 3: track.places[index].isClosed.toggle()
    case 4: track.places[index].visit.id = number(track.places[index].visit.id)
    case 5: if let step = pick(donor.places)?.visit.step { track.places[index].visit.step = step }
    case 6: track.places[index].visit.isSkipped.toggle()
    default: track.places[index].records = random.list { $0.record() }
    }
  }

  private mutating func changeFocus(_ focus: inout PackedFocus, _ donor: PackedFocus) {
    switch random.below(11) {
    case 0: focus = donor
    case 1: focus.isEntered.toggle()
    case 2: focus.askersAtOnce = number(focus.askersAtOnce)
    case 3: shuffle(&focus.records, donor.records)
    case 4: shuffle(&focus.answers, donor.answers)
    case 5: focus.update = random.value()
    case 6: focus.tree = random.optional { $0.tree() } ?? donor.tree
    case 7: changeKeysOfChildren(&focus, donor)
    case 8:
      shuffle(&focus.labelCalls, donor.labelCalls + [random.key(), JournalKey(name: .label("stage"), number: -1)])
    case 9:
      for index in focus.records.indices where random.bool() { focus.records[index].failure = random.record().failure }
    default:
      for index in focus.answers.indices where random.bool() { focus.answers[index].entry = random.entry() }
    }
  }

  /// Makes answers those of a child, or of the step itself, and names answers that do not exist.
  private mutating func changeKeysOfChildren(_ focus: inout PackedFocus, _ donor: PackedFocus) {
    guard random.below(4) > 0 else { return focus.keysOfChildren = random.bool() ? nil : donor.keysOfChildren }
    var keys = focus.keysOfChildren ?? []
    shuffle(&keys, focus.answers.map(\.key) + [random.key()])
    focus.keysOfChildren = keys
  }

  private mutating func changeStart(_ start: inout PackedStart?, _ donor: PackedTrack) {
    guard var changed = start, random.below(3) > 0 else {
      start = [donor.start, nil, random.start()][random.below(3)]
      return
    }
    switch random.below(4) {
    case 0: changed.pause = random.duration()
    case 1: changed.update = random.value()
    case 2:
      guard case .at(let address, let payload) = changed.kind else { break }
      changed.kind = .at(random.bool() ? random.address() : address, payload: number(payload))
    default:
      guard case .at(_, let payload) = changed.kind, let step = pick(donor.places)?.visit.step else { break }
      changed.kind = .at(.behind(step), payload: payload)
    }
    start = changed
  }

  private mutating func changeFork(_ track: inout PackedTrack, _ donor: PackedTrack) {
    guard var fork = track.fork, random.below(6) > 0 else { return track.fork = donor.fork }
    switch random.below(6) {
    case 0: shuffle(&fork.tracks, [0, 1, Int32.max >> 1])
    case 1: shuffle(&fork.results, (donor.fork?.results ?? []) + [PackedResult(branch: 9, value: random.value())])
    case 2:
      guard let index = fork.results.indices.first else { break }
      fork.results[index].branch = number(fork.results[index].branch)
    case 3: fork.judged = number(fork.judged)
    case 4: fork.isDecided.toggle()
    default:
      fork.failure = random.optional { $0.fault() }
      fork.failures = random.list { $0.undoFailure() }
    }
    track.fork = fork
  }

  private mutating func changeQuestion(_ question: inout PackedQuestion?, _ donor: PackedQuestion?) {
    guard var changed = question, random.below(4) > 0 else { return question = donor }
    switch random.below(6) {
    case 0: changed.number = number(changed.number)
    case 1: changed.revision = number(changed.revision)
    case 2: changed.key = random.optional { $0.key() }
    case 3: changed.prompt = random.value()
    case 4: changed.promptName = random.optional { $0.text() }
    default: changed.token = nil
    }
    question = changed
  }
}
