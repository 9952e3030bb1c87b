public import ActorFlow

// Leaving a step before it returns.
extension FlowTester {
  /// Backs up, waits until the flow has landed, and asserts that no `backUp` threw on the way.
  ///
  /// - Parameters:
  ///   - step: The step to go to, as for the coordinator's `backUp(to:)`; `nil` for the step where a back leads.
  ///   - landing: The step where the flow must land; `nil` for any step.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Returns: The visit that began with the landing.
  /// - Throws: ``FlowTestFailure`` if the back is refused or lands elsewhere, if a `backUp` threw, or if the step does
  ///   not return; `CancellationError` if the test is cancelled.
  @discardableResult
  public func backUp(
    to step: StepID? = nil, landingAt landing: StepID? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> Visit {
    try await backUp(landingAt: landing ?? step, SourceLocation(fileID, line)) { [coordinator] in
      try await coordinator.backUp(to: step)
    }
  }

  func backUp(
    landingAt landing: StepID?, _ location: SourceLocation, _ verb: @escaping @Sendable () async throws -> Void
  ) async throws -> Visit {
    try await attempt("`backUp`", location, verb)
    // If the flow landed elsewhere, a partial test would skip that event and wait for a landing that never comes.
    let expected = ExpectedChange.backedUp(landing: exhaustivity.isFull ? landing : nil, errors: nil)
    let events = try await assert([.leaving(step: nil, .back), expected], location)
    guard case .backedUp(_, let landed, _)? = events.last?.change, landing.matches(landed.step) else {
      let landed = events.last.map { "found: \($0.line)" } ?? "it did not land"
      throw FlowTestFailure("expected \"backed up to \(landing?.path ?? "")\", but \(landed)", at: location)
    }
    return landed
  }

  /// Abandons the flow, waits until it has ended, and asserts that no `backUp` threw.
  ///
  /// - Throws: ``FlowTestFailure`` if the flow has already ended, if a `backUp` threw, or if the step does not return;
  ///   `CancellationError` if the test is cancelled.
  public func abandon(
    reason: String = "", rollingBack: Bool = true, fileID: String = #fileID, line: Int = #line
  ) async throws {
    let location = SourceLocation(fileID, line)
    try await attempt("`abandon`", location) { [coordinator] in
      try await coordinator.abandon(reason: reason, rollingBack: rollingBack)
    }
    try await assertEnding(
      .abandoned(reason: reason), leaving: .abandoned(reason: reason), rollingBack: rollingBack, location)
  }

  /// Cancels the task that called `run`, waits until the flow has ended, and asserts that no `backUp` threw.
  ///
  /// - Throws: ``FlowTestFailure`` if the flow has already ended, if a `backUp` threw, or if the step does not return;
  ///   `CancellationError` if the test is cancelled.
  public func cancel(fileID: String = #fileID, line: Int = #line) async throws {
    let location = SourceLocation(fileID, line)
    run.cancel()
    try await attempt("the cancellation", location) { [run] in _ = try await run.result.value() }
    try await assertEnding(.cancelled, leaving: .cancelled, rollingBack: true, location)
  }
}

extension FlowTester {
  private func assertEnding(
    _ ending: ExpectedChange, leaving reason: LeaveReason, rollingBack: Bool, _ location: SourceLocation
  ) async throws {
    let leaving = ExpectedChange.leaving(step: nil, reason)
    var expected = rollingBack ? [ending, .rolledBack] : [ending]
    tape.listen()
    // Before the first step is entered, there is no visit to leave.
    if tape.unread.contains(where: { leaving.matches($0.change) }) { expected.insert(leaving, at: 0) }
    try await assert(expected, location)
  }

  /// Calls a method of the coordinator; fails if it throws, or if it takes longer than the tester's patience.
  func attempt(
    _ what: String, _ location: SourceLocation, _ verb: @escaping @Sendable () async throws -> Void
  ) async throws {
    let done: Void?
    do { done = try await tape.patience.wait(for: verb) } catch {
      try Task.checkCancellation()
      throw await failure(of: what, error, location)
    }
    if done == nil { throw await failure("\(what) to complete", found: .silence, location) }
  }
}
