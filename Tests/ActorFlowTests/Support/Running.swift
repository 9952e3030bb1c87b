import ActorFlow
import Testing

/// Runs `flow` on a new coordinator while `body` acts as the outside world. Returns the result of `run`.
func running<I, O>(
  _ flow: Flow<I, O>, with input: I, on coordinator: FlowCoordinator = FlowCoordinator(),
  _ body: (FlowCoordinator) async throws -> Void
) async throws -> Result<O, any Error> {
  try await running(on: coordinator, body) { try await $0.run(flow, with: input) }
}

/// Begins `run` on the coordinator while `body` acts as the outside world. Returns the result of `run`.
func running<O: Sendable>(
  on coordinator: FlowCoordinator = FlowCoordinator(), _ body: (FlowCoordinator) async throws -> Void,
  run: @escaping @Sendable (FlowCoordinator) async throws -> O
) async throws -> Result<O, any Error> {
  let run = Task { () async -> Result<O, any Error> in
    do { return .success(try await run(coordinator)) } catch { return .failure(error) }
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

/// All events of the current run, read to its end.
func allEvents(of coordinator: FlowCoordinator) async -> [NavigationEvent] {
  var events: [NavigationEvent] = []
  for await event in coordinator.events { events.append(event) }
  return events
}

extension Change {
  /// The change in one short line: `moved a→b`, `asked a`, `leaving a back`.
  var line: String {
    switch self {
    case .launched: "launched"
    case .moved(let from, let to): "moved \(from?.step.name ?? "-")→\(to.step.name)"
    case .skipped(let step): "skipped \(step.name)"
    case .finalizing(let name): "finalizing \(name.name)"
    case .asked(let question): "asked \(question.step.name)"
    case .updated(let question): "updated \(question.step.name) \(question.revision)"
    case .answered: "answered"
    case .withdrawn: "withdrawn"
    case .leaving(let visit, let reason): "leaving \(visit.step.name) \(reason.word)"
    case .backedUp(let from, let to, let errors): "backedUp \(from.step.name)→\(to.step.name) \(errors.count)"
    case .caught(let step, _, let catcher): "caught \(step.name) \(catcher)"
    case .unwound(let visit, let errors): "unwound \(visit?.step.name ?? "-") \(errors.count)"
    case .suspended(let step, let error): "suspended \(step.name) \(error)"
    case .joined(let visit, let errors): "joined \(visit.step.name) \(errors.count)"
    case .waiting(let wait): "waiting \(wait.step.name) \(wait.signal)"
    case .received(let wait): "received \(wait.step.name) \(wait.signal)"
    case .stoppedWaiting(let wait): "stoppedWaiting \(wait.step.name) \(wait.signal)"
    case .finished: "finished"
    case .failed(let step, _): "failed \(step.name)"
    case .abandoned(let reason): "abandoned \(reason)"
    case .cancelled: "cancelled"
    case .rolledBack(let errors): "rolledBack \(errors.count)"
    }
  }
}

extension LeaveReason {
  var word: String {
    switch self {
    case .back: "back"
    case .abandoned: "abandoned"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .timedOut: "timedOut"
    case .superseded: "superseded"
    case .completed: "completed"
    case .enteredAnew: "entered anew"
    }
  }
}

extension Status {
  /// The status in a few words: `leaving a`, `ended abandoned why`.
  var word: String {
    switch self {
    case .idle: "idle"
    case .running: "running"
    case .leaving(let visit, _): "leaving \(visit.step.name)"
    case .rollingBack: "rollingBack"
    case .ended(.finished): "ended finished"
    case .ended(.failed): "ended failed"
    case .ended(.abandoned(let reason)): "ended abandoned \(reason)"
    case .ended(.cancelled): "ended cancelled"
    }
  }
}

extension Record {
  /// The record in a word or two: `none`, `done 17`, `interrupted KEY`.
  var word: String {
    switch self {
    case .none: "none"
    case .done(let value): value is Void ? "done" : "done \(value)"
    case .interrupted(let key): "interrupted \(key)"
    }
  }
}
