import ActorFlow
import Testing

@Suite("Calls before a run, after it, and during a second one") struct VerbsOutsideRunTests {
  enum Verb: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case backUp, backUpTo = "backUp(to:)", abandon, abandonKeeping = "abandon(rollingBack: false)"
    case answer = "answer by id", answerType = "answer by type"
    var testDescription: String { rawValue }

    func call(_ coordinator: FlowCoordinator) async throws {
      switch self {
      case .backUp: try await coordinator.backUp()
      case .backUpTo: try await coordinator.backUp(to: "a")
      case .abandon: try await coordinator.abandon()
      case .abandonKeeping: try await coordinator.abandon(reason: "", rollingBack: false)
      case .answer: try await coordinator.answer(Question.ID(flow: coordinator.id, run: 1, number: 1), with: "")
      case .answerType: try await coordinator.answer(Form.self, with: "")
      }
    }
  }

  @Test("before a run every call but settled throws notRunning", arguments: Verb.allCases)
  func before(verb: Verb) async {
    let coordinator = FlowCoordinator()
    #expect(await code { try await verb.call(coordinator) } == .notRunning)
    #expect(await coordinator.position.status == .idle)
  }

  @Test("after the end every call but settled throws flowEnded", arguments: Verb.allCases, LeavingBy.allCases)
  func after(verb: Verb, by: LeavingBy) async throws {
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          let answer = try await context.ask(Form(text: "a"))
          if answer == "fail" { throw Refused() }
          return answer
        }
      }, with: "")
    _ = try await flow.coordinator.settled()
    switch by {
    case .back: try await flow.answer("finish")
    case .abandon: try await flow.coordinator.abandon()
    case .failure: try await flow.answer("fail")
    case .cancelledCaller: flow.run.cancel()
    }
    _ = await flow.result
    #expect(await code { try await verb.call(flow.coordinator) } == .flowEnded)
    #expect(try await flow.coordinator.settled().status != .running)
  }

  @Test("settled before a run waits for one")
  func settledWaits() async throws {
    let coordinator = FlowCoordinator()
    let waiting = Task { try await coordinator.settled() }
    let flow = launch(Flow { Step("a") { Asker() } }, with: "", on: coordinator)
    let position = try await waiting.value
    #expect(position.questions.map(\.step) == ["a"])
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("settled returns while a question is open, and when the run has ended without one")
  func settledReturns() async throws {
    let coordinator = FlowCoordinator()
    _ = try await coordinator.run(Flow { Step("a") { Automatic() } }, with: "")
    #expect(try await coordinator.settled().status == .ended(.finished))
  }

  @Test("settled does not return while a step computes, or while the flow rolls back")
  func settledWaitsForSteps() async throws {
    let (working, compensating) = (Checkpoint(), Checkpoint())
    let flow = launch(
      Flow {
        Step.scripted("a", backUp: { _ in await compensating.pass() }) { _, _ in
          await working.pass()
          throw Refused()
        }
      }, with: "")
    let waiting = Task { try await flow.coordinator.settled() }
    await working.reached()
    working.open()
    await compensating.reached()
    compensating.open()
    #expect(try await waiting.value.status == .ended(.failed))
    _ = await flow.result
  }

  @Test("a second run during the first throws alreadyRunning, and changes nothing")
  func alreadyRunning() async throws {
    let flow = launch(Flow { Step("a") { Asker() } }, with: "")
    _ = try await flow.coordinator.settled()
    let trace = Trace()
    let other = Flow { Step("x") { Automatic(trace) } }
    #expect(await code { try await flow.coordinator.run(other, with: "") } == .alreadyRunning)
    #expect(trace.all.isEmpty)
    try await flow.answer("1")
    #expect(try await flow.result.get() == "1")
  }

  @Test("a step that runs its own coordinator gets alreadyRunning")
  func runInside() async throws {
    let coordinator = FlowCoordinator()
    let inner = Flow { Step("x") { Automatic() } }
    let flow = Flow<String, String> {
      Step.scripted("a") { _, _ in
        "\(await code { try await coordinator.run(inner, with: "") }?.description ?? "-")"
      }
    }
    #expect(try await coordinator.run(flow, with: "") == "alreadyRunning")
  }

  @Test("a coordinator runs again after each kind of ending", arguments: LeavingBy.allCases)
  func again(by: LeavingBy) async throws {
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          let answer = try await context.ask(Form(text: "a"))
          if answer == "fail" { throw Refused() }
          return answer
        }
      }, with: "")
    _ = try await flow.coordinator.settled()
    switch by {
    case .back: try await flow.answer("finish")
    case .abandon: try await flow.coordinator.abandon()
    case .failure: try await flow.answer("fail")
    case .cancelledCaller: flow.run.cancel()
    }
    _ = await flow.result
    #expect(try await flow.coordinator.run(Flow { Step("b") { Automatic() } }, with: "x") == "xb")
    #expect(await flow.lines == ["launched", "moved -→b", "finished"])
  }

  @Test("one flow value runs on many coordinators at once")
  func shared() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Automatic() }
    }
    let runs = (1...20).map { number in launch(flow, with: "\(number):") }
    for (number, run) in runs.enumerated() { try await run.answer("\(number)") }
    for (number, run) in runs.enumerated() {
      #expect(try await run.result.get() == "\(number + 1):\(number)b")
    }
  }
}
