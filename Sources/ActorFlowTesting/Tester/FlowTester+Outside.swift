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

  /// Moves the flow's clock on, once the flow waits for somebody outside or for the clock.
  ///
  /// So a deadline that the flow has come to is known before the time goes by. What then happens is asserted with
  /// ``expect(_:fileID:line:)``. While a step works, move the clock itself.
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
  /// - Throws: ``FlowTestFailure`` if the flow does not come to wait; `CancellationError` if the test is cancelled.
  public func advance(
    _ clock: ManualClock, by duration: Duration, fileID: String = #fileID, line: Int = #line
  ) async throws {
    guard try await isSettled() else {
      throw await failure("the flow to wait", found: .silence, SourceLocation(fileID, line))
    }
    clock.advance(by: duration)
  }
}
