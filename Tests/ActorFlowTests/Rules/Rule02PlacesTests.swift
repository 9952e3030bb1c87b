import ActorFlow
import Testing

@Suite("Rule 2: every place is entered or compensated") struct Rule02PlacesTests {
  @Test("back from c to a over b compensates c, b, a, then a proceeds with its original input")
  func order() async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step("b") { Automatic(trace) }
        Step("c") { Asker(trace) }
      }, with: "in")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    #expect(
      trace.all == [
        "a:proceed(in)", "b:proceed(in1)", "c:proceed(in1b)", "c:backUp", "b:backUp", "a:backUp", "a:proceed(in)",
      ])
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("the target keeps its instance; going forward again creates new ones")
  func instances() async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step.numbered("a", trace)
        Step.numbered("b", trace)
        Step.numbered("c", trace)
      }, with: "")
    try await flow.answer("1")
    try await flow.answer("2")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    try await flow.answer("3")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp(to: "a")
    try await flow.answer("4")
    try await flow.answer("5")
    try await flow.answer("6")
    #expect(try await flow.result.get() == "456")
    #expect(
      trace.all == [
        "a1:proceed()", "b1:proceed(1)", "c1:proceed(12)", "c1:backUp", "b1:backUp",
        "b1:proceed(1)", "c2:proceed(13)", "c2:backUp", "b1:backUp", "a1:backUp",
        "a1:proceed()", "b2:proceed(4)", "c3:proceed(45)",
      ])
  }

  @Test("a step whose proceed threw is compensated as well")
  func thrower() async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step.scripted("b", backUp: { _ in trace.add("b:backUp") }) { _, _ in throw Refused() }
      }, with: "")
    try await flow.answer("1")
    #expect(await flow.error is Refused)
    #expect(trace.all == ["a:proceed()", "b:backUp", "a:backUp"])
  }

  @Test("a factory that threw created no place; the step before had the focus")
  func factoryThrows() async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step("b") { () throws -> Automatic in throw Refused() }
      }, with: "")
    try await flow.answer("1")
    #expect(await flow.error is Refused)
    #expect(trace.all == ["a:proceed()", "a:backUp"])
    let events = await flow.events
    #expect(events.suffix(2).map(\.change.line) == ["failed b", "rolledBack 0"])
    #expect(events.dropLast().last?.position.step == "a")
  }

  @Test("a first factory that threw leaves nothing to compensate")
  func firstFactoryThrows() async throws {
    let flow = launch(Flow { Step("a") { () throws -> Automatic in throw Refused() } }, with: "")
    #expect(await flow.error is Refused)
    #expect(await flow.lines == ["launched", "failed a", "rolledBack 0"])
  }

  private actor BadSkipper: SkippableStep {
    let trace: Trace
    init(_ trace: Trace) { self.trace = trace }
    func skip(_ input: String, context: EntryContext) throws -> Skip<String> { throw Refused() }
    func proceed(_ input: String, context: StepContext) -> String { input }
    func backUp(context: RollbackContext) { trace.add("b:backUp") }
  }

  @Test("a skip that threw created no place")
  func skipThrows() async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step("b") { BadSkipper(trace) }
      }, with: "")
    try await flow.answer("1")
    #expect(await flow.error is Refused)
    #expect(trace.all == ["a:proceed()", "a:backUp"])
    #expect(await flow.lines.suffix(2) == ["failed b", "rolledBack 0"])
  }

  @Test("a running backUp is not called again when its back becomes an ending")
  func endingDuringBackUp() async throws {
    let (trace, compensating) = (Trace(), Checkpoint())
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step.scripted(
          "b",
          backUp: { _ in
            trace.add("b:backUp")
            await compensating.pass()
          }
        ) { _, context in try await context.ask(Form(text: "b")) }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    let backing = await flow.filing { try await $0.backUp() }
    await compensating.reached()
    flow.run.cancel()
    compensating.open()
    #expect((await error(of: backing) as? FlowError)?.code == .ending)
    #expect(await flow.error is CancellationError)
    #expect(trace.all == ["a:proceed()", "b:backUp", "a:backUp"])
  }

  @Test("a step may be entered, compensated and entered again any number of times")
  func many() async throws {
    let trace = Trace()
    let flow = launch(
      Flow {
        Step("a") { Asker(trace) }
        Step("b") { Asker(trace) }
      }, with: "")
    for _ in 1...50 {
      try await flow.answer("1")
      _ = try await flow.coordinator.settled()
      try await flow.coordinator.backUp()
    }
    flow.run.cancel()
    _ = await flow.result
    #expect(trace.all.filter { $0 == "a:proceed()" }.count == 51)
    #expect(trace.all.filter { $0 == "a:backUp" }.count == 51)
    #expect(trace.all.filter { $0 == "b:backUp" }.count == 50)
  }
}
