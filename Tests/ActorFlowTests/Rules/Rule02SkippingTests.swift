import ActorFlow
import Testing

@Suite("Rule 2: skipped steps") struct Rule02SkippingTests {
  /// Skips by its first instances, and traces each call of its `skip`.
  private actor Numbered: SkippableStep {
    let number: Int
    let trace: Trace
    init(_ number: Int, _ trace: Trace) {
      self.number = number
      self.trace = trace
    }
    func skip(_ input: String, context: EntryContext) -> Skip<String> {
      trace.add("skip\(number)(\(input))")
      return .with(input + "-")
    }
    func proceed(_ input: String, context: StepContext) async throws -> String {
      trace.add("proceed\(number)(\(input))")
      return input + (try await context.ask(Form(text: "b")))
    }
    func backUp(context: RollbackContext) { trace.add("backUp\(number)") }
  }

  private func flow(_ trace: Trace, _ policy: BackUpPolicy) -> Flow<String, String> {
    let count = Count()
    return Flow {
      Step("a") { Asker() }
      Step("b") { Numbered(count.next(), trace) }.onBackUp(policy)
      Step("c") { Asker() }
    }
  }

  @Test("a step skipped off the stack is neither a target nor compensated; the next one gets its output")
  func dropped() async throws {
    let trace = Trace()
    let flow = launch(flow(trace, .automatic), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    #expect(await flow.coordinator.position.step == "a")
    try await flow.answer("2")
    try await flow.answer("3")
    #expect(try await flow.result.get() == "2-3")
    #expect(trace.all == ["skip1(1)", "skip2(2)"])
    #expect(await flow.lines.filter { $0.hasPrefix("skipped") } == ["skipped b", "skipped b"])
  }

  @Test("a skipped step on the stack keeps its instance and its input, and its skip is not called again after a back")
  func staysOnStack() async throws {
    let trace = Trace()
    let flow = launch(flow(trace, .returnableIfSkipped), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    let position = try await flow.coordinator.settled()
    #expect(position.step == "b")
    #expect(position.stack.top?.isSkipped == false)
    #expect(trace.all == ["skip1(1)", "proceed1(1)"])
    try await flow.answer("x")
    try await flow.answer("y")
    #expect(try await flow.result.get() == "1xy")
  }

  @Test("a skipped step on the stack that was never entered is not compensated", arguments: [true, false])
  func neverEntered(byCancelling: Bool) async throws {
    let trace = Trace()
    let flow = launch(flow(trace, .returnableIfSkipped), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    if byCancelling { flow.run.cancel() } else { try await flow.coordinator.abandon() }
    _ = await flow.result
    #expect(trace.all == ["skip1(1)"])
  }

  @Test("a skipped step that a back lands on is compensated once more than it is skipped")
  func thenEntered() async throws {
    let trace = Trace()
    let flow = launch(flow(trace, .returnableIfSkipped), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    #expect(await flow.coordinator.position.step == "a")
    #expect(trace.all == ["skip1(1)", "proceed1(1)", "backUp1"])
    try await flow.answer("2")
    _ = try await flow.coordinator.settled()
    #expect(trace.all.last == "skip2(2)")
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("a step that decides to be entered is entered like any other")
  func enters() async throws {
    let trace = Trace()
    let result = try await FlowCoordinator().run(Flow { Step("a") { Skipper(with: nil, trace) } }, with: "x")
    #expect(result == "xa")
    #expect(trace.all == ["a:proceed(x)"])
  }

  @Test("all steps may be skipped: the flow finishes with the last output")
  func allSkipped() async throws {
    let coordinator = FlowCoordinator()
    let flow = Flow {
      Step("a") { Skipper(with: "1") }
      Step("b") { Skipper(with: "2") }
    }
    #expect(try await coordinator.run(flow, with: "x") == "2")
    #expect(await allEvents(of: coordinator).map(\.change.line) == ["launched", "skipped a", "skipped b", "finished"])
  }
}
