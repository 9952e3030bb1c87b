// Branches are known by their places in their fork: there the next result is put, and there a branch begins that has not
// begun. A definition that has them in another order would take one's results for the other's.
extension SnapshotUnpacker {
  /// Whether the branches of a fork, and what they have made, fit each other.
  func holdsTogether(_ fork: PackedFork, of track: PackedTrack) -> Bool {
    let branches = children[track.number] ?? []
    let made = Set(fork.results.map(\.branch))
    guard made.count == fork.results.count, made.allSatisfy(fork.tracks.indices.contains),
      fork.judged <= fork.results.count, Set(fork.tracks) == Set(branches.map(\.number)),
      branches.count == fork.tracks.count
    else { return false }
    guard track.phase == .walking else { return true }
    // Branches are left exactly if they are superfluous. Else all results are joined, one of each branch that has ended.
    let isOpen = fork.failure == nil && !fork.isDecided
    return track.start == nil
      && branches.allSatisfy { branch in
        guard branch.phase == .ended else { return (branch.leave?.goal == .dissolve) != isOpen }
        guard isOpen, let number = branch.branch?.number else { return true }
        return made.contains(number)
      }
      && (!isOpen || made.count == branches.count { $0.phase == .ended })
  }

  /// Whether the definition has the branches of a fork, in their order.
  mutating func hasItsBranches(_ fork: PackedFork, of track: PackedTrack, _ node: Node, _ plan: ForkPlan) -> Bool {
    let step = track.places.last?.visit.step ?? ""
    let branches = (children[track.number] ?? []).compactMap(\.branch)
    let around = track.branch?.elements.count ?? 0
    guard branches.allSatisfy({ ($0.elements.count > around) == plan.isForEach }) else {
      let what = plan.isForEach ? "has a branch for each element now, and had not" : "had a branch for each element"
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
    // One that is elsewhere says enough: another one stands where it stood.
    for branch in branches.sorted(by: { $0.number < $1.number }) {
      guard let place = place(of: branch, in: node, plan) else {
        // Its steps say where it stands.
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

  /// Which branch of the fork has the path of this one: by its own name, or by that of a step in it, as which it was
  /// renamed when it was that step alone.
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

  /// A branch that is called by its number, or was renamed, is known by its steps alone.
  mutating func checkBranch(of step: StepID, at address: Int, on track: TrackID) {
    guard let branch = machine[track].branch, let plan = fork(of: track)?.fork, !plan.isForEach,
      let now = plan.branch(at: address), now != branch.number
    else { return }
    note(step, "the step's branch was \(Self.was(branch.number, isNow: now))")
  }

  private static func was(_ before: Int, isNow now: Int) -> String {
    "the \(ordinal(before)) of its fork and is the \(ordinal(now)) now; keep the order"
  }

  /// The number in words, as people count: from one.
  private static func ordinal(_ index: Int) -> String {
    let number = index + 1
    let isTeen = (11...13).contains(number % 100)
    return "\(number)" + (isTeen ? "th" : [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th")
  }
}
