import ActorFlow
import Testing

/// Values between steps: passed through, transformed, intercepted.
@Suite("Scenarios: values between steps") struct ValueScenarios {
  private struct Draft: Equatable { var text: String }
  private struct Signed: Equatable { var text: String }
  private struct Filed: Equatable { var text: String }

  @Test("FL-06 a step has the value passed forward before its first question can be seen")
  func valueBeforePresentation() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1")
      try await coordinator.answerNext("2")
    }
    let shown = await allEvents(of: coordinator).compactMap { event in
      if case .asked(let question) = event.change { (question.prompt as? Form)?.text } else { nil }
    }
    #expect(shown == ["s", "s1"])
  }

  @Test("SC-079 a step without input may stand between two, and the second gets exactly the output of the first")
  func passThrough() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("p") { (_: Void, context: StepContext) in _ = try await context.ask(Form(text: "seen?")) }.passingThrough()
      Step("c") { Asker(trace) }
    }
    let result = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("yes", at: "p")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "p")
      try await coordinator.answerNext("yes", at: "p")
      try await coordinator.answerNext("2", at: "c")
    }
    #expect(try result.get() == "s12")
    #expect(trace.all.filter { $0.hasPrefix("c:proceed") } == ["c:proceed(s1)", "c:proceed(s1)"])
  }

  @Test("SC-082 a step without input and output finishes a flow with nothing")
  func passNothing() async throws {
    let coordinator = FlowCoordinator()
    let flow = Flow { Step("p") { (_: Void) in }.passingThrough(Void.self) }
    let nothing: Void = try await coordinator.run(flow)
    #expect(nothing == ())
    #expect(await moves(of: coordinator) == ["launched", "moved -→p", "finished"])
  }

  @Test("SF-20 where the definition transforms a value, the next step gets the transformed one")
  func transform() async throws {
    let flow = Flow {
      Step("write") { (text: String) in Draft(text: text) }.map { Signed(text: $0.text + " (signed)") }
      Step("file") { (signed: Signed) in signed.text }
    }
    #expect(try await FlowCoordinator().run(flow, with: "letter") == "letter (signed)")
  }

  @Test("SF-21 of two transforms that would fit one after the other, only those in the definition are applied")
  func transformsAreNotChained() async throws {
    let sign: @Sendable (Draft) -> Signed = { Signed(text: $0.text + "+signed") }
    let file: @Sendable (Signed) -> Filed = { Filed(text: $0.text + "+filed") }
    let write = Step("write") { (text: String) in Draft(text: text) }
    let once = Flow { write.map(sign) }
    let chained = Flow { write.map(sign).map(file) }
    #expect(try await FlowCoordinator().run(once, with: "x") == Signed(text: "x+signed"))
    #expect(try await FlowCoordinator().run(chained, with: "x") == Filed(text: "x+signed+filed"))
  }

  @Test("SF-24 a transform belongs to one definition; another flow of the same steps is not affected")
  func transformIsLocal() async throws {
    let steps = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    let loud = steps.map { $0.uppercased() }
    let (plain, changed) = (FlowCoordinator(), FlowCoordinator())
    let first = try await running(loud, with: "s", on: changed) { changed in
      let second = try await running(steps, with: "s", on: plain) { plain in
        for coordinator in [changed, plain, changed, plain] { try await coordinator.answerNext("x") }
      }
      #expect(try second.get() == "sxx")
    }
    #expect(try first.get() == "SXX")
  }

  @Test("SF-29 a step can be run alone: its output is returned, and nothing moves")
  func stepAlone() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Automatic(trace) }
      Step("b") { Automatic(trace) }
    }
    let step = Automatic()
    #expect(try await step.proceed("s", context: .standalone) == "sstandalone")
    #expect(trace.all.isEmpty)
    #expect(flow.steps == ["a", "b"])
  }

  @Test("SF-30 the output of a step can be rewritten outside it; the next step gets the rewritten value")
  func intercepted() async throws {
    let trace = Trace()
    func flow(intercepting: @escaping @Sendable (String) -> String) -> Flow<String, String> {
      Flow {
        Step("a") { Automatic(trace) }.map(intercepting)
        Step("b") { Automatic(trace) }
      }
    }
    #expect(try await FlowCoordinator().run(flow { _ in "other" }, with: "s") == "otherb")
    #expect(trace.all == ["a:proceed(s)", "b:proceed(other)"])
  }

  @Test("FL-25 a step used outside any flow runs and returns its output; calls that need a flow throw")
  func outsideAnyFlow() async throws {
    let context = StepContext.standalone
    let effects = Collected<String>()
    let step = Scripted { (input: String, context: StepContext) in
      try await context.once("effect") { key in effects.append(key) }
      return input + "!"
    }
    #expect(try await step.proceed("s", context: context) == "s!")
    #expect(effects.all.count == 1)
    guard case .none = await context.record("effect") else { throw Refused() }
    #expect(await code { try await context.backUp() } == .notInFlow)
    #expect(await code { try await context.abandon("enough") } == .notInFlow)
    #expect(await code { _ = try await context.ask(Form(text: "?")) } == .notInFlow)
    #expect(await code { try await context.update(Form(text: "?")) } == .notInFlow)
  }
}
