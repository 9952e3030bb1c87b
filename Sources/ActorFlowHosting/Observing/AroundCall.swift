import ActorFlow

/// A call of an observer's `around`: lets a step or an effect, the body, run exactly once, and notes a fault of the observer.
final class AroundCall: Sendable {
  private enum Phase: Sendable {
    case open
    case running
    case ended(Result<any Sendable, any Error>)
  }

  private struct State: Sendable {
    var phase = Phase.open
    /// Whether `around` has returned or thrown.
    var hasReturned = false
    /// Whether the host has run the body, because the observer did not.
    var isRunByHost = false
    /// Whether the body is cancelled. The task of the observer may be cancelled without that, by the observer.
    var isCancelled = false
    /// The error of its own that the observer threw in a task that was cancelled.
    var thrown: (any Error)?
    /// The task that runs the body for the observer.
    var task: Task<Void, Never>?
    /// The first fault of the observer; later ones follow from it.
    var fault: (ObserverFault, (any Error)?)?

    /// Returns whether the body is to be run: it was not run before.
    mutating func begin() -> Bool {
      guard case .open = phase else { return false }
      phase = .running
      return true
    }

    mutating func note(_ fault: ObserverFault, _ error: (any Error)? = nil) {
      if self.fault == nil { self.fault = (fault, error) }
    }
  }

  private let state = Lock(State())
  private let body: @Sendable () async throws -> any Sendable
  private let end = OneShot()
  /// Signaled when the body has begun, or `around` has returned.
  let hasBegun = AsyncEvent()
  /// Signaled when `around` has returned.
  let hasReturned = AsyncEvent()

  init(_ body: @escaping @Sendable () async throws -> any Sendable) { self.body = body }

  /// Thrown by a body that was run already. Not the error of the step or effect.
  private static let refusal = FlowError(
    .notActive, "an observer calls its body once; the host has run it, or the observer has called it before")

  /// Runs the body for the observer. Concurrent, so that it never runs on an actor of the observer.
  ///
  /// - Throws: The error of the body; `notActive` if it was run before.
  @concurrent
  func runOnce() async throws {
    guard state.withLock({ $0.begin() }) else {
      state.withLock { if !$0.isRunByHost { $0.note(.calledTwice) } }
      throw Self.refusal
    }
    hasBegun.signal()
    // In a task of its own, which has the observer's task-local values: the observer cannot cancel it.
    let task = HostObservation.task { _ = await self.run() }
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    await task.value
    _ = try output()
  }

  /// Cancels the body that the observer runs. The host cancels the task of the observer itself.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// Runs the body if the observer has not called it.
  func runIfOpen() async {
    // A step may be left before the observer could call it, which is no fault.
    let isCancelled = Task.isCancelled
    // In one turn: an observer that calls the body now must find that the host has run it.
    let begins = state.withLock { state in
      guard state.begin() else { return false }
      state.isRunByHost = true
      if !isCancelled { state.note(state.hasReturned ? .neverCalled : .late) }
      return true
    }
    if begins { _ = await run() }
  }

  private func run() async -> Result<any Sendable, any Error> {
    let result: Result<any Sendable, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    state.withLock { $0.phase = .ended(result) }
    end.fulfil(.success(()))
    return result
  }

  /// Waits until the body has ended, even if the task is cancelled.
  func hasEnded() async { await end.end() }

  /// Notes that `around` has returned, or has thrown an error.
  func returned(_ error: (any Error)?) {
    let isCancelled = Task.isCancelled
    state.withLock { state in
      state.hasReturned = true
      guard let error, !isOfBody(error, state.phase) else { return }
      if isCancelled { state.thrown = error } else { state.note(.threw, error) }
    }
    hasReturned.signal()
    hasBegun.signal()
  }

  /// Whether an error that `around` threw may be the one that the body threw to it.
  private func isOfBody(_ error: any Error, _ phase: Phase) -> Bool {
    guard case .ended(.failure(let own)) = phase else { return false }
    return type(of: own) == type(of: error)
  }

  /// Notes that `around` has not returned in time after its body.
  func noteLate() {
    state.withLock { if !$0.hasReturned { $0.note(.late) } }
  }

  /// Notes that `around` has thrown although the body is not cancelled: the observer has cancelled its own task.
  func noteOwnCancellation() {
    state.withLock { state in
      if let error = state.thrown { state.note(.threw, error) }
    }
  }

  /// The fault of the observer, once `around` has returned.
  var fault: (ObserverFault, (any Error)?)? { state.withLock { $0.fault } }

  /// Returns the value of the body, or throws its error, once it has ended.
  func output() throws -> any Sendable {
    guard case .ended(let result) = state.withLock({ $0.phase }) else { throw CancellationError() }
    return try result.get()
  }
}
