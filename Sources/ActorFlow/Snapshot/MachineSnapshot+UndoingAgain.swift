extension MachineSnapshot {
  /// An ended flow on its way to the same ending once more, with the places that are still to be compensated on its
  /// stack; `nil` if there are none, and for a flow that has finished: that one cannot be rolled back.
  package var undoingAgain: MachineSnapshot? {
    guard let ending, ending != .finished else { return nil }
    return leaving(undoFailures.compactMap(\.place), to: ending)
  }

  /// A flow that does nothing but compensate the places of these failed `backUp`s and end; `nil` if none of them has one.
  ///
  /// The flow itself stays where it is, and ``takeOver(_:awaiting:)`` what that one does.
  package func compensatingAside(_ isMeant: (PackedUndoFailure) -> Bool) -> MachineSnapshot? {
    let places = undoFailures.filter(isMeant).compactMap(\.place)
    guard var aside = leaving(places, to: .finished) else { return nil }
    (aside.signals, aside.failure, aside.output) = (PackedSignals(), nil, nil)
    return aside
  }

  /// - Parameter failed: The places to compensate, newest entering first.
  private func leaving(_ failed: [PackedPlace], to ending: PackedEnding) -> MachineSnapshot? {
    var places = failed.sorted { $0.visit.id < $1.visit.id }
    guard let top = places.last else { return nil }
    // The back targets were depths in a stack that is gone. On the way to an ending no back is possible.
    for index in places.indices { places[index].backTarget = -1 }
    places[places.count - 1].records = []
    var next = self
    (next.ending, next.fault, next.undoFailures, next.branches, next.timers) = (nil, nil, [], [], [])
    next.main = PackedTrack()
    next.main.phase = .compensating
    next.main.places = places
    next.main.focus = PackedFocus(isEntered: true, records: top.records)
    next.main.leave = PackedLeave(
      goal: .end(ending, rollBack: true), number: numbers.leave, since: .zero, isAnnounced: true)
    return next
  }
}

// MARK: - What was compensated beside the flow

extension MachineSnapshot {
  /// A `backUp` that has ended, with its error if it threw again.
  package struct Compensation: Sendable {
    package let step: StepID
    package let error: StoredFailure?
  }

  /// Takes over what a flow made by ``compensatingAside(_:)`` has come to: the records of its places, and the `backUp`s
  /// that have ended. Those that have returned are owed no more.
  ///
  /// - Parameter visits: The visits whose places that flow has still to compensate.
  /// - Returns: The `backUp`s that have ended since the last call.
  package mutating func takeOver(_ aside: MachineSnapshot, awaiting visits: inout Set<Int>) -> [Compensation] {
    let failures = aside.undoFailures + (aside.main.leave?.failures ?? [])
    var ended: [Compensation] = []
    undoFailures = undoFailures.compactMap { old in
      guard var place = old.place, visits.contains(place.visit.id) else { return old }
      if let records = aside.main.records(ofUncompensated: place.visit.id) {
        place.records = records
        return PackedUndoFailure(error: old.error, place: place)
      }
      visits.remove(place.visit.id)
      guard let again = failures.first(where: { $0.place?.visit.id == place.visit.id }) else {
        ended.append(Compensation(step: place.visit.step, error: nil))
        return nil
      }
      ended.append(Compensation(step: place.visit.step, error: again.error))
      place.records = again.place?.records ?? []
      return PackedUndoFailure(error: again.error, place: place)
    }
    return ended
  }
}

extension PackedTrack {
  /// The records of a place on a stack that is being compensated; `nil` if its `backUp` has ended.
  fileprivate func records(ofUncompensated visit: Int) -> [PackedRecord]? {
    guard let index = places.firstIndex(where: { $0.visit.id == visit }) else { return nil }
    guard index == places.count - 1 else { return places[index].records }
    return focus.isEntered ? focus.records : nil
  }
}
