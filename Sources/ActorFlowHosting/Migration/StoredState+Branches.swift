import ActorFlow

// The branches of a fork that is open, when the new version has others.
extension StoredState {
  /// Gives each open fork that a name means the branches of the new version.
  ///
  /// - Parameters:
  ///   - old: For each branch of the new version, its number in the old one; `nil` for a new branch.
  ///   - forgetsSteps: Whether branches may be lost that have entered a step.
  /// - Throws: A `FlowError` with the code `badDefinition`, and nothing is changed.
  mutating func changeBranches(of fork: StepID, from old: [Int?], forgettingSteps forgetsSteps: Bool) throws {
    let kept = old.compactMap(\.self)
    guard Set(kept).count == kept.count, !old.isEmpty else {
      throw FlowError(.badDefinition, "`Move.branches` names an old branch twice, or no branch", step: fork)
    }
    var changed = self
    let open = machine.tracks.indices.filter { track in
      let place = machine.tracks[track].places.last
      return machine.tracks[track].fork != nil && place.map { fork.means($0.visit.step) } == true
    }
    // The innermost first, whose branches stand behind those of the outer ones.
    for number in open.map({ machine.tracks[$0].number }).reversed() {
      try changed.changeBranches(ofForkOn: number, from: old, forgetsSteps)
    }
    self = changed
  }

  private mutating func changeBranches(ofForkOn number: Int32, from old: [Int?], _ forgetsSteps: Bool) throws {
    guard let index = machine.tracks.firstIndex(where: { $0.number == number }) else { return }
    let track = machine.tracks[index]
    guard let fork = track.fork, let place = track.places.last else { return }
    let step = place.visit.step
    guard track.phase == .walking, fork.failure == nil, !fork.isDecided, fork.failures.isEmpty else {
      throw FlowError(
        .badDefinition, "the branches of a fork that is being left or joined stay as they are", step: step)
    }
    guard old.allSatisfy({ $0.map(fork.tracks.indices.contains) ?? true }) else {
      throw FlowError(
        .badDefinition, "`Move.branches` names an old branch that is not there: the fork has \(fork.tracks.count)",
        step: step)
    }
    let lost = fork.tracks.indices.filter { !old.contains($0) }.map { fork.tracks[$0] }
    // A step that was left forwards for good stays so, although it is lost.
    let isClosed = machine.branches.contains { lost.contains($0.number) && $0.isClosed }
    try lose(lost, forgettingSteps: forgetsSteps)
    var next = fork
    next.tracks = []
    var renamed: [(old: Int, new: Int)] = []
    for (new, old) in old.enumerated() {
      if let old {
        next.tracks.append(fork.tracks[old])
        if move(fork.tracks[old], to: new, of: step) { renamed.append((old, new)) }
      } else {
        next.tracks.append(begin(new, on: number, place))
      }
    }
    next.results = fork.results.compactMap { result in
      old.firstIndex(of: result.branch).map { PackedResult(branch: $0, value: result.value) }
    }
    next.judged = min(fork.judged, next.results.count)
    if let index = machine.tracks.firstIndex(where: { $0.number == number }) {
      machine.change(index) { track in
        track.fork = next
        if isClosed { track.places[track.places.count - 1].isClosed = true }
      }
    }
    rename(renamed, below: step)
  }

  /// Removes branches with all that they have open.
  private mutating func lose(_ branches: [Int32], forgettingSteps forgetsSteps: Bool) throws {
    var lost = Set(branches)
    for track in machine.branches where track.branch.map({ lost.contains($0.parent) }) == true {
      lost.insert(track.number)
    }
    let tracks = machine.branches.filter { lost.contains($0.number) }
    let entered = tracks.flatMap { track in
      let failures = (track.leave?.failures ?? []) + (track.fork?.failures ?? [])
      return track.places.map(\.visit.step) + failures.compactMap { $0.place?.visit.step }
    }
    if let first = entered.first, !forgetsSteps {
      throw FlowError(
        .badDefinition,
        "a branch that has entered a step is lost; say `forgettingSteps: true` if its effects are to remain",
        step: first)
    }
    forgotten += entered
    machine.branches.removeAll { lost.contains($0.number) }
    machine.timers.removeAll { lost.contains($0.track) }
  }

  /// Gives a branch its number in the new version; returns whether the branch is named by its number.
  private mutating func move(_ number: Int32, to new: Int, of fork: StepID) -> Bool {
    guard let index = machine.branches.firstIndex(where: { $0.number == number }),
      let branch = machine.branches[index].branch
    else { return false }
    machine.branches[index].branch?.number = new
    return branch.path.path == "\(fork.path)/\(branch.number)" && branch.number != new
  }

  /// Adds a branch that has not begun, and returns the number of its track.
  private mutating func begin(_ new: Int, on parent: Int32, _ place: PackedPlace) -> Int32 {
    machine.numbers.track += 1
    var track = PackedTrack()
    track.number = machine.numbers.track
    let elements = machine.tracks.first { $0.number == parent }?.branch?.elements ?? []
    // Without a path: the definition, which is not known here, names it.
    track.branch = PackedBranch(parent: parent, number: new, path: "", elements: elements)
    track.start = PackedStart(kind: .at(.beginning, payload: place.payload))
    machine.branches.append(track)
    return track.number
  }

  /// Renames the branches that are named by their numbers, and the steps in them, all at once.
  private mutating func rename(_ numbers: [(old: Int, new: Int)], below fork: StepID) {
    guard !numbers.isEmpty else { return }
    let names = Dictionary(numbers.map { ("\(fork.path)/\($0.old)", "\(fork.path)/\($0.new)") }) { first, _ in first }
    machine.rename { step in
      for (old, new) in names where step.path == old || step.path.hasPrefix(old + "/") {
        return StepID(new + step.path.dropFirst(old.count))
      }
      return step
    }
  }
}
