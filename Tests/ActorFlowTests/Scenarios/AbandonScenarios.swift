import ActorFlow
import Testing

@Suite("Scenarios: abandon") struct AbandonScenarios {
  @Test("SC-084 after a step abandons its flow, everything is as before its launch, and only then the caller continues")
  func fromInside() async throws {
    let trace = Trace()
    let counter = LiveCounter()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") {
        let token = counter.token()
        return Scripted { (input: String, context) -> String in
          withExtendedLifetime(token) {}
          guard try await context.ask(Form(text: input)) != "stop" else { try await context.abandon("the user stops") }
          return input
        } backUp: { context in
          trace.add("b:backUp \(context.reason.word)")
        }
      }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("stop", at: "b")
    }
    #expect(code(of: result) == .abandoned)
    if case .failure(let error as FlowError) = result { #expect(error.message == "the user stops") }
    #expect(trace.all == ["a:proceed(s)", "b:backUp abandoned", "a:backUp"])
    #expect(counter.now == 0)
    let position = await coordinator.position
    #expect(position.stack.isEmpty)
    #expect(position.questions.isEmpty)
    #expect(position.status == .ended(.abandoned(reason: "the user stops")))
    #expect(
      await moves(of: coordinator) == [
        "launched", "moved -→a", "moved a→b", "leaving b abandoned", "abandoned the user stops", "rolledBack 0",
      ])
  }

  @Test("SC-089 every watcher learns that the flow was abandoned, and it no longer runs when they do")
  func twoWatchers() async throws {
    let coordinator = FlowCoordinator()
    let flow = Flow { Step("a") { Asker() } }
    async let first = allEvents(of: coordinator)
    async let second = allEvents(of: coordinator)
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      _ = try await coordinator.settled()
      try await coordinator.abandon(reason: "enough")
    }
    for events in [await first, await second] {
      let abandoned = events.filter { $0.change.line == "abandoned enough" }
      #expect(abandoned.map(\.position.status) == [.rollingBack])
      #expect(abandoned.allSatisfy { !$0.position.canBackUp && $0.position.questions.isEmpty })
      #expect(events.last?.position.status == .ended(.abandoned(reason: "enough")))
    }
  }

  @Test("SC-090 a stream of events from outside can abandon the flow")
  func byExternalEvents() async throws {
    let (logouts, logout) = AsyncStream<String>.makeStream()
    let coordinator = FlowCoordinator()
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      async let session: Void = {
        for await reason in logouts { try await coordinator.abandon(reason: reason) }
      }()
      try await coordinator.answerNext("1")
      #expect(try await coordinator.focus() == "b")
      logout.yield("logged out")
      logout.finish()
      try await session
    }
    #expect(code(of: result) == .abandoned)
    #expect(await coordinator.position.status == .ended(.abandoned(reason: "logged out")))
  }

  @Test("SC-092 after an abandon, the stored context of a step can do nothing to the flow")
  func retainedStep() async throws {
    let contexts = Collected<StepContext>()
    let step = ContextCollectingStep(contexts)
    let coordinator = FlowCoordinator()
    let flow = Flow { Step("a") { step } }
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      _ = try await coordinator.settled()
      try await coordinator.abandon()
    }
    let before = await allEvents(of: coordinator).count
    let context = try #require(contexts.last)
    #expect(await codesOfEveryVerb(of: context) == Array(repeating: .notActive, count: 5))
    #expect(await code { _ = try await step.proceed("again", context: context) } == .notActive)
    #expect(await allEvents(of: coordinator).count == before)
    #expect(await coordinator.position.stack.isEmpty)
  }

  @Test("SC-093 an abandoned flow publishes that exactly once, however often it is abandoned")
  func toldOnce() async throws {
    let stubborn = Checkpoint()
    let flow = Flow {
      Step("a") {
        Scripted { (input: String, context: StepContext) -> String in
          do { return try await context.ask(Form(text: input)) } catch {
            await stubborn.pass()
            throw error
          }
        }
      }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      _ = try await coordinator.settled()
      async let first: Void = coordinator.abandon(reason: "first")
      _ = try await firstEvent(of: coordinator) { $0.change.line == "leaving a abandoned" }
      // Joins the wait; the first reason stays. If it comes too late, the flow has ended.
      async let second = code { try await coordinator.abandon(reason: "second") }
      stubborn.open()
      try await first
      #expect([nil, .flowEnded].contains(await second))
    }
    #expect(code(of: result) == .abandoned)
    #expect(
      await moves(of: coordinator) == [
        "launched", "moved -→a", "leaving a abandoned", "abandoned first", "rolledBack 0",
      ])
  }
}
