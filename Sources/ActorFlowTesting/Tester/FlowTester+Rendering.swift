public import ActorFlow

// Rendered steps, whose questions stay open and take actions as answers.
extension FlowTester {
  /// Sends an action to a rendering, and asserts that it is applied and changes what is shown.
  ///
  /// Use ``question(_:at:fileID:line:)`` to find the first rendering of a step, and ``updated(_:fileID:line:)`` to
  /// assert a rendering that an effect causes. Send an action that changes nothing with the ``coordinator``.
  ///
  /// - Returns: The next rendering. If an effect may publish one at the same moment, it may be that of the effect. To
  ///   rule this out, let the effect wait, for example on a ``ManualClock``.
  /// - Throws: ``FlowTestFailure`` if the action is refused, or if another event comes first; `CancellationError` if
  ///   the test is cancelled.
  @discardableResult
  public func act<P: Prompt>(
    _ action: P.Answer, on rendering: ShownQuestion<P>, by principal: Principal? = nil, fileID: String = #fileID,
    line: Int = #line
  ) async throws -> ShownQuestion<P> {
    let location = SourceLocation(fileID, line)
    try await send(action, to: rendering, by: principal, location)
    let events = try await assert([.shown(rendering)], location)
    guard case .updated(let updated)? = events.first?.change, let next = ShownQuestion<P>(updated) else {
      return rendering
    }
    return next
  }

  /// Sends a rendering the action that makes the step's output, and asserts that its question is closed.
  ///
  /// An event `withdrawn` closes the question, after the event of the last rendering if the state has changed.
  ///
  /// - Throws: As ``act(_:on:by:fileID:line:)``.
  public func conclude<P: Prompt>(
    _ action: P.Answer, on rendering: ShownQuestion<P>, by principal: Principal? = nil, fileID: String = #fileID,
    line: Int = #line
  ) async throws {
    let location = SourceLocation(fileID, line)
    try await send(action, to: rendering, by: principal, location)
    let closed = ExpectedChange("withdrawn") { change in
      if case .withdrawn(rendering.id) = change { true } else { false }
    }
    let last = ExpectedChange.shown(rendering)
    guard exhaustivity.isFull, case .event(let event) = try await look(for: last), last.matches(event.change) else {
      try await assert([closed], location)
      return
    }
    try await assert([last, closed], location)
  }

  private func send<P: Prompt>(
    _ action: P.Answer, to rendering: ShownQuestion<P>, by principal: Principal?, _ location: SourceLocation
  ) async throws {
    try await attempt("the action on \(rendering.question.summary)", location) { [coordinator] in
      try await coordinator.answer(rendering.id, with: action, by: principal)
    }
  }
}

extension ExpectedChange {
  /// Expects another rendering, whose event is published before the action's sender goes on, so no test waits for it.
  fileprivate static func shown<P: Prompt>(_ rendering: ShownQuestion<P>) -> ExpectedChange {
    ExpectedChange("updated \(rendering.question.summary)") { change in
      if case .updated(let updated) = change { updated.id == rendering.id } else { false }
    }
  }
}
