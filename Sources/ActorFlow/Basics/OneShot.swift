/// A value that one task waits for and another task provides, once. The waiting can be cancelled.
///
/// The state is behind a lock, because a cancellation handler runs at once and cannot wait for an actor.
///
/// The class is not generic, because the runtime would look up the metadata of a generic type at each use. The
/// continuation is unsafe: the code that takes the waiter out of the state resumes it, once.
package final class OneShot: Sendable {
  /// The value or error that is provided. Not a `Result`, which the runtime would copy with less specialized code.
  package enum Outcome: Sendable {
    case success(any Sendable)
    case failure(any Error)
    /// A `CancellationError`, which is made only when it is thrown.
    case cancelled

    func get() throws -> any Sendable {
      switch self {
      case .success(let value): return value
      case .failure(let error): throw error
      case .cancelled: throw CancellationError()
      }
    }
  }

  private typealias Waiter = UnsafeContinuation<any Sendable, any Error>

  private struct State: Sendable {
    enum Phase: Sendable {
      case open
      /// Reserved for a value that is about to be provided. A cancellation counts only if the reservation is given
      /// back.
      case taken
      case done
    }
    var phase = Phase.open
    var waiter: Waiter?
    /// Whether the waiter gave up while the value was reserved.
    var isCancelled = false
    /// The outcome, once the phase is `done`.
    var outcome = Outcome.cancelled
    var nudges: [Int] = []
    /// Waiters to resume when a task waits for the value, or the value is there.
    var watchers: [OneShot] = []

    var isAwaited: Bool { phase != .open || waiter != nil }

    /// The thing that a task finds when it begins to wait.
    enum Found: Sendable {
      case nothing
      case nudge(Int)
      case outcome
    }

    mutating func wait(_ waiter: Waiter) -> Found {
      if phase == .done { return .outcome }
      if phase == .open, !nudges.isEmpty { return .nudge(nudges.removeFirst()) }
      self.waiter = waiter
      return .nothing
    }

    mutating func finish(_ outcome: Outcome) -> Waiter? {
      phase = .done
      self.outcome = outcome
      return waiter.take()
    }

    /// Removes and returns the watchers, if the event that they watch for has happened.
    mutating func takeWatchers() -> [OneShot] {
      guard !watchers.isEmpty, isAwaited else { return [] }
      defer { watchers = [] }
      return watchers
    }
  }
  private let state = Lock(State())

  package init() {}

  /// Delivered to the waiter before the value, which is still to come.
  struct Nudge: Sendable {
    let number: Int
  }

  /// Waits for the value. Call it once, and again after each ``Nudge``.
  ///
  /// - Throws: The error that was provided instead of a value; `CancellationError` if the task was cancelled first.
  package func value() async throws -> any Sendable {
    try await withTaskCancellationHandler {
      try await uncancellableValue()
    } onCancel: {
      cancel()
    }
  }

  /// Waits for the end, whatever the outcome, and even if cancelled. Call it once.
  package func end() async { _ = try? await uncancellableValue() }

  /// Waits for the value, even if cancelled. Call it once.
  package func uncancellableValue() async throws -> any Sendable {
    try await withUnsafeThrowingContinuation { continuation in
      let (found, watchers) = state.withLock { ($0.wait(continuation), $0.takeWatchers()) }
      switch found {
      case .nothing: break
      case .nudge(let number): continuation.resume(returning: Nudge(number: number))
      case .outcome: continuation.resume(with: state.withLock { $0.outcome })
      }
      for watcher in watchers { watcher.fulfil(.success(())) }
    }
  }

  /// Wakes the waiter without a value; if no task waits, wakes the next one that does.
  func nudge(_ number: Int) {
    let waiter: Waiter? = state.withLock { state in
      guard state.phase == .open else { return nil }
      if state.waiter == nil { state.nudges.append(number) }
      return state.waiter.take()
    }
    waiter?.resume(returning: Nudge(number: number))
  }

  /// Whether a task waits for the value, or the value is there. False while the asker handles a ``Nudge``.
  var isAwaitedNow: Bool { state.withLock { $0.isAwaited } }

  /// Waits until a task waits for the value, or the value is there. After a ``Nudge``: until the asker has handled it.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled first.
  func isAwaited() async throws {
    let watcher = OneShot()
    let isOver = state.withLock { state in
      if !state.isAwaited { state.watchers.append(watcher) }
      return state.isAwaited
    }
    if !isOver { _ = try await watcher.value() }
  }

  /// Reserves the waiter for a value that is about to come. Returns false if there is a value or a reservation already,
  /// or if the waiter gave up.
  package func take() -> Bool {
    state.withLock { state in
      guard state.phase == .open else { return false }
      state.phase = .taken
      return true
    }
  }

  /// Gives a reservation back. A cancellation that came meanwhile takes effect now.
  func giveBack() {
    let cancelled: Waiter? = state.withLock { state in
      guard state.phase == .taken else { return nil }
      state.phase = .open
      return state.isCancelled ? state.finish(.cancelled) : nil
    }
    cancelled?.resume(throwing: CancellationError())
  }

  /// Provides the value, or an error instead. Only the first call counts.
  package func fulfil(_ outcome: Outcome) {
    let (waiter, watchers) = state.withLock { state -> (Waiter?, [OneShot]) in
      guard state.phase != .done else { return (nil, []) }
      return (state.finish(outcome), state.takeWatchers())
    }
    for watcher in watchers { watcher.fulfil(.success(())) }
    waiter?.resume(with: outcome)
  }

  private func cancel() {
    let (waiter, watchers) = state.withLock { state -> (Waiter?, [OneShot]) in
      switch state.phase {
      case .open: return (state.finish(.cancelled), state.takeWatchers())
      case .taken:
        state.isCancelled = true
        return (nil, state.takeWatchers())
      case .done: return (nil, [])
      }
    }
    for watcher in watchers { watcher.fulfil(.success(())) }
    waiter?.resume(throwing: CancellationError())
  }
}

extension UnsafeContinuation<any Sendable, any Error> {
  fileprivate func resume(with outcome: OneShot.Outcome) {
    switch outcome {
    case .success(let value): resume(returning: value)
    case .failure(let error): resume(throwing: error)
    case .cancelled: resume(throwing: CancellationError())
    }
  }
}
