import ActorFlow
import Testing

@Suite("map and carrying") struct CarryingTests {
  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker() } }

  @Test("map changes the output of a component, before the next one gets it")
  func map() async throws {
    let flow = Flow {
      Step("count") { (text: String) in text.count }.map { $0 * 2 }.map { "\($0)!" }
      Step("end") { (text: String) in text + "?" }
    }
    #expect(try await FlowCoordinator().run(flow, with: "abc") == "6!?")
  }

  @Test("an error that map throws fails the step before it, which is compensated")
  func mapThrows() async throws {
    let trace = Trace()
    let flow = launch(
      Flow<String, String> {
        Step("a") { Automatic(trace) }.map { _ throws -> String in throw Refused() }
        Step("b") { Automatic(trace) }
      }, with: "")
    #expect(await flow.error is Refused)
    #expect(trace.all == ["a:proceed()", "a:backUp"])
    #expect(await flow.lines.suffix(2) == ["failed a", "rolledBack 0"])
  }

  @Test("carrying gives the next component a step's input and its output")
  func single() async throws {
    let flow = Flow {
      Step("count") { (text: String) in text.count }.carrying { text, count in "\(text)=\(count)" }
      Step("end") { (text: String) in text + "!" }
    }
    #expect(try await FlowCoordinator().run(flow, with: "abc") == "abc=3!")
  }

  @Test("carrying over several steps carries the first input; a nested one carries its own")
  func nested() async throws {
    let flow = Flow {
      Step("a") { (text: String) in text + "a" }
      Step("b") { (text: String) in text + "b" }.carrying { "(\($0)|\($1))" }
      Step("c") { (text: String) in text + "c" }
    }.carrying { "\($0)→\($1)" }
    #expect(try await FlowCoordinator().run(flow, with: "x") == "x→(xa|xab)c")
  }

  @Test("carrying directly around carrying keeps the two values separate")
  func around() async throws {
    let flow = Step("a") { (text: String) in text + "a" }.carrying { "\($0)+\($1)" }.carrying { "\($0)-\($1)" }
    #expect(try await FlowCoordinator().run(flow, with: "x") == "x-x+xa")
  }

  @Test("after a back into the component it carries the component's former input")
  func afterBack() async throws {
    let flow = launch(
      Flow {
        asker("a")
        Flow {
          asker("b")
          asker("c")
        }.carrying { "\($0)→\($1)" }
        asker("d")
      }, with: "")
    for answer in ["1", "2", "3"] { try await flow.answer(answer) }
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()  // to c, inside
    try await flow.answer("4")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp(to: "b")
    for answer in ["5", "6", "7"] { try await flow.answer(answer) }
    #expect(try await flow.result.get() == "1→1567")
  }

  @Test("after a back to before the component it carries the new input")
  func afterBackBefore() async throws {
    let flow = launch(
      Flow {
        asker("a")
        asker("b").carrying { "\($0)→\($1)" }
        asker("c")
      }, with: "")
    for answer in ["1", "2"] { try await flow.answer(answer) }
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp(to: "a")
    for answer in ["3", "4", "5"] { try await flow.answer(answer) }
    #expect(try await flow.result.get() == "3→345")
  }

  @Test(
    "skipped steps inside pass their value on to carrying", arguments: [BackUpPolicy.automatic, .returnableIfSkipped])
  func skipped(policy: BackUpPolicy) async throws {
    let flow = launch(
      Flow {
        asker("a")
        Flow {
          Step("s") { Skipper(with: "-") }.onBackUp(policy)
          asker("b")
          Step("t") { Skipper(with: "+") }.onBackUp(policy)
        }.carrying { "\($0)→\($1)" }
        asker("c")
      }, with: "")
    for answer in ["1", "2"] { try await flow.answer(answer) }
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp(to: "b")
    for answer in ["3", "4"] { try await flow.answer(answer) }
    #expect(try await flow.result.get() == "1→+4")
  }

  @Test("an error that carrying throws fails the component's last step")
  func joinThrows() async throws {
    let flow = launch(
      Flow<String, String> {
        Step("a") { Automatic() }
        Step("b") { Automatic() }.carrying { _, _ throws -> String in throw Refused() }
      }, with: "")
    #expect(await flow.error is Refused)
    #expect(await flow.lines.contains("failed b"))
  }
}
