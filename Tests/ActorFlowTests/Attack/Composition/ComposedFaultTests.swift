import ActorFlowTesting
import Testing

@testable import ActorFlow

@Suite("Faults found by the attack on composed flows") struct ComposedFaultTests {
  private let trace = Trace()
  private let clock = ManualClock()

  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }

  /// Fails the first time it is called.
  private func failing(_ name: String) -> Step<String, String> {
    let count = Count()
    return .scripted(name) { input, _ in
      if count.next() == 1 { throw Failure(name) }
      return input + name
    }
  }

  private func launched(_ flow: Flow<String, String>) -> Launched<String> {
    launch(flow, with: "-", on: FlowCoordinator(id: "test", clock: clock))
  }

  private func nextTimer(of run: Launched<String>) async -> Duration? { await run.coordinator.state.machine.nextTimer }

  @Test("a hub that is retried can be left backwards, although the attempt before had left a one-way step")
  func backFromARetriedHub() async throws {
    let rounds = Count()
    let run = launched(
      Flow("f") {
        asker("a")
        Flow("part") {
          Hub(
            Step("menu") { (input: String, context: StepContext) in
              if rounds.next() == 2 { throw Failure("menu") }
              return try await context.ask(Form(text: input))
            }
          ) {
            Case("side", { (pick: String) in pick == "side" ? pick : nil }) {
              Step("charge") { Automatic(trace) }.onBackUp(.oneWay)
            }
          } done: { (pick: String) -> String? in
            pick == "done" ? pick : nil
          }
        }
        .retry(2)
      })
    try await run.answer("1")
    try await run.answer("side")
    #expect(try await run.coordinator.settled().canBackUp)
    try await run.coordinator.backUp()
    #expect(try await run.coordinator.settled().step?.name == "a")
    try await run.answer("1")
    try await run.answer("done")
    #expect(try await run.result.get() == "done")
  }

  @Test("a back may return to a race that has compensated its losers")
  func backToARace() async throws {
    let run = launched(
      Flow("f") {
        Race {
          asker("b")
          asker("c")
        }
        asker("d")
      })
    let position = try await run.coordinator.settled()
    let question = try #require(position.questions.first { $0.step.name == "b" })
    try await run.coordinator.answer(question.id, with: "1")
    #expect(try await run.coordinator.settled().canBackUp)
    try await run.coordinator.backUp()
    #expect(try await run.coordinator.settled().questions.count == 2)
    try await run.coordinator.abandon()
  }

  @Test("a back may return to a fork behind which a step was retried")
  func backOverARetry() async throws {
    let run = launched(
      Flow("f") {
        Parallel {
          asker("b")
          Step("c") { Automatic(trace) }
        } join: {
          $0 + $1
        }
        Flow {
          Step("d") { Automatic(trace) }
          failing("e")
          asker("g")
        }.retry(2)
      })
    try await run.answer("1")
    #expect(try await run.coordinator.settled().canBackUp)
    try await run.coordinator.abandon()
  }

  @Test("the timeout of an attempt does not run during the pause before the attempt")
  func pauseBeforeATimeout() async throws {
    let count = Count()
    let step = Step.scripted("b") { input, context in
      if count.next() == 1 { throw Failure("b") }
      return input + (try await context.ask(Form(text: "b")))
    }
    let run = launched(Flow("f") { step.timeout(.seconds(10)).retry(2, backoff: .constant(.seconds(60))) })
    _ = try await run.coordinator.settled()
    #expect(await nextTimer(of: run) == .seconds(60))
    clock.advance(by: .seconds(60))
    #expect(await event("asked b", of: run.coordinator) != nil)
    try await run.coordinator.abandon()
  }

  @Test(
    "a timeout ends with its scope, also when a recovery or a race that compensates its losers ends the scope"
  )
  func endOfATimeout() async throws {
    let recovered = launched(
      Flow("f") {
        failing("b").recover { _ in "r" }.timeout(.seconds(10))
        asker("c")
      })
    _ = try await recovered.coordinator.settled()
    #expect(await nextTimer(of: recovered) == nil)
    try await recovered.coordinator.abandon()
    let raced = launched(
      Flow("f") {
        Race {
          asker("b")
          asker("c")
        }.timeout(.seconds(10))
        asker("d")
      })
    let position = try await raced.coordinator.settled()
    #expect(await nextTimer(of: raced) == .seconds(10))
    try await raced.coordinator.answer(position.questions[0].id, with: "1")
    _ = try await raced.coordinator.settled()
    #expect(await nextTimer(of: raced) == nil)
    try await raced.coordinator.abandon()
  }

  @Test("a pause that is left is over: it neither counts as settled nor ends a later one")
  func leftPause() async throws {
    let run = launched(
      Flow("f") {
        asker("a")
        asker("b")
        Flow {
          failing("c")
          asker("d")
        }.retry(2, backoff: .constant(.seconds(60)))
      })
    try await run.answer("1")
    try await run.answer("2")
    _ = try await run.coordinator.settled()
    #expect(await nextTimer(of: run) == .seconds(60))
    try await run.coordinator.backUp()
    let position = try await run.coordinator.settled()
    #expect(position.questions.map(\.step.name) == ["a"])
    #expect(await nextTimer(of: run) == nil)
    try await run.coordinator.abandon()
  }

  @Test("a fork whose goal is being evaluated is not settled")
  func judging() async throws {
    let coordinator = FlowCoordinator(id: "test", clock: clock)
    let seen = Trace()
    let flow = Flow("f") {
      ForEach({ (_: String) in ["x", "y"] }) {
        asker("b")
      } until: { results, open in
        seen.add("\(coordinator.blocking { $0.isSettled } ?? true)")
        return open == 0 ? .done(results.joined()) : .goOn
      }
    }
    let run = launch(flow, with: "-", on: coordinator)
    try await coordinator.answer(try await coordinator.settled().questions[0].id, with: "1")
    _ = try await coordinator.settled()
    #expect(seen.all == ["false"])
    try await coordinator.abandon()
    #expect(await run.code == .abandoned)
  }

  @Test("an abandon during a race's compensation continues newest first, losers and winner alike")
  func overtakenRace() async throws {
    let goesOn = Flag()
    let flow = Flow("f") {
      Race {
        Flow("b") {
          asker("b1")
          Step("b2") { Automatic(trace) }
        }
        Flow("c") {
          asker("c1")
          Step.scripted("c2") { [trace] _ in
            trace.add("c2:backUp")
            while !goesOn.isRaised { await Task.yield() }
          } proceed: { input, context in
            input + (try await context.ask(Form(text: input)))
          }
        }
      }
    }
    let run = launched(flow)
    for name in ["c1", "b1"] {
      let question = try #require(try await run.coordinator.settled().questions.first { $0.step.name == name })
      try await run.coordinator.answer(question.id, with: "1")
    }
    while trace.all.last != "c2:backUp" { await Task.yield() }
    async let abandoned: Void = run.coordinator.abandon()
    _ = await event("leaving race abandoned", of: run.coordinator)
    goesOn.raise()
    try await abandoned
    let undone = trace.all.filter { $0.hasSuffix("backUp") }
    let order = trace.all.filter { $0.contains("1:proceed") }.map { String($0.prefix(2)) }
    #expect(undone == ["c2:backUp", "b2:backUp"] + order.reversed().map { "\($0):backUp" })
  }

  @Test("a one-way step left forwards in a branch of a branch keeps the outer fork from being left backwards")
  func oneWayFurtherIn() async throws {
    let flow = Flow("f") {
      asker("a")
      Parallel {
        asker("b")
        Parallel {
          Flow("c") {
            asker("c1").onBackUp(.oneWay)
            asker("c2")
          }
          asker("d")
        } join: { (first: String, second: String) in
          first + second
        }
      } join: { (first: String, second: String) in
        first + second
      }
    }
    let run = launched(flow)
    try await run.answer("1")
    var questions = try await run.coordinator.settled().questions
    let oneWay = try #require(questions.first { $0.step.name == "c1" })
    try await run.coordinator.answer(oneWay.id, with: "1")
    let position = try await run.coordinator.settled()
    #expect(!position.canBackUp)
    questions = position.questions
    for name in ["b", "c2", "d"] {
      let question = try #require(questions.first { $0.step.name == name })
      #expect(await code { try await run.coordinator.backUp(from: question.id) } == .cannotBackUp, "\(name)")
    }
    try await run.coordinator.abandon()
  }
}
