/// A value that one task waits for and another one brings, once. The waiting can be cancelled.
///
/// It has a lock of its own because a cancellation handler runs on the spot and can reach no actor.
///
/// It is not generic: the runtime would look up a generic one's metadata at each use. Its continuation is an unsafe one:
/// every way out of `open` and `taken` takes the waiter along and resumes it, once.
final class Cell: Sendable {
  typealias Outcome = Result<any Sendable, any Error>
  private typealias Waiter = UnsafeContinuation<any Sendable, any Error>

  private enum State: Sendable {
    case open(Waiter?)
    /// Somebody is about to bring the value: a cancellation no longer counts, unless he gives up.
    case taken(Waiter?, isCancelled: Bool)
    case done(Outcome)
  }
  private let state = Lock<(now: State, nudges: [Int], watchers: [UnsafeContinuation<Void, Never>])>(
    (.open(nil), [], []))

  /// Comes instead of the value, which is still to come.
  struct Nudge: Sendable {
    let number: Int
  }

  /// Waits for the value. Called once; again after each ``Nudge``.
  ///
  /// - Throws: What was brought instead of a value; `CancellationError` if the task was cancelled before.
  func value() async throws -> any Sendable {
    try await withTaskCancellationHandler {
      try await uncancellableValue()
    } onCancel: {
      cancel()
    }
  }

  /// Waits for the value, cancelled or not. Called once.
  func uncancellableValue() async throws -> any Sendable {
    try await withUnsafeThrowingContinuation { continuation in
      defer { tellWatchers() }
      let result: Outcome? = state.withLock { state in
        switch state.now {
        case .open:
          if !state.nudges.isEmpty { return .success(Nudge(number: state.nudges.removeFirst())) }
          state.now = .open(continuation)
        case .taken(_, let isCancelled): state.now = .taken(continuation, isCancelled: isCancelled)
        case .done(let result): return result
        }
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Wakes the waiter without a value, or the next one that comes.
  func nudge(_ number: Int) {
    let waiter: Waiter? = state.withLock { state in
      guard case .open(let waiter) = state.now else { return nil }
      if waiter == nil { state.nudges.append(number) }
      state.now = .open(nil)
      return waiter
    }
    waiter?.resume(returning: Nudge(number: number))
  }

  /// Waits until somebody waits for the value, or it has come: after a ``Nudge``, until what that was for is done.
  func isAwaited() async {
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        guard case .open(nil) = state.now else { return true }
        state.watchers.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private func tellWatchers() {
    let watchers = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
      if case .open(nil) = state.now { return [] }
      defer { state.watchers = [] }
      return state.watchers
    }
    for watcher in watchers { watcher.resume() }
  }

  /// Reserves the cell for a value that is about to come. False: it has a value, is reserved, or its waiter gave up.
  func take() -> Bool {
    state.withLock { state in
      guard case .open(let waiter) = state.now else { return false }
      state.now = .taken(waiter, isCancelled: false)
      return true
    }
  }

  /// Gives a reservation back.
  func giveBack() {
    let cancelled: Waiter? = state.withLock { state in
      guard case .taken(let waiter, let isCancelled) = state.now else { return nil }
      state.now = isCancelled ? .done(.failure(CancellationError())) : .open(waiter)
      return isCancelled ? waiter : nil
    }
    cancelled?.resume(throwing: CancellationError())
  }

  /// Brings the value, or an error instead. Only the first counts.
  func fulfil(_ result: Outcome) {
    let waiter: Waiter? = state.withLock { state in
      switch state.now {
      case .open(let waiter), .taken(let waiter, _):
        state.now = .done(result)
        return waiter
      case .done: return nil
      }
    }
    tellWatchers()
    waiter?.resume(with: result)
  }

  private func cancel() {
    let waiter: Waiter? = state.withLock { state in
      switch state.now {
      case .open(let waiter):
        state.now = .done(.failure(CancellationError()))
        return waiter
      case .taken(let waiter, _):
        state.now = .taken(waiter, isCancelled: true)
        return nil
      case .done: return nil
      }
    }
    tellWatchers()
    waiter?.resume(throwing: CancellationError())
  }
}
