import ActorFlow
import Testing

/// A presenter whose code is given by a test.
struct Shows: Presenter {
  private let show: @Sendable (NavigationEvent, FlowCoordinator) async throws -> Bool

  init(_ show: @escaping @Sendable (NavigationEvent, FlowCoordinator) async throws -> Bool) {
    self.show = show
  }

  func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
    try await show(event, coordinator)
  }
}

/// Takes every event and shows a line for it, as a terminal would.
final class Terminal: Presenter {
  let lines = Trace()

  func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
    lines.add(event.change.line)
    return true
  }
}

/// Runs `flow` with presenters while `body` acts as the outside world; returns the result of `run`.
func running<I, O>(
  _ flow: Flow<I, O>, with input: I, presentedBy presenters: [any Presenter],
  on coordinator: FlowCoordinator = FlowCoordinator(), _ body: (FlowCoordinator) async throws -> Void = { _ in }
) async throws -> Result<O, any Error> {
  let run = Task { () async -> Result<O, any Error> in
    do { return .success(try await coordinator.run(flow, with: input, presentedBy: presenters)) } catch {
      return .failure(error)
    }
  }
  do {
    try await body(coordinator)
  } catch {
    run.cancel()
    _ = await run.value
    throw error
  }
  return await run.value
}

/// The error in a failed result.
func error<Value>(of result: Result<Value, any Error>) -> (any Error)? {
  if case .failure(let error) = result { error } else { nil }
}

/// A flow of steps that ask, with these names.
func asking(_ names: String..., trace: Trace = Trace()) -> Flow<String, String> {
  Flow { for name in names { Step(name) { Asker(trace) } } }
}
