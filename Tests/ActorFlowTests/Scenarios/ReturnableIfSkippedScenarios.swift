import ActorFlow
import Testing

/// SwiftCurrent's `persistWhenSkipped` is `.onBackUp(.returnableIfSkipped)`.
@Suite("Scenarios: skipped steps that a back may return to") struct ReturnableIfSkippedScenarios {
  private let trace = Trace()

  /// A step that skips with `output`, and stays on the stack.
  private func returnable(_ name: String, with output: String) -> Flow<String, String> {
    let trace = trace
    return Step(name) { SkippedAsker(with: output, trace) }.onBackUp(.returnableIfSkipped)
  }

  private func asker(_ name: String) -> Step<String, String> {
    let trace = trace
    return Step(name) { Asker(trace) }
  }

  @Test("SC-061 skipped steps on the stack are moved to and from, one after the other, and are marked as skipped")
  func announced() async throws {
    let flow = Flow {
      asker("a")
      returnable("b", with: "b!")
      returnable("c", with: "c!")
      asker("d")
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      let position = try await coordinator.settled()
      #expect(position.stack.map(\.step) == ["d", "c", "b", "a"])
      #expect(position.stack.map(\.isSkipped) == [false, true, true, false])
      try await coordinator.answerNext("2", at: "d")
    }
    #expect(try result.get() == "c!2")
    #expect(
      await moves(of: coordinator) == ["launched", "moved -→a", "moved a→b", "moved b→c", "moved c→d", "finished"])
    #expect(trace.all == ["a:proceed(s)", "d:proceed(c!)"])
  }

  @Test("SC-062 a back from C lands on the skipped B on the stack, not on A, and B can then proceed to C")
  func landsOnSkipped() async throws {
    let flow = Flow {
      asker("a")
      returnable("b", with: "b!")
      asker("c")
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "c")
      #expect(try await coordinator.backUpAndSettle() == "b")
      #expect(await coordinator.position.stack.map(\.isSkipped) == [false, false])
      try await coordinator.answerNext("2", at: "b")
      try await coordinator.answerNext("3", at: "c")
    }
    #expect(try result.get() == "s123")
    #expect(
      trace.all == ["a:proceed(s)", "c:proceed(b!)", "c:backUp", "b:proceed(s1)", "c:proceed(s12)"])
  }

  @Test("SC-063 a back may lead to a skipped first step on the stack, which then proceeds")
  func firstSkipped() async throws {
    let flow = Flow {
      returnable("a", with: "a!")
      asker("b")
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      let position = try await coordinator.settled()
      #expect(position.step == "b")
      #expect(position.canBackUp)
      #expect(try await coordinator.backUpAndSettle() == "a")
      #expect(await !coordinator.position.canBackUp)
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "b")
    }
    #expect(try result.get() == "s12")
    #expect(
      await moves(of: coordinator) == [
        "launched", "moved -→a", "moved a→b", "leaving b back", "backedUp b→a 0", "moved a→b", "finished",
      ])
  }

  @Test("SC-064 after a back to a skipped step, its own output is passed on, not the one it had skipped with")
  func ownOutput() async throws {
    let flow = Flow {
      returnable("a", with: "skipped")
      asker("b")
    }
    _ = try await running(flow, with: "s") { coordinator in
      #expect(try await coordinator.backUpAndSettle() == "a")
      try await coordinator.answerNext("own", at: "a")
      try await coordinator.answerNext("2", at: "b")
    }
    #expect(trace.all.filter { $0.hasPrefix("b:proceed") } == ["b:proceed(skipped)", "b:proceed(sown)"])
  }

  @Test("SC-065 a skipped only step on the stack is moved to, and then the flow finishes")
  func onlyStep() async throws {
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(returnable("a", with: "y"), with: "s") == "y")
    #expect(await moves(of: coordinator) == ["launched", "moved -→a", "finished"])
    #expect(trace.all.isEmpty)
  }

  @Test("SC-066 a step revealed by a back can proceed, and a back may lead to it again")
  func revealed() async throws {
    let flow = Flow {
      asker("a")
      returnable("b", with: "b!")
      asker("c")
    }
    let result = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      for answer in ["2", "3"] {
        #expect(try await coordinator.focus() == "c")
        #expect(try await coordinator.backUpAndSettle() == "b")
        try await coordinator.answerNext(answer, at: "b")
      }
      try await coordinator.answerNext("4", at: "c")
    }
    #expect(try result.get() == "s134")
    #expect(
      trace.all.filter { $0.hasPrefix("b:") } == ["b:proceed(s1)", "b:backUp", "b:proceed(s1)"])
  }
}

/// Skips when it is first reached; entered by a back, it asks.
private actor SkippedAsker: SkippableStep {
  private let output: String
  private let trace: Trace
  init(with output: String, _ trace: Trace) {
    self.output = output
    self.trace = trace
  }
  func skip(_ input: String, context: EntryContext) -> Skip<String> { .with(output) }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + (try await context.ask(Form(text: input)))
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}
