import ActorFlow
import Testing

@Suite("Back-up policies chosen by the input") struct ChosenPolicyTests: AskingFlows {
  private func chosen(_ name: String) -> Flow<String, String> {
    step(name).onBackUp { (input: String) in input.hasPrefix("shipped") ? .oneWay : .automatic }
  }

  @Test("SC-075, SC-076 the closure gets the input that the step is entered with, at the first and at later steps")
  func byInput() throws {
    let flow = Flow {
      chosen("a")
      chosen("b")
      step("c")
    }
    var driver = try TrackDriver(flow, with: "-")
    try driver.pass("a", making: "x")
    try driver.pass("b", making: "x")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "b")
    driver = try TrackDriver(flow, with: "-")
    try driver.pass("a", making: "shipped")
    try driver.pass("b", making: "x")
    #expect(throws: FlowError.self) { try driver.backUp() }
    driver = try TrackDriver(flow, with: "shipped")
    try driver.pass("a", making: "x")
    #expect(!driver.position.canBackUp)
  }

  @Test("the closure wins over a policy around the step, and over none")
  func nearest() throws {
    let flow = Flow {
      chosen("a")
      step("b")
    }.onBackUp(.passThrough)
    var driver = try TrackDriver(flow, with: "-")
    try driver.pass("a")
    #expect(driver.position.canBackUp)
  }

  @Test("SC-076 a step that is skipped stays on the stack if its input says so")
  func skipped() async throws {
    for input in ["keep", "drop"] {
      let trace = Trace()
      let flow = Flow {
        step("a")
        Step("b") { Skipper(with: "skipped", trace) }.onBackUp { (input: String) in
          input.hasPrefix("keep") ? .returnableIfSkipped : .automatic
        }
        step("c")
      }
      _ = try await running(flow, with: input) { coordinator in
        let position = try await coordinator.settled()
        try await coordinator.answer(try #require(position.questions.first).id, with: "!")
        try await coordinator.settled()
        try await coordinator.backUp()
        try await coordinator.settled()
        #expect(await coordinator.position.step == (input == "keep" ? "c" : "a"))
        try await coordinator.abandon()
      }
      #expect(trace.all.contains("b:proceed(keep!)") == (input == "keep"))
    }
  }

  @Test("a step put in its place has the policy if it takes the same input; steps with another input are automatic")
  func edited() throws {
    let flow = Flow {
      chosen("a")
      step("c")
    }
    let edited = try flow.replacing("a") {
      step("a1").map { $0.count }
      Step("a2") { (count: Int) in "\(count)" }
    }
    var driver = try TrackDriver(edited, with: "shipped")
    try driver.pass("a1", making: "x")
    #expect(!driver.position.canBackUp)
    try driver.make("x", at: "a2")
    #expect(driver.steps == "c")
  }
}
