public import ActorFlowHosting

/// Passes a host under test to `body`, and fails unless `body` has asserted the final state of its flows.
///
/// When `body` has returned, the function looks for facts that were not asserted. Then, and also if `body` threw, it
/// stops the host and awaits its steps. Only a step that does not return is left running. It is named, unless the test
/// has already failed.
///
/// - Parameters:
///   - store: The store of the flows; `nil` for a `MemoryFlowStore` on `clock`.
///   - clock: The clock of the host.
///   - options: The options of the host; `keepHot` is always zero.
///   - exhaustive: Whether the test fails for what it has not asserted.
///   - patience: The real time to wait for flows that keep running.
///   - fileID: The file to name in failures.
///   - line: The line to name in failures at the end of the test.
///   - body: The closure that drives the host. It runs where the caller runs.
/// - Returns: The value of `body`.
/// - Throws: A ``FlowTestFailure``, or the error of `body`.
@discardableResult
public func testHost<Value>(
  on store: (any FlowStore)? = nil, clock: ManualWallClock = ManualWallClock(), options: FlowHost.Options = .init(),
  exhaustive: Bool = true, patience: Patience = .standard, fileID: String = #fileID, line: Int = #line,
  _ body: (HostTester) async throws -> Value
) async throws -> Value {
  try Task.checkCancellation()
  let location = SourceLocation(fileID, line)
  let tester = try HostTester(
    on: store ?? MemoryFlowStore(clock: clock), clock: clock, options: options, exhaustive: exhaustive,
    patience: patience)
  do {
    let value = try await body(tester)
    try await tester.checkEverythingWasAsserted(location)
    try await tester.close(location)
    return value
  } catch {
    // The first error is the one to report.
    try? await tester.close(location)
    throw error
  }
}
