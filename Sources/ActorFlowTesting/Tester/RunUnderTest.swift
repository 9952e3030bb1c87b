internal import ActorFlow

/// The task that runs the flow under test.
///
/// The task is awaited at the end of the test, but cannot be a child task. Swift cannot end a task from outside, so a
/// step that does not return would make the child's parent wait forever. The tester gives up on such a step, names it,
/// and fails.
struct RunUnderTest<Output: Sendable>: Sendable {
  let result = Eventual<Result<Output, any Error>>()
  private let task: Task<Void, Never>

  init<Input: Sendable>(
    _ flow: some FlowComponent<Input, Output>, with input: Input, by principal: Principal?,
    on coordinator: FlowCoordinator
  ) {
    let result = result
    task = Task { @concurrent in
      do { result.fulfil(.success(try await coordinator.run(flow, with: input, by: principal))) } catch {
        result.fulfil(.failure(error))
      }
    }
  }

  /// Cancels the task that called `run`.
  func cancel() {
    task.cancel()
  }

  /// Cancels the run and waits for its end, whether or not the calling task is cancelled.
  ///
  /// - Returns: `false` if patience ran out first.
  func end(within patience: Patience) async -> Bool {
    cancel()
    if result.current != nil { return true }
    // A separate task, awaited right here, because waiting fails at once in a task that is cancelled.
    return await Task { @concurrent [result] in
      do { return try await patience.wait { try await result.value() } != nil } catch { return false }
    }.value
  }
}
