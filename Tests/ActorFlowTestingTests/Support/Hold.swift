import ActorFlow

/// A wait that does not end before it is released, cancelled or not; a step should never wait like this.
final class Hold: Sendable {
  private let state = Lock<(isReleased: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

  func wait() async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if !state.isReleased { state.waiters.append(continuation) }
        return state.isReleased
      }
      if goesOn { continuation.resume() }
    }
  }

  func release() {
    let waiters = state.withLock { state in
      state.isReleased = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
