import ActorFlowTesting
import Testing

/// Returns the failure that `body` throws; a test that expects one fails without it.
func failing<Value>(
  sourceLocation: Testing.SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async throws -> FlowTestFailure {
  try #require(
    await #expect(throws: FlowTestFailure.self, sourceLocation: sourceLocation) { _ = try await body() },
    sourceLocation: sourceLocation)
}
