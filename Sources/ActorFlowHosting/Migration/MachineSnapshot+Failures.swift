import ActorFlow

// Places whose `backUp` threw. They are on no stack any more, but a retry calls their `backUp` again, so moves change
// them as they change the places on a stack.
extension MachineSnapshot {
  var failedPlaces: [PackedPlace] {
    let failures = tracks.flatMap { ($0.leave?.failures ?? []) + ($0.fork?.failures ?? []) }
    return (undoFailures + failures).compactMap(\.place)
  }

  /// Changes each of the failed places; setting a place to `nil` keeps a retry from compensating it.
  mutating func changeFailedPlaces(_ body: (inout PackedPlace?) -> Void) {
    undoFailures.changePlaces(body)
    for index in tracks.indices {
      change(index) { track in
        track.leave?.failures.changePlaces(body)
        track.fork?.failures.changePlaces(body)
      }
    }
  }
}

extension [PackedUndoFailure] {
  fileprivate mutating func changePlaces(_ body: (inout PackedPlace?) -> Void) {
    for index in indices { body(&self[index].place) }
  }
}
