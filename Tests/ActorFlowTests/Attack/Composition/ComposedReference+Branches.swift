// Forks, and their compensation.
extension ComposedReference {
  func open(_ fork: ComposedPlan.Fork, _ bodies: [[Piece]], _ place: Place, _ track: Track) {
    let inputs: [String]
    if case .each(let count, _) = fork {
      inputs = (0..<count).map { "\(place.input)#\($0)" }
    } else {
      inputs = bodies.map { _ in place.input }
    }
    track.rest = .forked
    track.results = []
    let branches = inputs.indices.map { Track(parent: track, number: $0, outer: place.frames) }
    track.branches = branches
    if branches.isEmpty { return judge(fork, place, track) }
    for (branch, input) in zip(branches, inputs) {
      walk(bodies[min(branch.number, bodies.count - 1)][...], input, place.frames, branch) { [unowned self] value in
        branch.rest = .ended
        branch.timers = []
        branch.last = nil
        if branch.hasAsked { (place.hasAsked, track.hasAsked) = (true, true) }
        track.results.append((branch.number, value))
        judge(fork, place, track)
      }
    }
  }

  private func judge(_ fork: ComposedPlan.Fork, _ place: Place, _ track: Track) {
    let open = track.branches.count { !$0.hasEnded }
    let values = track.results.map(\.value)
    switch fork {
    case .parallel, .each(_, quorum: nil):
      guard open == 0 else { return }
      join(ComposedPlan.join(track.results.sorted { $0.branch < $1.branch }.map(\.value)), place, track)
    case .race: join(values[0], place, track)
    case .each(_, let quorum?):
      guard values.count >= quorum || open == 0 else { return }
      join(ComposedPlan.join(values), place, track)
    }
  }

  private func join(_ value: String, _ place: Place, _ track: Track) {
    let winners = Set(track.results.map(\.branch))
    let losers = track.branches.filter { !winners.contains($0.number) }
    if !losers.isEmpty { changes.append("leaving \(place.name) superseded") }
    losers.forEach(supersede)
    bury(losers, on: track)
    let errors = rollBack(track) { $0 !== place }
    let hasAsked = place.hasAsked
    bury(track.branches, on: track)
    track.branches = []
    place.hasAsked = hasAsked
    track.rest = .moving
    changes.append("joined \(place.name) \(errors)")
    place.next(value)
  }

  /// Cancels everything that runs on a track, and on the tracks in it.
  func supersede(_ track: Track) {
    for track in track.all {
      waits.removeAll { $0.track === track }
      track.timers = []
      track.rest = .ended
    }
  }

  /// Moves the places of tracks to the past of another one, oldest first.
  func bury(_ tracks: [Track], on track: Track) {
    var places: [Place] = []
    for branch in tracks.flatMap(\.all) {
      places += branch.places.filter { !$0.isFork }
      branch.places = []
    }
    for place in places { place.isInner = true }
    track.places += places.sorted { $0.stamp < $1.stamp }
  }

  /// Ends everything that runs on a track, and puts the places to be compensated on its stack.
  func collapse(_ track: Track) {
    track.branches.forEach(supersede)
    waits.removeAll { $0.track === track }
    track.timers.removeAll { if case .rest = $0.kind { true } else { false } }
    bury(track.branches, on: track)
    track.branches = []
    track.rest = .moving
  }

  /// Compensates the newest places, as long as they are to be left.
  ///
  /// - Returns: The number of `backUp`s that have thrown.
  func rollBack(_ track: Track, _ goes: (Place) -> Bool) -> Int {
    var (undone, errors): (Rollback, Int) = ([], 0)
    while let place = track.places.last, goes(place) {
      errors += undo(place, &undone)
      track.places.removeLast()
    }
    if !undone.isEmpty { rollbacks.append(undone) }
    return errors
  }

  func undo(_ place: Place, _ undone: inout Rollback) -> Int {
    guard case .step(let step) = place.kind else { return 0 }
    undone.append(place.key)
    return step.backUpFails ? 1 : 0
  }
}
