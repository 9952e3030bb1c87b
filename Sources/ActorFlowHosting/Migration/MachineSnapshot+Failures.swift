import ActorFlow

// Places whose `backUp` threw. They stand on no stack any more, and are called again when somebody retries that; so
// whatever becomes of a step in a new version becomes of them, too.
extension MachineSnapshot {
  var failedPlaces: [PackedPlace] {
    let failures = tracks.flatMap { ($0.leave?.failures ?? []) + ($0.fork?.failures ?? []) }
    return (undoFailures + failures).compactMap(\.place)
  }

  /// Changes each of them; one that is made nil is not called again.
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
