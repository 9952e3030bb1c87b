// What is left of branches when their fork is over.
extension FlowMachine {
  /// Puts the places of all branches that are still there on top of the fork, oldest first, as things of the past.
  /// No stint of theirs is under way any more.
  mutating func buryBranches(of track: TrackID) {
    guard let fork = self[track].fork else { return }
    with(track) { $0.leave = $0.leave?.adding(fork.errors) }
    bury(fork.tracks, on: track)
    dropFork(of: track)
  }

  mutating func bury(_ tracks: [TrackID], on track: TrackID) {
    var places: [(place: Place, memory: PlaceMemory.Box?)] = []
    for branch in tracks {
      buryBranches(of: branch)  // a fork that was left with its branches open
      places += takePlaces(of: branch)
    }
    guard !places.isEmpty else { return }
    var below = self[track].top
    if let top = below, top.isInner {
      // A leave has overtaken the undoing of superfluous branches: what is left of them takes its place among the others.
      let focus = self[track].focus
      if focus.isEntered { places.append((top, focus.memory.map(PlaceMemory.Box.init))) }
      discard(top)
      below = top.below
      while let place = below, place.isInner {
        places.append((place, place.memory))
        below = place.below
      }
    } else if let memory = self[track].focus.memory {
      below = below?.remembering(memory)
    }
    places.sort { $0.place.visit.id < $1.place.visit.id }
    for (place, memory) in places { below = place.buried(on: below, memory: memory) }
    self[track].top = below
    let hasAsked = self[track].focus.hasAsked
    self[track].focus = Focus(
      isEntered: true, hasAsked: hasAsked, hasReturned: true, memory: places.last?.memory?.memory)
  }

  /// The places of a track to which a `backUp` is owed; they are gone from it.
  private mutating func takePlaces(of track: TrackID) -> [(place: Place, memory: PlaceMemory.Box?)] {
    var places: [(place: Place, memory: PlaceMemory.Box?)] = []
    let focus = self[track].focus
    var next = self[track].top
    if let top = next {
      // A fork itself has nothing to undo.
      if focus.isEntered, top.node.fork == nil { places.append((top, focus.memory.map(PlaceMemory.Box.init))) }
      discard(top)
      next = top.below
    }
    while let place = next {
      if !place.visit.isSkipped, place.node.fork == nil { places.append((place, place.memory)) }
      next = place.below
    }
    self[track].top = nil
    self[track].focus = Focus()
    return places
  }

  mutating func dropFork(of track: TrackID) {
    guard let fork = self[track].fork else { return }
    for branch in fork.tracks {
      dropFork(of: branch)
      if let gone = branches.close(branch) { discard(gone) }
    }
    discard(fork.results.map(\.value))
    self[track].fork = nil
  }
}
