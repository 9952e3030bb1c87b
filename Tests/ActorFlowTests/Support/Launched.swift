@testable import ActorFlow
import Testing

/// A flow that runs beside the test, on a coordinator with a clock that stands still.
struct Launched<Output: Sendable>: Sendable {
  let coordinator: FlowCoordinator
  let clock: TestClock
  let run: Task<Result<Output, any Error>, Never>

  /// The result of `run`: its output or its error.
  var result: Result<Output, any Error> { get async { await run.value } }

  /// The error that `run` threw.
  var error: (any Error)? {
    get async {
      guard case .failure(let error) = await run.value else { return nil }
      return error
    }
  }

  /// The code of the ``FlowError`` that `run` threw.
  var code: FlowError.Code? { get async { (await error as? FlowError)?.code } }

  /// Waits until a question is open, and answers it.
  func answer(_ answer: String) async throws {
    _ = try await coordinator.settled()
    try await coordinator.answer(Form.self, with: answer)
  }

  /// Starts a request in a task of its own. Returns when the coordinator has decided it, or when it waits in line
  /// behind an input that is being committed.
  ///
  /// A request to leave reads the flow's clock in the turn in which it is decided.
  func filing(_ request: @escaping @Sendable (FlowCoordinator) async throws -> Void) async -> Task<Void, any Error> {
    let (waiting, looks) = (coordinator.order.queueLength, clock.lookCount)
    let task = Task { [coordinator] in try await request(coordinator) }
    while coordinator.order.queueLength <= waiting, clock.lookCount == looks { await Task.yield() }
    _ = await coordinator.position  // the turn after that one
    return task
  }

  /// All events of the run, read to its end.
  var events: [NavigationEvent] { get async { await allEvents(of: coordinator) } }

  /// The run's first events, up to the one with this number.
  func events(upTo number: Int) async -> [NavigationEvent] {
    var events: [NavigationEvent] = []
    for await event in coordinator.events {
      events.append(event)
      if event.sequence >= number { break }
    }
    return events
  }

  /// All changes of the run, a short line each.
  var lines: [String] { get async { await events.map(\.change.line) } }
}

/// Starts `flow` in a task of its own.
func launch<I, O>(
  _ flow: Flow<I, O>, with input: I, on coordinator: FlowCoordinator, clock: TestClock = TestClock()
) -> Launched<O> {
  let run = Task { () async -> Result<O, any Error> in
    do { return .success(try await coordinator.run(flow, with: input)) } catch { return .failure(error) }
  }
  return Launched(coordinator: coordinator, clock: clock, run: run)
}

/// Starts `flow` on a new coordinator.
func launch<I, O>(_ flow: Flow<I, O>, with input: I) -> Launched<O> {
  let clock = TestClock()
  return launch(flow, with: input, on: FlowCoordinator(id: "test", clock: clock, eventLog: 10_000), clock: clock)
}

/// The code of the ``FlowError`` that `body` throws; `nil` if it throws nothing or something else.
func code(_ body: () async throws -> some Any) async -> FlowError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? FlowError)?.code
  }
}

/// The code of the ``FlowError`` that `body` throws, for code without `await`.
func code(_ body: () throws -> some Any) -> FlowError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? FlowError)?.code
  }
}

/// The error that `task` threw.
func error<T>(of task: Task<T, any Error>) async -> (any Error)? {
  guard case .failure(let error) = await task.result else { return nil }
  return error
}

/// Returns the first event with this line, reading from the beginning of the run.
func event(_ line: String, of coordinator: FlowCoordinator) async -> NavigationEvent? {
  for await event in coordinator.events where event.change.line == line { return event }
  return nil
}
