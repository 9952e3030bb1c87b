import ActorFlow
import Testing

/// A flow that is being left: `a` has asked; `b` has asked and is left or has failed, and waits at a checkpoint before
/// its `proceed` returns, or in its `backUp`.
private struct Left {
  let flow: Launched<String>
  let proceed = Checkpoint()
  let backUp = Checkpoint()
  let question: Question
  let leave: Task<Void, any Error>?

  init(
    _ by: LeavingBy, _ stage: LeavingStage,
    late: @escaping @Sendable (StepContext) async -> Void = { _ in }
  ) async throws {
    let (proceed, backUp) = (proceed, backUp)
    flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b", backUp: { _ in await backUp.pass() }) { _, context in
          let answer: String
          do { answer = try await context.ask(Form(text: "b")) } catch {
            await proceed.pass()
            await late(context)
            throw error
          }
          if answer == "fail" { throw Refused() }
          return answer
        }
      }, with: "")
    try await flow.answer("1")
    question = try #require(try await flow.coordinator.settled().questions.first)
    switch by {
    case .back: leave = await flow.filing { try await $0.backUp() }
    case .abandon: leave = await flow.filing { try await $0.abandon(reason: "first") }
    case .failure:
      leave = nil
      try await flow.coordinator.answer(question.id, with: "fail")
    case .cancelledCaller:
      leave = nil
      flow.run.cancel()
    }
    if by == .failure || stage == .backUpRuns {
      proceed.open()
      await backUp.reached()
    } else {
      await proceed.reached()
    }
  }

  /// Releases the flow; a back lands and is then abandoned.
  func goOn(_ by: LeavingBy) async throws {
    proceed.open()
    backUp.open()
    guard by == .back else { return }
    _ = try await flow.coordinator.settled()
    flow.run.cancel()
  }
}

@Suite("While leaving, on the coordinator") struct WhileLeavingTests {
  @Test("backUp is refused, and nothing has changed", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func backUp(by: LeavingBy, stage: LeavingStage) async throws {
    let left = try await Left(by, stage)
    let before = await left.flow.coordinator.position
    let refusal = await code { try await left.flow.coordinator.backUp() }
    #expect(refusal == (by == .back ? .moving : .ending))
    let named = await code { try await left.flow.coordinator.backUp(to: "a") }
    #expect(named == (by == .back ? .moving : .ending))
    #expect(await left.flow.coordinator.position.status == before.status)
    try await left.goOn(by)
    let lines = await left.flow.lines
    #expect(lines.filter { $0.hasPrefix("leaving b") }.count == (by == .failure ? 0 : 1))
    #expect(lines.contains("backedUp b→a 0") == (by == .back))
  }

  @Test("abandon replaces a back's target, else joins the wait", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func abandon(by: LeavingBy, stage: LeavingStage) async throws {
    let left = try await Left(by, stage)
    let second = await left.flow.filing { try await $0.abandon(reason: "second") }
    left.proceed.open()
    left.backUp.open()
    #expect(await error(of: second) == nil)
    #expect(await left.flow.coordinator.position.status == .ended(by.ending ?? .abandoned(reason: "second")))
    let lines = await left.flow.lines
    if by == .back {
      #expect(lines.suffix(4) == ["leaving b back", "leaving b abandoned", "abandoned second", "rolledBack 0"])
      #expect((await left.error(of: left.leave) as? FlowError)?.code == .ending)
      #expect((await left.flow.error as? FlowError)?.message == "second")
    } else {
      #expect(!lines.contains("abandoned second"))
      #expect(lines.last == "rolledBack 0")
      if let leave = left.leave { #expect(await error(of: leave) == nil) }
    }
  }

  @Test(
    "a cancelled caller replaces a back's target, else joins", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func cancel(by: LeavingBy, stage: LeavingStage) async throws {
    let left = try await Left(by, stage)
    left.flow.run.cancel()
    left.proceed.open()
    left.backUp.open()
    let thrown = try #require(await left.flow.error)
    #expect(await left.flow.coordinator.position.status == .ended(by.ending ?? .cancelled))
    switch by {
    case .back, .cancelledCaller: #expect(thrown is CancellationError)
    case .abandon: #expect((thrown as? FlowError)?.code == .abandoned)
    case .failure: #expect(thrown is Refused)
    }
    let lines = await left.flow.lines
    #expect(lines.filter { $0 == "leaving b cancelled" }.count == (by == .back || by == .cancelledCaller ? 1 : 0))
    #expect(lines.last == "rolledBack 0")
    if by == .back { #expect((await left.error(of: left.leave) as? FlowError)?.code == .ending) }
  }

  @Test("answer is refused", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func answer(by: LeavingBy, stage: LeavingStage) async throws {
    let left = try await Left(by, stage)
    #expect(await code { try await left.flow.coordinator.answer(left.question.id, with: "x") } == .questionClosed)
    #expect(await code { try await left.flow.coordinator.answer(Form.self, with: "x") } == .noSuchQuestion)
    try await left.goOn(by)
    _ = await left.flow.result
  }

  /// The calls of a step that is being left already.
  enum Attempt: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case ask, update, once, backUp = "context.backUp", abandon = "context.abandon"
    var testDescription: String { rawValue }

    func make(_ context: StepContext) async throws {
      switch self {
      case .ask: _ = try await context.ask(Form(text: "late"))
      case .update: try await context.update(Form(text: "late"))
      case .once: try await context.once("late") { _ in Issue.record("its work has run") }
      case .backUp: try await context.backUp()
      case .abandon: try await context.abandon("late")
      }
    }
  }

  @Test(
    "ask, update and a new once by the step being left are refused",
    arguments: [LeavingBy.back, .abandon, .cancelledCaller], Attempt.allCases)
  func fromTheStep(by: LeavingBy, attempt: Attempt) async throws {
    let refusal = Trace()
    let left = try await Left(by, .stepRuns) { context in
      do { try await attempt.make(context) } catch {
        refusal.add(error is CancellationError ? "cancelled" : "\(error)")
      }
    }
    try await left.goOn(by)
    _ = await left.flow.result
    #expect(refusal.all == ["cancelled"])
  }

  @Test("ask, update and a new once by a leftover task of a failed step are refused", arguments: Attempt.allCases)
  func fromTheFailedStep(attempt: Attempt) async throws {
    let (handed, compensating) = (Handover<StepContext>(), Checkpoint())
    let flow = launch(
      Flow {
        Step.scripted("a", backUp: { _ in await compensating.pass() }) { _, context in
          handed.give(context)
          throw Refused()
        }
      }, with: "")
    await compensating.reached()
    let context = try #require(await handed.value())
    #expect(await code { try await attempt.make(context) } == .notActive)
    compensating.open()
    #expect(await flow.error is Refused)
  }

  @Test(
    "a leave closes the question in the turn that accepts it", arguments: [LeavingBy.back, .abandon, .cancelledCaller])
  func closes(by: LeavingBy) async throws {
    let left = try await Left(by, .stepRuns)
    let event = await event("leaving b \(by.reason.word)", of: left.flow.coordinator)
    #expect(event?.position.questions.isEmpty == true)
    try await left.goOn(by)
    #expect(!(await left.flow.lines.contains("withdrawn")))
  }
}

extension Left {
  func error(of task: Task<Void, any Error>?) async -> (any Error)? {
    guard case .failure(let error)? = await task?.result else { return nil }
    return error
  }
}
