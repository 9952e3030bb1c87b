// What is left of branches when their fork is over.
extension FlowMachine {
  /// Puts the places of all branches that are still there on top of the fork, oldest first, as things of the past.
  /// No stint of theirs is under way any more.
  mutating func buryBranches(of track: TrackID) {
    guard let (tracks, failures) = look(at: track, { $0.fork.map { ($0.tracks, $0.failures) } }) else { return }
    if !failures.isEmpty { with(track) { $0.leave = $0.leave?.adding(failures) } }
    bury(tracks, on: track)
    dropFork(of: track)
  }

  mutating func bury(_ tracks: [TrackID], on track: TrackID) {
    var places: [(place: Place, memory: PlaceMemory.Box?)] = []
    for branch in tracks {
      buryBranches(of: branch)  // a fork that was left with its branches open
      places += takePlaces(of: branch)
    }
    guard !places.isEmpty else { return }
    let focus = look(at: track) { $0.focus }
    var below = look(at: track) { $0.top }
    if let top = below, top.isInner {
      // A leave has overtaken the undoing of superfluous branches: what is left of them takes its place among the others.
      if focus.isEntered { places.append((top, focus.memory.map(PlaceMemory.Box.init))) }
      discard(top)
      below = top.below
      while let place = below, place.isInner {
        places.append((place, place.memory))
        below = place.below
      }
    } else if let memory = focus.memory {
      below = below?.remembering(memory)
    }
    places.sort { $0.place.visit.id < $1.place.visit.id }
    for (place, memory) in places { below = place.buried(on: below, memory: memory) }
    let memory = places.last?.memory?.memory
    with(track) { track in
      track.top = below
      track.focus = Focus(isEntered: true, hasAsked: focus.hasAsked, hasReturned: true, memory: memory)
    }
  }

  /// The places of a track to which a `backUp` is owed; they are gone from it.
  private mutating func takePlaces(of track: TrackID) -> [(place: Place, memory: PlaceMemory.Box?)] {
    var places: [(place: Place, memory: PlaceMemory.Box?)] = []
    let (focus, top) = with(track) { track in
      defer { (track.focus, track.top) = (Focus(), nil) }
      return (track.focus, track.top)
    }
    var next = top
    if let top {
      // A fork itself has nothing to undo.
      if focus.isEntered, top.node.fork == nil { places.append((top, focus.memory.map(PlaceMemory.Box.init))) }
      discard(top)
      next = top.below
    }
    while let place = next {
      if !place.visit.isSkipped, place.node.fork == nil { places.append((place, place.memory)) }
      next = place.below
    }
    return places
  }

  mutating func dropFork(of track: TrackID) {
    guard look(at: track, { $0.fork != nil }), let fork = with(track, { $0.fork.take() }) else { return }
    for branch in fork.tracks {
      dropFork(of: branch)
      if let gone = branches.close(branch) { discard(gone) }
    }
    discard(fork.results.map(\.value))
  }
}
