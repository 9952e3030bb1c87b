extension MachineSnapshot {
  /// A flow that has ended, on its way to the same end once more: what is still to be undone is all that is left on its
  /// stack. Nil if nothing is.
  package var undoingAgain: MachineSnapshot? {
    // The newest was the first to be undone.
    var places = Array(undoFailures.compactMap(\.place).reversed())
    guard let ending, let top = places.last else { return nil }
    // Where a back led, it led on a stack that is gone. Nobody backs up on the way to an end.
    for index in places.indices { places[index].backTarget = -1 }
    places[places.count - 1].records = []
    var next = self
    (next.ending, next.undoFailures, next.branches, next.alarms) = (nil, [], [], [])
    next.main = PackedTrack()
    next.main.phase = .compensating
    next.main.places = places
    next.main.focus = PackedFocus(isEntered: true, records: top.records)
    next.main.leave = PackedLeave(
      goal: .end(ending, rollBack: true), number: numbers.leave, since: .zero, isAnnounced: true)
    return next
  }
}
