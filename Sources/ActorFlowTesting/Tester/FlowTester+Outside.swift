public import ActorFlow

// What comes from outside without being asked: signals, and time.
extension FlowTester {
  /// Sends a signal that a step waits for, and asserts that it gets it.
  ///
  /// Where a step is only going to wait, assert ``ExpectedChange/waitingForSignal(_:at:)`` first. A signal that is to come
  /// before anybody waits is sent with the ``coordinator``: it makes no event.
  ///
  /// - Throws: ``FlowTestFailure`` if it is refused, if nobody waits for it, or if something that was not asserted has
  ///   happened before; `CancellationError` if the test is cancelled.
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
        "expected \"\(received)\", but nobody waited for it; it is kept for the first that does", at: location)
    }
    try await assert([received], location)
  }

  /// Moves the flow's clock on, once the flow waits for somebody outside or for the clock, and returns when everything has
  /// happened that is due by then: reminders have run, and the flow waits again, or has ended.
  ///
  /// Time goes from one deadline, reminder or pause to the next, in order, and what each makes happen has happened before
  /// the next: a reminder never finds the time of a later one. What then happens is asserted with
  /// ``expect(_:fileID:line:)``. While a step works, or a reminder sleeps on this clock, move the clock itself.
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
  ///   - clock: The clock that the flow is tested with.
  ///   - duration: How far to move it; a negative one moves nothing.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Throws: ``FlowTestFailure`` if the flow does not come to wait, before or after; `CancellationError` if the test is
  ///   cancelled.
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
      // Of another clock than the flow's: that one tells nothing of what is due.
      guard await coordinator.timetable.now > before else { break }
      try await comeToRest(location)
    }
    clock.advance(by: rest)
    try await comeToRest(location)
  }

  /// Waits until the flow waits for somebody outside or for the clock, or has ended, and nothing that is due goes on.
  private func comeToRest(_ location: SourceLocation) async throws {
    let isResting = try await tape.patience.wait { [coordinator] in
      repeat {
        while try await coordinator.ringDue() {}
        try await coordinator.askersAreBack()
        _ = try await coordinator.settled()
      } while try await coordinator.hasMoreToDo
      return true
    }
    guard isResting != nil else { throw await failure("the flow to wait", found: .silence, location) }
  }
}

extension FlowCoordinator {
  /// The time until something is due; nil: nothing is.
  fileprivate var nextTimer: Duration? {
    let (now, next) = timetable
    return next.map { max(.zero, $0 - now) }
  }

  /// Whether a timer was due, or a step is at work.
  fileprivate nonisolated var hasMoreToDo: Bool {
    get async throws {
      if try await ringDue() { return true }
      return await !isSettled
    }
  }
}
