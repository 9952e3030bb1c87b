// Rejects snapshots that no machine could have written; they would hang or fail later.
extension SnapshotUnpacker {
  /// Checks that the parts of a restored track fit each other.
  mutating func check(_ packed: PackedTrack, on track: TrackID) {
    let step = packed.places.last?.visit.step ?? packed.branch?.path ?? ""
    let isLeft = packed.phase == .leaving || packed.phase == .compensating
    guard isLeft == (packed.leave != nil) else {
      return noteDamage(step, "the phase and the leave of track \(packed.number) disagree")
    }
    if track == .main, (packed.phase == .ended) != (snapshot.ending != nil) {
      noteDamage(step, "the phase of the main track and the flow's ending disagree")
    }
    if let leave = packed.leave, !leads(leave, on: track) {
      noteDamage(step, "the leave of track \(packed.number) cannot reach its goal")
    }
    checkPlaces(packed, on: track)
    guard case .at(let address, let payload)? = machine[track].start?.kind else { return }
    guard names.fork(around: address) === fork(of: track), hasName(address, payload, on: track) else {
      return noteDamage(step, "the walk of track \(packed.number) continues at an impossible address")
    }
    checkBranch(of: step, at: address, on: track)
  }

  /// Returns whether a snapshot can name this address; otherwise the flow could never be stored again.
  private func hasName(_ address: Int, _ payload: Payload, on track: TrackID) -> Bool {
    if let scopes = payload.scopes, scopes !== machine[track].outerScopes, scopes.start == address { return true }
    guard let top = machine[track].top else { return true }
    return top.shown?.node.address == address - 1 || names.scope(before: address) != nil
      || names.finalizer(before: address) != nil
  }

  private mutating func checkPlaces(_ packed: PackedTrack, on track: TrackID) {
    let fork = fork(of: track)
    var next = machine[track].top
    while let place = next {
      next = place.below
      if PackedPlace.depth(of: place.backTarget) >= place.depth {
        noteDamage(place.visit.info.id, "a back target is not below its place")
      }
      // A place that a joined branch left behind may lie in that branch.
      guard !place.isInner else { continue }
      guard names.fork(around: place.node) === fork else {
        note(
          place.visit.info.id,
          fork == nil ? "the step is now in a branch of a fork" : "the step is no longer in this branch")
        continue
      }
      checkBranch(of: place.visit.info.id, at: place.node.address, on: track)
    }
  }

  /// Returns the fork whose branch a track is.
  func fork(of track: TrackID) -> Node? {
    machine[track].branch.flatMap { machine[$0.parent].top?.shown?.node }
  }

  /// Returns whether a leave can reach its goal on this track.
  private func leads(_ leave: PackedLeave, on track: TrackID) -> Bool {
    switch leave.goal {
    case .back(let depth, _):
      var place = machine[track].top
      while let here = place, here.depth > depth { place = here.below }
      return leave.visit != nil && place.map { $0.depth == depth && !$0.isInner } ?? false
    // A flow finishes without a leave. One that compensates beside a flow ends as finished, and is not stored.
    case .end(let ending, _): return track == .main && (ending != .finished || leave.isAnnounced)
    case .dropSuperseded: return machine[track].fork != nil
    case .supersede: return track != .main
    case .unwind:
      guard case .unwind(let unwinding)? = machine[track].leave?.goal else { return true }  // noted before
      return names.fork(around: unwinding.frame.start) === fork(of: track)
    }
  }

  var packedTracks: [PackedTrack] { [snapshot.main] + snapshot.branches }

  /// Checks that every number was given out, and that the numbers of questions and of waits are unique.
  mutating func checkCounts() {
    let all = packedTracks
    let visits = all.flatMap(\.places).map(\.visit.id)
    let questions = all.compactMap(\.question?.number)
    let waits = all.flatMap(\.waits).map(\.number)
    let isCounted =
      visits.allSatisfy { $0 <= snapshot.numbers.visit } && questions.allSatisfy { $0 <= snapshot.numbers.question }
      && waits.allSatisfy { $0 <= snapshot.numbers.wait } && all.allSatisfy { $0.number <= snapshot.numbers.track }
    let isUnique = Set(questions).count == questions.count && Set(waits).count == waits.count
    let step = machine.main.visit?.info.id ?? ""
    if !isCounted || !isUnique {
      noteDamage(step, "a number is used twice or was never given out")
    }
    // Counters must have room to count further.
    let numbers = snapshot.numbers
    let highest =
      [
        snapshot.run, snapshot.sequence, numbers.visit, numbers.question, numbers.leave, numbers.wait,
        Int(numbers.track) << 32,
      ].max() ?? 0
    let attempts = snapshot.frames.map(\.attempt) + all.compactMap(\.question?.revision)
    if max(highest, attempts.max() ?? 0) > Int.max >> 2 { noteDamage(step, "a number is too large to increment") }
  }

  /// Limits the stored count to the questions and waits that the visit can have had; a larger count would keep the flow
  /// busy for ever.
  func askersAtOnce(_ packed: PackedTrack) -> Int32 {
    let known = packed.focus.answers.count + packed.waits.count + (packed.question == nil ? 0 : 1)
    return Int32(clamping: min(packed.focus.askersAtOnce, known))
  }
}
