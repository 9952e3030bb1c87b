/// The tracks of a run: the flow's own and those of its open branches.
///
/// It notices which branches are changed, so that what the world is shown of the others can be shared from event to
/// event, and whether the flow is settled is known without asking each of them.
struct Tracks: Sendable {
  private var map = TrackMap(main: Track(), absent: Track.gone)
  /// The slots of branches that are over.
  private var free: [Int32] = []
  private var nextSlot = TrackID.firstSlot
  /// Branches that have changed since they were shown last.
  private var changed: [TrackID] = []
  /// How many of the branches were busy when they were shown last.
  private var busy = 0

  subscript(track: TrackID) -> Track {
    @inline(__always) _read { yield map[track] }
    @inline(__always) _modify {
      if track.slot != 0 { note(track) }
      yield &map[track]
    }
  }

  /// Whether there are no branches.
  var isUnforked: Bool { map.count == 0 }

  /// Of all branches, in no order that counts.
  func contains(where isMeant: (Track) -> Bool) -> Bool { map.contains(where: isMeant) }

  mutating func open(_ branch: Track, numbered number: Int32) -> TrackID {
    let slot = free.popLast() ?? nextSlot
    if slot == nextSlot { nextSlot += 1 }
    let id = TrackID(number, in: slot)
    map.insert(branch, for: id)
    if branch.isBusy { busy += 1 }
    return id
  }

  /// Takes a branch out that is over.
  mutating func close(_ branch: TrackID) -> Track? {
    guard let gone = map.remove(branch) else { return nil }
    free.append(branch.slot)
    if gone.wasBusy { busy -= 1 }
    if map.count == 0 { changed = [] }
    return gone
  }
}

// MARK: - What has changed

extension Tracks {
  private mutating func note(_ branch: TrackID) {
    guard map.contains(branch), !map[branch].hasChanged else { return }
    map[branch].hasChanged = true
    changed.append(branch)
  }

  /// Whether every branch shows what it is.
  var areShown: Bool { changed.isEmpty }

  /// Makes new views of the branches that have changed, and of those around them.
  mutating func show() {
    while let id = changed.popLast() {
      map[id].hasChanged = false
      guard let branch = map[id].branch else { continue }  // closed meanwhile
      let (wasBusy, isBusy) = (map[id].wasBusy, map[id].isBusy)
      if wasBusy != isBusy {
        busy += isBusy ? 1 : -1
        map[id].wasBusy = isBusy
      }
      let view = map[id].view
      map[branch.parent].fork?.views[branch.number] = view
      if branch.parent != .main { note(branch.parent) }
    }
  }

  /// Whether a branch has something to do, other than to wait.
  var areBusy: Bool {
    var busy = busy
    for id in changed where map[id].branch != nil {
      busy += (map[id].isBusy ? 1 : 0) - (map[id].wasBusy ? 1 : 0)
    }
    return busy > 0
  }
}
