import Testing

@testable import ActorFlow

/// Updates that a child task makes in a replay, before its step has asked again.
@Suite("Replayed updates", .timeLimit(.minutes(15))) struct ReplayedUpdateTests {
  private let reopens = Checkpoint()
  private let updates = Shared<[String]>([])

  /// Asks in its own task, after `reopens`, and updates the question in a child task: to each text in turn.
  private var flow: Flow<String, String> {
    Flow("f") {
      Step("a") { (_: String, context: StepContext) in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for text in updates.value { try await update(text, context) }
          }
          defer { group.cancelAll() }
          await reopens.pass()
          return try await context.ask(Form(text: "first"))
        }
      }
    }
  }

  /// In the first run the question may not be open yet; in a replay the update waits by itself.
  private func update(_ text: String, _ context: StepContext) async throws {
    while true {
      do { return try await context.update(Form(text: text)) } catch let error as FlowError
        where error.code == .notActive
      {
        await Task.yield()
      }
    }
  }

  private func question(_ run: PersistedRun, showing text: String) async throws -> Question {
    while true {
      let question = try await run.coordinator.settled().questions.first
      if let question, (question.prompt as? Form)?.text == text { return question }
      await Task.yield()
    }
  }

  @Test("an update that comes before its step has asked again waits for the question")
  func childFirst() async throws {
    let recorder = FlowRecorder(flow)
    updates.change { $0 = ["second"] }
    let first = try await recorder.start(with: "-")
    await reopens.reached()
    reopens.openOnce()
    let shown = try await question(first, showing: "second")
    #expect(shown.revision == 2)
    await first.passivate()

    updates.change { $0 = ["second", "third"] }
    let second = try recorder.resume(try #require(recorder.latest))
    await reopens.reached(2)
    // The child task waits for the question: the only milestone that anybody waits for.
    while await second.coordinator.leftovers.first != "1 milestones" { await Task.yield() }
    #expect(await second.coordinator.questions.map(\.number) == [shown.id.number])
    reopens.openOnce()
    let again = try await question(second, showing: "third")
    #expect(again.id == shown.id && again.revision == 3)
    try await second.coordinator.answer(again.id, with: "done")
    #expect(try await second.result.get() == "done")
  }
}
