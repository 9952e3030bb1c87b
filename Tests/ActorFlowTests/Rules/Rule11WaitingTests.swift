import ActorFlow
import Testing

@Suite("Rule 11: every wait can be cancelled") struct Rule11WaitingTests {
  /// A flow whose second step returns slowly.
  private func stubborn(_ checkpoint: Checkpoint) async throws -> Launched<String> {
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { _, context in
          do { return try await context.ask(Form(text: "b")) } catch {
            await checkpoint.pass()
            throw error
          }
        }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    return flow
  }

  @Test("a cancelled waiter of backUp gets CancellationError; the request stands")
  func backUp() async throws {
    let checkpoint = Checkpoint()
    let flow = try await stubborn(checkpoint)
    let backing = await flow.filing { try await $0.backUp() }
    backing.cancel()
    #expect(await error(of: backing) is CancellationError)
    #expect(await flow.coordinator.position.status.word == "leaving b")
    checkpoint.open()
    #expect(await event("backedUp b→a 0", of: flow.coordinator) != nil)
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("a cancelled waiter of abandon gets CancellationError; the request stands")
  func abandon() async throws {
    let checkpoint = Checkpoint()
    let flow = try await stubborn(checkpoint)
    let abandoning = await flow.filing { try await $0.abandon(reason: "why") }
    abandoning.cancel()
    #expect(await error(of: abandoning) is CancellationError)
    checkpoint.open()
    #expect(await flow.code == .abandoned)
  }

  @Test("a request made in a task that is already cancelled is filed all the same")
  func alreadyCancelled() async throws {
    let checkpoint = Checkpoint()
    checkpoint.open()
    let flow = try await stubborn(checkpoint)
    let abandoning = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await flow.coordinator.abandon(reason: "why")
    }
    #expect(await error(of: abandoning) is CancellationError)
    #expect(await flow.code == .abandoned)
  }

  @Test("a cancelled waiter of settled gets CancellationError, also before a run")
  func settled() async throws {
    let coordinator = FlowCoordinator()
    let waiting = Task { _ = try await coordinator.settled() }
    waiting.cancel()
    #expect(await error(of: waiting) is CancellationError)
  }

  @Test("a step that waits for its own leave through another task is released by that leave")
  func released() async throws {
    let handed = Handover<Task<Void, any Error>>()
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { input, _ in
          // A task outside the flow carries out its requests; the step waits as a cancellable waiter should.
          let servant = await handed.value()
          try await withTaskCancellationHandler {
            try await servant?.value
          } onCancel: {
            servant?.cancel()
          }
          return input
        }
      }, with: "")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.answer(Form.self, with: "1")
    #expect(await event("moved a→b", of: flow.coordinator) != nil)
    let servant = await flow.filing { try await $0.abandon(reason: "asked by b") }
    handed.give(servant)
    #expect(await flow.code == .abandoned)
  }

  /// The place of a call in a step's code.
  enum Spot: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case proceed, child = "a child task", once = "the work of once", backUp, factory, nested = "a flow the step runs"
    var testDescription: String { rawValue }
  }

  /// The function that is called.
  enum Verb: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case backUp, abandon, settled
    var testDescription: String { rawValue }

    func call(_ coordinator: FlowCoordinator) async throws {
      switch self {
      case .backUp: try await coordinator.backUp()
      case .abandon: try await coordinator.abandon()
      case .settled: _ = try await coordinator.settled()
      }
    }
  }

  @Test("calls from inside the flow's own steps are refused at once", arguments: Spot.allCases, Verb.allCases)
  func refusedInside(spot: Spot, verb: Verb) async throws {
    let (coordinator, trace) = (FlowCoordinator(), Trace())
    @Sendable func call() async { trace.add("\(await code { try await verb.call(coordinator) }?.description ?? "-")") }
    let inner = Flow<String, String> {
      Step.scripted("inner") { input, _ in
        await call()
        return input
      }
    }
    let flow = Flow<String, String> {
      Step("a") { () async -> ScriptedStep in
        if spot == .factory { await call() }
        return ScriptedStep(backUp: { _ in if spot == .backUp { await call() } }) { input, context in
          switch spot {
          case .proceed: await call()
          case .child: await withTaskGroup(of: Void.self) { group in group.addTask { await call() } }
          case .once: try await context.once("k") { _ in await call() }
          case .nested: _ = try await FlowCoordinator().run(inner, with: "")
          case .backUp: throw Refused()
          case .factory: break
          }
          return input
        }
      }
    }
    _ = try? await coordinator.run(flow, with: "")
    #expect(trace.all == ["insideFlow"])
  }

  @Test("the refusal names the remedy")
  func remedy() async throws {
    let coordinator = FlowCoordinator()
    let flow = Flow<String, String> {
      Step.scripted("a") { _, _ in
        do { try await coordinator.backUp() } catch { return "\(error)" }
        return ""
      }
    }
    #expect(try await coordinator.run(flow, with: "").contains("try await context.backUp()"))
  }

  @Test("a step may answer, read the position, and leave another flow")
  func allowedInside() async throws {
    let other = launch(Flow { Step("x") { Asker() } }, with: "")
    _ = try await other.coordinator.settled()
    let coordinator = FlowCoordinator()
    let flow = Flow<String, String> {
      Step.scripted("a") { _, _ in
        #expect(await coordinator.position.step == "a")
        try await other.coordinator.abandon(reason: "by a")
        return "done"
      }
    }
    #expect(try await coordinator.run(flow, with: "") == "done")
    #expect(await other.code == .abandoned)
  }

  @Test("skip is inside the flow as well", arguments: Verb.allCases)
  func insideSkip(verb: Verb) async throws {
    let (coordinator, trace) = (FlowCoordinator(), Trace())
    let flow = Flow<String, String> {
      Step("a") {
        ClosureSkipper { trace.add("\(await code { try await verb.call(coordinator) }?.description ?? "-")") }
      }
    }
    _ = try await coordinator.run(flow, with: "")
    #expect(trace.all == ["insideFlow"])
  }

  private actor ClosureSkipper: SkippableStep {
    let think: @Sendable () async -> Void
    init(_ think: @escaping @Sendable () async -> Void) { self.think = think }
    func skip(_ input: String, context: EntryContext) async -> Skip<String> {
      await think()
      return .with(input)
    }
    func proceed(_ input: String, context: StepContext) -> String { input }
    func backUp(context: RollbackContext) {}
  }
}
