import ActorFlow
import Testing

/// A step may leave tasks of its own behind that still use its context. No effect of them outlives the visit.
@Suite("Stray tasks") struct StrayTaskTests {
  @Test(
    "a stray task that asks again and again leaves no question open behind its step",
    .timeLimit(.minutes(Attack.minutes)))
  func strayAsker() async {
    await attack(1...UInt64(Attack.scaled(2_000))) { _ in
      let strays = Strays()
      let flow = Flow("f") {
        Step("stray") { (input: String, context) in
          strays.add {
            await repeatUntilNotActive { _ in
              strays.note(.began)
              _ = try await context.ask(Form(text: "stray"))
            }
          }
          while strays.count(.began) == 0 { await Task.yield() }
          return input
        }
        Step("next") { Asker() }
      }
      let coordinator = FlowCoordinator()
      let run = Task { await outcome { _ = try await coordinator.run(flow, with: "") } }
      var fold = Fold()
      for await event in coordinator.events {
        try fold.take(event)
        for question in event.position.questions where question.step.name == "next" {
          _ = await outcome { try await coordinator.answer(question.id, with: "t") }
        }
      }
      try demandEqual(await run.value, "ok", "the result")
      await strays.end()
    }
  }

  @Test(
    "no effect of a stray task is under way when the next step is called, at whatever moment the task begins it",
    .timeLimit(.minutes(Attack.minutes)))
  func strayEffectBetweenSteps() async {
    await attack(1...UInt64(Attack.scaled(2_000))) { seed in
      let strays = Strays()
      let flow = Flow<String, String>("f") {
        for index in 0..<5 {
          Step("step \(index)") { (input: String, context: StepContext) in
            if strays.count(.began) != strays.count(.ended) { strays.note(.overlapped) }
            strays.add {
              await repeatUntilNotActive { try await context.once("\($0)") { _ in await strays.work() } }
            }
            for _ in 0..<(seed + UInt64(index)) % 7 { await Task.yield() }
            return input
          }
        }
      }
      _ = try await FlowCoordinator().run(flow, with: "")
      try demandEqual(strays.count(.overlapped), 0, "how many steps were called while an effect was under way")
      try demandEqual(strays.count(.began), strays.count(.ended), "how many effects have ended when the run returns")
      await strays.end()
    }
  }

  @Test(
    "no effect that a stray task of a `proceed` begins continues when the run has returned",
    .timeLimit(.minutes(Attack.minutes)))
  func strayEffectOfProceed() async {
    await attack(1...UInt64(Attack.scaled(2_000))) { _ in
      let strays = Strays()
      let flow = Flow("f") {
        Step("stray") { (input: String, context) in
          strays.add { await repeatUntilNotActive { try await context.once("\($0)") { _ in await strays.work() } } }
          while strays.count(.began) == 0 { await Task.yield() }
          return input
        }
      }
      _ = try await FlowCoordinator().run(flow, with: "")
      try demandEqual(strays.count(.began), strays.count(.ended), "how many effects have ended when the run returns")
      await strays.end()
    }
  }

  @Test(
    "no effect that a stray task of a `backUp` begins continues when the run has returned",
    .timeLimit(.minutes(Attack.minutes)))
  func strayEffectOfBackUp() async {
    await attack(1...UInt64(Attack.scaled(2_000))) { _ in
      let strays = Strays()
      let flow = Flow("f") {
        Step("stray") { StrayRollback(strays) }
        Step("boom") { (_: String) -> String in throw Boom() }
      }
      let result = await outcome { _ = try await FlowCoordinator().run(flow, with: "") }
      try demandEqual(strays.count(.began), strays.count(.ended), "how many effects have ended when the run returns")
      try demandEqual(result, "Boom", "the result")
      await strays.end()
    }
  }
}

private actor StrayRollback: FlowStep {
  private let strays: Strays
  init(_ strays: Strays) { self.strays = strays }
  func proceed(_ input: String, context: StepContext) -> String { input }
  func backUp(context: RollbackContext) async {
    let strays = strays
    strays.add { await repeatUntilNotActive { try await context.once("\($0)") { _ in await strays.work() } } }
    while strays.count(.began) == 0 { await Task.yield() }
  }
}

/// Calls `verb` until it is refused because the visit is over.
private func repeatUntilNotActive(_ verb: (Int) async throws -> Void) async {
  var count = 0
  while true {
    count += 1
    do { try await verb(count) } catch let error as FlowError {
      if error.code == .notActive { return }
    } catch {}
  }
}

/// The tasks that steps have left behind.
private final class Strays: Sendable {
  enum Count: Sendable { case began, ended, overlapped }

  private let tasks = Lock<[Task<Void, Never>]>([])
  private let counts = Lock<[Count: Int]>([:])

  func add(_ work: @escaping @Sendable () async -> Void) {
    let task = Task { await work() }
    tasks.withLock { $0.append(task) }
  }

  func work() async {
    note(.began)
    for _ in 0..<3 { await Task.yield() }
    note(.ended)
  }

  func note(_ count: Count) { counts.withLock { $0[count, default: 0] += 1 } }

  func count(_ count: Count) -> Int { counts.withLock { $0[count, default: 0] } }

  func end() async {
    for task in tasks.withLock({ $0 }) { await task.value }
  }
}
