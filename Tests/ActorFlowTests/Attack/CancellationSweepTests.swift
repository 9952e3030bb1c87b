@testable import ActorFlow
import Testing

/// One sequence — ask, effect, answer, back, answer again, finish — in which one task is cancelled: at every event of
/// the sequence, and a few scheduling points after it.
@Suite("Cancellation at every point") struct CancellationSweepTests {
  enum Victim: String, CaseIterable, Sendable { case caller, answerer, waiter, asker, reader }

  @Test(
    "whichever task is cancelled at any point, nothing hangs or is left, and every effect is compensated or final",
    .timeLimit(.minutes(Attack.minutes)), arguments: Victim.allCases)
  func sweep(victim: Victim) async throws {
    let yields = max(1, Attack.scaled(12))
    for event in 1...22 {
      for pause in 0..<yields {
        let story = Story(victim: victim, at: event, pause: pause)
        do { try await story.play() } catch {
          Issue.record("\(error)\n\(victim) cancelled \(pause) yields after event \(event)")
          return
        }
      }
    }
  }
}

private struct Story: Sendable {
  let victim: CancellationSweepTests.Victim
  let event: Int
  let pause: Int
  let coordinator = FlowCoordinator()
  let alive = Living()
  let undone = Shared<[String]>([])
  let done = Shared<[String]>([])
  let asker = Shared<Task<String, any Error>?>(nil)

  init(victim: CancellationSweepTests.Victim, at event: Int, pause: Int) {
    (self.victim, self.event, self.pause) = (victim, event, pause)
  }

  func play() async throws {
    let flow = Flow("f") { for name in ["a", "b"] { Step(name) { alive.watch(StoryStep(self)) } } }
    let caller = Task { await outcome { _ = try await coordinator.run(flow, with: "") } }
    let answerer = Task { await answer() }
    let waiter = Task { await backUpOnce() }
    let reader = Task { for await _ in coordinator.events {} }
    for await event in coordinator.events where event.sequence == self.event {
      for _ in 0..<pause { await Task.yield() }
      switch victim {
      case .caller: caller.cancel()
      case .answerer: answerer.cancel()
      case .waiter: waiter.cancel()
      case .asker: asker.value?.cancel()
      case .reader: reader.cancel()
      }
    }
    let result = await caller.value
    _ = await (answerer.value, waiter.value, reader.value)
    try check(result, await allEvents(of: coordinator), await coordinator.leftovers)
    try await nothingLeft("\(alive.count) steps are still alive") { alive.count == 0 }
  }

  private func check(_ result: String, _ events: [NavigationEvent], _ leftovers: [String]) throws {
    try Fold.whole(events)
    try demand(["ok", "CancellationError"].contains(result), "the run ended with \(result)")
    try demand(result == "ok" || victim == .caller, "the run was cancelled, though only the \(victim) was")
    // Two effects of the remaining places, or none.
    let left = Set(done.value).subtracting(undone.value).count
    try demandEqual(left, result == "ok" ? 2 : 0, "how many effects were not undone")
    try demandEqual(done.value.count, Set(done.value).count, "how often each effect was done")
    try demand(leftovers.isEmpty, "somebody still waits: \(leftovers)")
  }

  /// Answers every question. When cancelled, another task takes over, so that the sequence ends.
  private func answer() async {
    for await event in coordinator.events { await answer(event) }
    guard Task.isCancelled else { return }
    await Task { [self] in for await event in coordinator.events { await answer(event) } }.value
  }

  private func answer(_ event: NavigationEvent) async {
    for question in event.position.questions {
      _ = await outcome { try await coordinator.answer(question.id, with: "t", revision: question.revision) }
    }
  }

  /// Backs up from the second step when it asks for the first time.
  private func backUpOnce() async {
    for await event in coordinator.events {
      guard case .asked(let question) = event.change, question.step.name == "b" else { continue }
      _ = await outcome { try await coordinator.backUp() }
      return
    }
  }
}

/// Performs an effect, then asks until it has an answer: a question that was given up is asked again.
private actor StoryStep: FlowStep {
  private let story: Story
  init(_ story: Story) { self.story = story }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("effect") { [story] id in
      for _ in 0..<2 { await Task.yield() }
      story.done.change { $0.append(id) }
    }
    while true {
      let asking = Task { try await context.ask(Form(text: input)) }
      story.asker.change { $0 = asking }
      do {
        return try await withTaskCancellationHandler {
          try await asking.value
        } onCancel: {
          asking.cancel()
        }
      } catch { try Task.checkCancellation() }
    }
  }

  func backUp(context: RollbackContext) async throws {
    switch await context.record("effect") {
    case .none: break
    case .done, .interrupted:
      // The key of a place that is entered again is a new one, so the newest is meant.
      let done = story.done.value.last { $0.contains("/\(context.step)/") }
      if let done { story.undone.change { $0.append(done) } }
    }
  }
}
