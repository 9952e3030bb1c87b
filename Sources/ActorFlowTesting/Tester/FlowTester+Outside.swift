public import ActorFlow

// Input from outside that the flow does not ask for: signals and time.
extension FlowTester {
  /// Sends a signal that a step waits for, and asserts that the step receives it.
  ///
  /// If the step does not wait yet, assert ``ExpectedChange/waitingForSignal(_:at:)`` first. To send a signal before
  /// any step waits for it, use the ``coordinator``: this makes no event.
  ///
  /// - Throws: ``FlowTestFailure`` if the signal is refused, if no step waits for it, or if an earlier event was not
  ///   asserted; `CancellationError` if the test is cancelled.
  public func send<Value: Sendable>(
    _ value: Value, to signal: Signal<Value>, key: String? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws {
    let location = SourceLocation(fileID, line)
    try await attempt("the signal \(signal.name)", location) { [coordinator] in
      _ = try await coordinator.send(value, to: signal, key: key)
    }
    let received = ExpectedChange.receivedSignal(signal)
    tape.listen()
    guard tape.unread.contains(where: { received.matches($0.change) }) else {
      throw FlowTestFailure(
        "expected \"\(received)\", but no step waits for it; the signal is buffered for the first step that does",
        at: location)
    }
    try await assert([received], location)
  }

  /// Moves the flow's clock forward, and returns when everything that is due by then has happened.
  ///
  /// First waits until the flow waits for input or the clock. On return, reminders have run, and the flow waits again
  /// or has ended. Time goes from one deadline, reminder or pause to the next, in order. Everything that one of them
  /// causes has happened before the next, so a reminder never sees the time of a later one. Assert what happens with
  /// ``expect(_:fileID:line:)``. While a step is executing or a reminder sleeps on this clock, move the clock directly.
  ///
  /// ```swift
  /// let clock = ManualClock()
  /// try await testFlow(flow, with: "contract", clock: clock) { tester in
  ///
  ///   try await tester.advance(clock, by: .seconds(60))
  ///   try await tester.expect(.withdrawn)
  ///
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - clock: The clock of the flow under test.
  ///   - duration: The time to move it by; a negative duration moves nothing.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Throws: ``FlowTestFailure`` if the flow does not come to wait, before or after the move; `CancellationError` if
  ///   the test is cancelled.
  public func advance(
    _ clock: ManualClock, by duration: Duration, fileID: String = #fileID, line: Int = #line
  ) async throws {
    let location = SourceLocation(fileID, line)
    var rest = max(.zero, duration)
    try await comeToRest(location)
    while let pause = await coordinator.nextTimer, pause <= rest {
      let before = await coordinator.timetable.now
      clock.advance(by: pause)
      rest -= pause
      // If the flow has another clock, this clock does not tell what is due.
      guard await coordinator.timetable.now > before else { break }
      try await comeToRest(location)
    }
    clock.advance(by: rest)
    try await comeToRest(location)
  }

  /// Waits until the flow waits for input or for the clock, or has ended, and nothing that was due is still running.
  private func comeToRest(_ location: SourceLocation) async throws {
    let canPassivate = try await tape.patience.wait { [coordinator] in
      repeat {
        while try await coordinator.fireDue() {}
        try await coordinator.askersAreBack()
        _ = try await coordinator.settled()
      } while try await coordinator.hasMoreToDo
      return true
    }
    guard canPassivate != nil else { throw await failure("the flow to wait", found: .silence, location) }
  }
}

extension FlowCoordinator {
  /// The time until the next timer is due; `nil` if there is none.
  fileprivate var nextTimer: Duration? {
    let (now, next) = timetable
    return next.map { max(.zero, $0 - now) }
  }

  /// Whether a timer was due, or a step is executing.
  fileprivate nonisolated var hasMoreToDo: Bool {
    get async throws {
      if try await fireDue() { return true }
      return await !isSettled
    }
  }
}
