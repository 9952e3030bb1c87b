import ActorFlow
import Testing

extension FlowCoordinator {
  /// Waits until the flow asks, and answers with `text`; with `step`, it must be that one that asks.
  func answerNext(
    _ text: String, at step: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let question = try #require(try await settled().questions.first, sourceLocation: sourceLocation)
    if let step { #expect(question.step.name == step, sourceLocation: sourceLocation) }
    try await answer(question.id, with: text)
  }

  /// Waits until the flow asks or has ended, and returns the step in focus.
  func focus() async throws -> String? { try await settled().step?.name }

  /// Waits until the flow asks, backs up, waits until it asks again, and returns the step that asks.
  func backUpAndSettle() async throws -> String? {
    _ = try await settled()
    try await backUp()
    return try await focus()
  }
}

/// The moves of the current run, one line for each event that is not about a question.
func moves(of coordinator: FlowCoordinator) async -> [String] {
  await allEvents(of: coordinator).compactMap { event in
    switch event.change {
    case .asked, .answered, .updated, .withdrawn: nil
    default: event.change.line
    }
  }
}

/// Reads events until one satisfies `condition`, and returns it.
func firstEvent(
  of coordinator: FlowCoordinator, where condition: (NavigationEvent) -> Bool
) async throws -> NavigationEvent {
  for await event in coordinator.events where condition(event) { return event }
  throw Refused()
}

/// The code of the `FlowError` in a failed result.
func code<Value>(of result: Result<Value, any Error>) -> FlowError.Code? {
  if case .failure(let error as FlowError) = result { error.code } else { nil }
}

/// Calls each function of a context and returns the code of its `FlowError`, or nil.
func codesOfEveryVerb(of context: StepContext) async -> [FlowError.Code?] {
  [
    await code { _ = try await context.ask(Form(text: "late")) },
    await code { try await context.update(Form(text: "late")) },
    await code { try await context.once("late") { _ in } },
    await code { try await context.backUp() },
    await code { try await context.abandon("late") },
  ]
}

extension FlowCoordinator {
  /// Waits until the flow asks, and answers the question of the step with this name, also among several.
  func answer(
    _ text: String, at step: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let open = try await settled().questions
    let question = try #require(open.first { $0.step.name == step }, sourceLocation: sourceLocation)
    try await answer(question.id, with: text)
  }
}
