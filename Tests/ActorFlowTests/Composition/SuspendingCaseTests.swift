import ActorFlow
import Testing

@Suite("Cases whose closures suspend") struct SuspendingCaseTests: AskingFlows {
  @Test("the cases are asked in order, and the first that matches gets its payload")
  func picks() async throws {
    let trace = Trace()
    let flow = Flow {
      Switch {
        Case(
          "none",
          { (input: String) async -> String? in
            await Task.yield()
            trace.add("none")
            return nil
          }
        ) { Step("x") { Automatic() } }
        Case(
          "length",
          { (input: String) async throws -> Int? in
            await Task.yield()
            trace.add("length")
            return input.count
          }
        ) { Step("y") { (count: Int) in "\(count)" } }
        Case(
          "where",
          where: { (_: String) async in
            trace.add("where")
            return true
          }
        ) { Step("z") { Automatic() } }
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: "abc") == "3")
    #expect(trace.all == ["none", "length"])
  }

  @Test("without a match the Otherwise is walked, or the flow fails and names the cases")
  func noMatch() async throws {
    let never = Case<String, String>("never", where: { (_: String) async in false }) { step("x") }
    let flow = Flow {
      Switch {
        never
        Otherwise { Step("z") { Automatic() } }
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: "-") == "-z")
    let error = await #expect(throws: FlowError.self) {
      try await FlowCoordinator().run(Flow { Switch { never } }, with: "-")
    }
    #expect(error?.code == .noMatchingCase && error?.message.contains("\"never\"") == true)
  }

  @Test("an empty branch lets the value through that the closure has found")
  func emptyBranch() async throws {
    let flow = Flow {
      Switch {
        Case("known", { (input: String) async -> String? in input == "a" ? "A" : nil }) {}
        Case("short", where: { (input: String) async in input.count == 1 }) {}
        Otherwise { Step("z") { Automatic() } }
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: "a") == "A")
    #expect(try await FlowCoordinator().run(flow, with: "b") == "b")
    #expect(try await FlowCoordinator().run(flow, with: "cc") == "ccz")
  }

  @Test("an error of the closure is a failure of the step before; a leave cancels the closure")
  func fails() async throws {
    let trace = Trace()
    let failing = Flow {
      Step("a") { Automatic(trace) }
      Switch { Case("bad", where: { (_: String) async throws in throw Refused() }) { step("x") } }
    }
    await #expect(throws: Refused()) { try await FlowCoordinator().run(failing, with: "-") }
    #expect(trace.all == ["a:proceed(-)", "a:backUp"])

    let reached = Checkpoint()
    let waiting = Flow {
      Step("z") { Asker(trace) }
      Step("a") { Automatic(trace) }
      Switch {
        Case(
          "slow",
          where: { (_: String) async throws in
            reached.mark()
            try await ContinuousClock().sleep(for: .seconds(3_600))
            return true
          }
        ) { step("x") }
      }
    }
    _ = try await running(waiting, with: "-") { coordinator in
      try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "!")
      await reached.reached()
      #expect(await coordinator.position.step == "a")
      try await coordinator.backUp()
      #expect(await coordinator.position.step == "z")
      try await coordinator.abandon()
    }
  }

  @Test("a hub with such a case, and a preview that cannot ask it")
  func hub() async throws {
    let flow = Flow {
      Hub(Step("menu") { Asker() }) {
        Case("side", where: { (pick: String) async in pick.count == 2 }) { Step("side") { Automatic() } }
      } done: { (pick: String) -> String? in
        pick
      }
    }
    _ = try await running(flow, with: "-") { coordinator in
      for _ in 0..<2 {
        try await coordinator.settled()
        try await coordinator.answer(Form.self, with: "!")
      }
    }
    let error = #expect(throws: FlowError.self) { try flow.destination(after: "menu", for: "-!") }
    #expect(error?.code == .badDefinition)
  }
}
