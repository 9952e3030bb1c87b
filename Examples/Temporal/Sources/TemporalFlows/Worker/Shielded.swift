/// Runs `body` to its end, also if the calling task is cancelled: a write must not be given up half way, and a call of
/// gRPC ends with its task. The unstructured task is awaited here.
func shielded<Result: Sendable>(
  _ body: @escaping @concurrent @Sendable () async throws -> Result
) async throws -> Result {
  try await Task(operation: body).value
}

/// Waits for `duration`, also if the calling task is cancelled.
func pause(for duration: Duration) async {
  // The task is cancelled by no one.
  await Task { try? await Task.sleep(for: duration) }.value
}
