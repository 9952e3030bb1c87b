extension MachineSnapshot {
  /// An ended flow on its way to the same ending once more, with the places that are still to be compensated on its
  /// stack; `nil` if there are none.
  package var undoingAgain: MachineSnapshot? {
    // The newest place was the first to be compensated.
    var places = Array(undoFailures.compactMap(\.place).reversed())
    guard let ending, let top = places.last else { return nil }
    // The back targets were depths in a stack that is gone. On the way to an ending no back is possible.
    for index in places.indices { places[index].backTarget = -1 }
    places[places.count - 1].records = []
    var next = self
    (next.ending, next.undoFailures, next.branches, next.timers) = (nil, [], [], [])
    next.main = PackedTrack()
    next.main.phase = .compensating
    next.main.places = places
    next.main.focus = PackedFocus(isEntered: true, records: top.records)
    next.main.leave = PackedLeave(
      goal: .end(ending, rollBack: true), number: numbers.leave, since: .zero, isAnnounced: true)
    return next
  }
}
