// The end of a run, and failures: how scopes and branches handle them, and when they end the run.
extension FlowMachine {
  /// Ends the run and drops every place.
  ///
  /// - Parameter stack: The stack that is shown from now on.
  mutating func end(
    _ ending: Ending, _ result: Result<any Sendable, any Error>, as change: Change, at stack: VisitNode?
  ) {
    supersedeBranches(of: .main, since: .zero)
    lastStack = stack
    self.ending = ending
    self.result = result
    main.phase = .ended
    main.visit = nil
    undoFailures += main.leave?.failures ?? []
    main.leave = nil
    closeEverything(on: .main)
    dropEverything()
    publish(change)
  }

  private mutating func dropEverything() {
    if let top = main.top { discard(top) }
    main.top = nil
    if let memory = main.focus.memory { discard(memory) }
    main.focus = Focus()
    dropFork(of: .main)
    discard(graph)
    graph = .empty
    if !timers.isEmpty { discard(timers) }
    timers = Timers()
    if signals.isUsed { discard(signals.drop()) }
  }

  /// Whether the run has ended, or is being abandoned, cancelled or rolled back after a failure.
  package var isEnding: Bool {
    if case .end? = main.leave?.goal { return true }
    return phase == .ended
  }

  /// Stops the run because a decision could not be committed. The run stays where the last commit left it, and nothing
  /// is rolled back.
  package mutating func halt(_ error: any Error) {
    needsNoCommit()
    heldUntil = nil
    guard phase != .ended, phase != .idle else { return }
    end(.failed, .failure(error), as: .failed(position.step ?? "?", error), at: stack(of: .main))
  }
}

// MARK: - Failures

extension FlowMachine {
  /// Handles an error of a step, its factory, its `skip`, or a closure between two steps. A persisted flow is suspended
  /// if no scope handles the error, unless its definition says to roll back.
  ///
  /// - Parameters:
  ///   - address: The address at which the flow stands, if `step` is none of its steps: before the first one, for
  ///     example.
  ///   - scopes: The scopes around the failure. The innermost one of the track that handles failures catches the error.
  ///   - since: The time from the run's start, shown to observers of the leave.
  /// - Returns: Whether the track goes on; false if the flow is suspended.
  package mutating func fail(
    _ step: StepID, _ error: any Error, orAt address: Int = 0, under scopes: ScopeFrame? = nil,
    on track: TrackID = .main, since: Duration = .zero
  ) -> Bool {
    handle(step, error, orAt: address, under: scopes, on: track, since: since)
    return fault == nil
  }

  private mutating func handle(
    _ step: StepID, _ error: any Error, orAt address: Int, under scopes: ScopeFrame?, on track: TrackID, since: Duration
  ) {
    // An error of a track that is being left is ignored.
    guard phase(of: track) == .walking else { return }
    let cause = cause(of: error, at: step)
    if journal == .persisting, scopes?.handler(below: nil) == nil,
      graph.failurePolicy(of: step, orAt: address) != .rollBack
    {
      return suspend(step, cause)
    }
    closeEverything(on: track)
    if let catcher = scopes?.handler(below: self[track].outerScopes) {
      return caught(step, cause, by: catcher, on: track, since)
    }
    guard track == .main else { return failBranch(track, step, cause, since: since) }
    result = .failure(cause)
    main.leave = newLeave(.end(.failed, rollBack: true), of: main.visit, since: .zero).announced
    main.phase = .compensating
    dropBufferedSignals()
    publish(.failed(step, cause))
  }

  /// Suspends the flow: no timer fires, and only an ending moves it. When the flow is activated again, the step is
  /// retried.
  private mutating func suspend(_ step: StepID, _ error: any Error) {
    guard fault == nil else { return }
    fault = (step, error)
    publish(.suspended(step, error))
  }

  func refuseSuspended() throws(FlowError) {
    guard let fault else { return }
    throw error(
      .suspended, "\"\(fault.step)\" failed, and the flow is suspended until it is retried: \(fault.error)",
      step: fault.step)
  }

  /// Returns the error to report. The machine decides endings, never the type of an error: a `CancellationError` that
  /// only the step has caused is a failure like any other.
  private func cause(of error: any Error, at step: StepID) -> any Error {
    if let error = error as? FlowError { return error.located(in: flow, at: step) }
    guard error is CancellationError else { return error }
    return self.error(
      .stepFailed, "the step threw CancellationError although it was not cancelled", step: step,
      underlying: [error])
  }

  private mutating func caught(
    _ step: StepID, _ error: any Error, by frame: ScopeFrame, on track: TrackID, _ since: Duration
  ) {
    guard case .retry(_, let backoff) = frame.scope.kind else {
      unwind(from: frame, step, error, on: track, since)
      return publish(.caught(step, error, by: .recovery))
    }
    let pause = backoff.delay(after: frame.attempt)
    if let only = frame.scope.only, let top = top(of: track), top.node === only, top.isWithin(frame) {
      tryAgain(top, frame, pause, on: track)
    } else {
      unwind(from: frame, step, error, on: track, since)
    }
    publish(.caught(step, error, by: .retry(attempt: frame.attempt + 1, after: pause)))
  }

  /// Begins another attempt in the same visit: place, records and idempotency keys stay.
  private mutating func tryAgain(_ top: Place, _ frame: ScopeFrame, _ pause: Duration, on track: TrackID) {
    self[track].top = top.inAnotherAttempt(under: frame)
    self[track].focus.hasReturned = true
    self[track].focus.attempt = ProceedCall(isReplay: true)
    // The tasks that had asked in the attempt have ended with it.
    self[track].focus.askersAtOnce = 0
    self[track].focus.memory?.forgetAnswers()
    forgetLatestFailures(on: track)
    // An update that the step has not received yet is handed over again.
    let handover = focus(of: track).isEntered ? nil : focus(of: track).memory?.handover
    self[track].start = Start(.top, pause: pause, handover: handover)
    timers.keep(only: frame.below, on: track)
  }

  private mutating func unwind(
    from frame: ScopeFrame, _ step: StepID, _ error: any Error, on track: TrackID, _ since: Duration
  ) {
    self[track].leave = newLeave(
      .unwind(Unwinding(frame: frame, step: step, error: error, isTimeout: false)), of: visit(of: track),
      since: since)
    self[track].phase = .compensating
  }

  /// Walks on from this address, because the closure of a recovery has made the output of its scope.
  ///
  /// - Returns: False if the flow is being left.
  package mutating func recovered(making payload: Payload, at address: Int, on track: TrackID) -> Bool {
    dropStart(of: track)
    guard phase(of: track) == .walking else { return false }
    persistCursor(from: address, with: payload, on: track)
    return true
  }
}
