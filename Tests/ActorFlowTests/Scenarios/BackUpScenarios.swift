import ActorFlow
import Testing

@Suite("Scenarios: back up") struct BackUpScenarios {
  private let trace = Trace()

  private func askers(_ names: String...) -> Flow<String, String> {
    let trace = trace
    return Flow { for name in names { Step(name) { Asker(trace) } } }
  }

  @Test("SC-036, FL-26 on the first step there is no target for a back, and the request changes nothing")
  func nowhereToGo() async throws {
    let coordinator = FlowCoordinator()
    let result = try await running(askers("a"), with: "s", on: coordinator) { coordinator in
      let before = try await coordinator.settled()
      #expect(!before.canBackUp)
      #expect(await code { try await coordinator.backUp() } == .cannotBackUp)
      #expect(await code { try await coordinator.backUp(to: "a") } == .cannotBackUp)
      #expect(await coordinator.position.questions.map(\.id) == before.questions.map(\.id))
      try await coordinator.answerNext("1")
    }
    #expect(try result.get() == "s1")
    #expect(trace.all == ["a:proceed(s)"])
    #expect(await moves(of: coordinator) == ["launched", "moved -→a", "finished"])
  }

  @Test("SC-038 after backing up from B to A, A proceeds to B again, then to C")
  func forwardAgain() async throws {
    let coordinator = FlowCoordinator()
    let result = try await running(askers("a", "b", "c"), with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "b")
      #expect(try await coordinator.backUpAndSettle() == "a")
      try await coordinator.answerNext("2", at: "a")
      try await coordinator.answerNext("3", at: "b")
      try await coordinator.answerNext("4", at: "c")
    }
    #expect(try result.get() == "s234")
    #expect(
      await moves(of: coordinator) == [
        "launched", "moved -→a", "moved a→b", "leaving b back", "backedUp b→a 0", "moved a→b", "moved b→c", "finished",
      ])
  }

  @Test("SC-039 back and forth: to B, back, to C, back to B, to D")
  func zigzag() async throws {
    let result = try await running(askers("a", "b", "c", "d"), with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "b")
      #expect(try await coordinator.backUpAndSettle() == "a")
      try await coordinator.answerNext("2", at: "a")
      try await coordinator.answerNext("3", at: "b")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "b")
      try await coordinator.answerNext("4", at: "b")
      try await coordinator.answerNext("5", at: "c")
      let position = try await coordinator.settled()
      #expect(position.stack.map(\.step) == ["d", "c", "b", "a"])
      try await coordinator.answerNext("6", at: "d")
    }
    #expect(try result.get() == "s2456")
  }

  @Test("SC-040 a back from C over a skipped B lands on A, which can proceed to C again")
  func overSkipped() async throws {
    let trace = trace
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") { Skipper(with: "skipped", trace) }
      Step("c") { Asker(trace) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "a")
      try await coordinator.answerNext("2", at: "a")
      try await coordinator.answerNext("3", at: "c")
    }
    #expect(try result.get() == "skipped3")
    #expect(
      await moves(of: coordinator) == [
        "launched", "moved -→a", "skipped b", "moved a→c", "leaving c back", "backedUp c→a 0", "skipped b", "moved a→c",
        "finished",
      ])
  }

  @Test("SC-042 a step that a back lands on gets the input it had the first time")
  func sameInput() async throws {
    let result = try await running(askers("a", "b", "c"), with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      let first = try #require(try await coordinator.settled().questions.first?.prompt as? Form)
      try await coordinator.answerNext("2", at: "b")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "b")
      let second = try #require(await coordinator.position.questions.first?.prompt as? Form)
      #expect(first.text == second.text)
      try await coordinator.answerNext("3", at: "b")
      try await coordinator.answerNext("4", at: "c")
    }
    #expect(try result.get() == "s134")
    #expect(trace.all.filter { $0.hasPrefix("b:") } == ["b:proceed(s1)", "b:backUp", "b:proceed(s1)"])
  }

  @Test("FL-02 a factory runs once for a place; the target of a back keeps its instance, a step reached again does not")
  func factories() async throws {
    let trace = trace
    let flow = Flow {
      for name in ["a", "b", "c"] {
        Step(name) { () -> Asker in
          trace.add("make \(name)")
          return Asker(trace)
        }
      }
    }
    let result = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "b")
      #expect(try await coordinator.focus() == "c")
      try await coordinator.backUp()
      try await coordinator.answerNext("3", at: "b")
      try await coordinator.answerNext("4", at: "c")
    }
    #expect(try result.get() == "s134")
    #expect(
      trace.all == [
        "make a", "a:proceed(s)", "make b", "b:proceed(s1)", "make c", "c:proceed(s12)", "c:backUp", "b:backUp",
        "b:proceed(s1)", "make c", "c:proceed(s13)",
      ])
  }

  @Test("FL-09 each visit of a step gets its own input")
  func ownInput() async throws {
    _ = try await running(askers("a", "b"), with: "s") { coordinator in
      for answer in ["1", "2", "3"] {
        try await coordinator.answerNext(answer, at: "a")
        #expect(try await coordinator.focus() == "b")
        try await coordinator.backUp()
      }
      _ = try await coordinator.settled()
      try await coordinator.abandon(rollingBack: false)
    }
    #expect(trace.all.filter { $0.hasPrefix("b:proceed") } == ["b:proceed(s1)", "b:proceed(s2)", "b:proceed(s3)"])
  }
}
