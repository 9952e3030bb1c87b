/// The branches whose stint has ended, in the order in which they did. One task puts a branch in for each it was given;
/// one takes them out.
final class Inbox: Sendable {
  private struct State: Sendable {
    var ended: [TrackID] = []
    var waiter: UnsafeContinuation<TrackID, Never>?
  }
  private let state = Lock(State())

  func put(_ track: TrackID) {
    let waiter = state.withLock { state -> UnsafeContinuation<TrackID, Never>? in
      defer { state.waiter = nil }
      if state.waiter == nil { state.ended.append(track) }
      return state.waiter
    }
    waiter?.resume(returning: track)
  }

  /// Waits for the next one; cancelled or not, because a stint that was begun is always awaited.
  func next() async -> TrackID {
    await withUnsafeContinuation { continuation in
      let track = state.withLock { state -> TrackID? in
        guard state.ended.isEmpty else { return state.ended.removeFirst() }
        state.waiter = continuation
        return nil
      }
      if let track { continuation.resume(returning: track) }
    }
  }
}
