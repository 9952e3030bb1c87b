public import ActorFlowHosting

/// Gives `body` a host to test, and fails unless `body` has asserted where its flows stand in the end.
///
/// When `body` has returned, what was not asserted is looked for. Then, and also when `body` threw, the host is stopped
/// and its steps are awaited: nothing is left running but a step that does not come back, which is named.
///
/// - Parameters:
///   - store: Where flows are kept; nil: in a `MemoryFlowStore` on `clock`.
///   - clock: The time.
///   - options: How the host works; `keepHot` is always zero.
///   - exhaustive: Whether the test fails for what it has not asserted.
///   - patience: How long, in real time, to wait for flows that do not come to rest.
///   - fileID: The file to name in failures.
///   - line: The line to name in failures at the end of the test.
///   - body: Drives the host. It runs where the caller runs.
/// - Returns: What `body` returned.
/// - Throws: A ``FlowTestFailure``, or what `body` threw.
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
    // What went wrong first is what the test is to tell.
    try? await tester.close(location)
    throw error
  }
}
