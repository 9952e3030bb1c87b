public import ActorFlow

/// Runs `flow` while `body` plays the outside world, and fails unless `body` has asserted everything that the flow did.
///
/// ```swift
/// try await testFlow(onlyPayment, with: Order(total: 42)) { tester in
///   try await tester.answer(PaymentForm.self, with: card)
///   let receipt = try await tester.finish()
///   #expect(receipt.total == 42)
/// }
/// ```
///
/// The flow runs concurrently with `body`, with the caller's task-local values. When `body` has returned, the function
/// looks for what was not asserted. Then, and also if `body` threw or the test was cancelled, it cancels the flow if it
/// still runs, and awaits its end, so nothing is left running. The one exception is a step that does not return
/// although it was cancelled. Such a step cannot be stopped: the failure names it, and it is left behind.
///
/// - Parameters:
///   - flow: The flow under test.
///   - input: The input of the first step.
///   - principal: The principal on whose behalf the run begins.
///   - id: The flow's name in question ids and idempotency keys.
///   - exhaustivity: Whether everything must be asserted, as by default.
///   - passivating: Whether steps lose their actor state with every answer.
///   - clock: The coordinator's clock.
///   - patience: The time to wait for a flow in which nothing happens before the test fails.
///   - fileID: The file to name in failures.
///   - line: The line to name in failures at the end of the test.
///   - body: The closure that drives the flow. It runs where the caller runs.
/// - Returns: The value of `body`.
/// - Throws: A ``FlowTestFailure``, or the error of `body`.
@discardableResult
public func testFlow<Input: Sendable, Output: Sendable, Value>(
  _ flow: some FlowComponent<Input, Output>, with input: Input, by principal: Principal? = nil, id: FlowID = .unique(),
  exhaustivity: Exhaustivity = .full, passivating: Passivation = .never,
  clock: any Clock<Duration> = ContinuousClock(), patience: Patience = .standard,
  fileID: String = #fileID, line: Int = #line,
  _ body: (FlowTester<Output>) async throws -> Value
) async throws -> Value {
  try Task.checkCancellation()
  var settings = CoordinatorSettings()
  settings.clock = clock
  settings.eventLog = .max
  settings.journal = passivating == .everyQuestion ? .reloading : .off
  let tester = FlowTester(
    flow, with: input, by: principal, on: FlowCoordinator(id: id, settings: settings), exhaustivity: exhaustivity,
    passivation: passivating, patience: patience)
  let location = SourceLocation(fileID, line)
  do {
    try await tester.waitForLaunch(location)
    let value = try await body(tester)
    try await tester.checkEverythingWasAsserted(location)
    try await tester.close(location)
    return value
  } catch {
    throw await tester.close(after: error, location)
  }
}

/// Runs a flow that needs no input, as
/// ``testFlow(_:with:by:id:exhaustivity:passivating:clock:patience:fileID:line:_:)`` does.
@discardableResult
public func testFlow<Output: Sendable, Value>(
  _ flow: some FlowComponent<Void, Output>, by principal: Principal? = nil, id: FlowID = .unique(),
  exhaustivity: Exhaustivity = .full, passivating: Passivation = .never,
  clock: any Clock<Duration> = ContinuousClock(), patience: Patience = .standard,
  fileID: String = #fileID, line: Int = #line,
  _ body: (FlowTester<Output>) async throws -> Value
) async throws -> Value {
  try await testFlow(
    flow, with: (), by: principal, id: id, exhaustivity: exhaustivity, passivating: passivating, clock: clock,
    patience: patience,
    fileID: fileID, line: line, body)
}
