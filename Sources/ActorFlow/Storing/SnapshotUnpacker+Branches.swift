// A branch is identified by its index in its fork: results are stored under that index, and branches that have not
// begun begin by it. If the definition had the branches in another order, results would be taken for those of other
// branches.
extension SnapshotUnpacker {
  /// Returns whether the branches of a fork and their results fit each other.
  func holdsTogether(_ fork: PackedFork, of track: PackedTrack) -> Bool {
    let branches = children[track.number] ?? []
    let made = Set(fork.results.map(\.branch))
    guard made.count == fork.results.count, made.allSatisfy(fork.tracks.indices.contains),
      fork.judged <= fork.results.count, Set(fork.tracks) == Set(branches.map(\.number)),
      branches.count == fork.tracks.count
    else { return false }
    guard track.phase == .walking else { return true }
    // Branches are left exactly if they are superseded. Otherwise there is a result for each branch that has ended.
    let isOpen = fork.failure == nil && !fork.isDecided
    return track.start == nil
      && branches.allSatisfy { branch in
        guard branch.phase == .ended else { return (branch.leave?.goal == .supersede) != isOpen }
        guard isOpen, let number = branch.branch?.number else { return true }
        return made.contains(number)
      }
      && (!isOpen || made.count == branches.count { $0.phase == .ended })
  }

  /// Returns whether the definition has the branches of a fork, in their order; notes the first difference.
  mutating func hasItsBranches(_ fork: PackedFork, of track: PackedTrack, _ node: Node, _ plan: ForkPlan) -> Bool {
    let step = track.places.last?.visit.step ?? ""
    let branches = (children[track.number] ?? []).compactMap(\.branch)
    let around = track.branch?.elements.count ?? 0
    guard branches.allSatisfy({ ($0.elements.count > around) == plan.isForEach }) else {
      let what = plan.isForEach ? "is now a `ForEach` and was not before" : "was a `ForEach` and no longer is"
      note(step, "the fork \(what)")
      return false
    }
    guard !plan.isForEach else { return true }
    let (before, now) = (fork.tracks.count, plan.entries.count)
    guard before == now else {
      let count = before == 1 ? "1 branch" : "\(before) branches"
      note(step, "the fork had \(count) and has \(now) now")
      return false
    }
    // Only the first moved branch is noted: another branch is in its old place.
    // A branch without a path was added by a move, and gets its name from the definition.
    for branch in branches.sorted(by: { $0.number < $1.number }) where !branch.path.path.isEmpty {
      guard let place = place(of: branch, in: node, plan) else {
        // The check of its steps finds the branch.
        guard !hasSteps(branch) else { continue }
        note(branch.path, "the fork has no such branch any more")
        return false
      }
      guard place != branch.number else { continue }
      note(branch.path, "the branch was \(Self.was(branch.number, isNow: place))")
      return false
    }
    return true
  }

  /// Returns the index that this branch has in the definition: that of the branch with its path, or else of the branch
  /// that contains the step with its path. In the second case it was that step alone, and had the step's name.
  private func place(of branch: PackedBranch, in node: Node, _ plan: ForkPlan) -> Int? {
    func isCalledSo(_ number: Int) -> Bool { plan.name(ofFixed: number, at: branch.elements) == branch.path }
    if isCalledSo(branch.number) { return branch.number }
    if let other = plan.entries.indices.first(where: isCalledSo) { return other }
    guard let step = names.node(branch.path), names.fork(around: step) === node else { return nil }
    return plan.branch(at: step.address)
  }

  private func hasSteps(_ branch: PackedBranch) -> Bool {
    let siblings = named[branch.parent] ?? []
    guard siblings.indices.contains(branch.number), let track = tracks[siblings[branch.number]] else { return false }
    return machine[track].top?.shown != nil
  }

  /// Notes a step that is now in another branch. A numbered or renamed branch can be recognised only by its steps.
  mutating func checkBranch(of step: StepID, at address: Int, on track: TrackID) {
    guard let branch = machine[track].branch, let plan = fork(of: track)?.fork, !plan.isForEach,
      let now = plan.branch(at: address), now != branch.number
    else { return }
    note(step, "the step's branch was \(Self.was(branch.number, isNow: now))")
  }

  private static func was(_ before: Int, isNow now: Int) -> String {
    "the \(ordinal(before)) of its fork and is the \(ordinal(now)) now; keep the order"
  }

  /// Returns the ordinal number of an index, counted from one, such as "2nd".
  private static func ordinal(_ index: Int) -> String {
    let number = index + 1
    let isTeen = (11...13).contains(number % 100)
    return "\(number)" + (isTeen ? "th" : [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th")
  }
}
