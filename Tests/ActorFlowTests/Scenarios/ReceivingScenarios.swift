import ActorFlow
import Testing

/// Updates from later steps to earlier ones.
@Suite("Scenarios: updates for earlier steps") struct ReceivingScenarios {
  private let trace = Trace()

  @Test("FS-07 a later step sets the content of an earlier one: delivered once, not entered again, and nothing moves")
  func contentBelow() async throws {
    let flow = Flow {
      Step("one") { [trace] in Shelf(trace) }
      Step("two") {
        Scripted { (input: String, context) in
          try await context.send(try await context.ask(Form(text: "what?")), to: Shelf.self)
          return input + (try await context.ask(Form(text: "more?")))
        }
      }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "one")
      let before = try await coordinator.settled()
      #expect(before.step == "two")
      try await coordinator.answerNext("tea", at: "two")
      let after = try await coordinator.settled()
      #expect(trace.all == ["one:proceed(s)", "one:receive(tea)"])
      #expect(after.stack == before.stack)
      try await coordinator.answerNext("2", at: "two")
    }
    #expect(try result.get() == "s12")
    #expect(trace.all.count == 2)
    #expect(await moves(of: coordinator) == ["launched", "moved -→one", "moved one→two", "finished"])
  }

  @Test("SF-11 a question opened by a handler during the unwind stays open: the unwind is over by then")
  func overlay() async throws {
    let (trace, overlay) = (trace, FlowCoordinator(id: "overlay"))
    let notice = Flow { Step("notice") { Asker(trace) } }
    let flow = Flow {
      Step("one") {
        Shelf(trace) { update in trace.add("overlay made \(try await overlay.run(notice, with: update))") }
      }
      Step("two") { Asker(trace) }
      Step("three") {
        Scripted { (input: String, context) -> String in
          let update = try await context.ask(Form(text: input))
          try await context.backUp(to: Shelf.self, delivering: update)
        } backUp: { _ in
          trace.add("three:backUp")
        }
      }
    }
    let result = try await running(flow, with: "s") { coordinator in
      for (answer, step) in [("1", "one"), ("2", "two"), ("u", "three")] {
        try await coordinator.answerNext(answer, at: step)
      }
      #expect(try await overlay.focus() == "notice")
      #expect(Array(trace.all.suffix(4)) == ["three:backUp", "two:backUp", "one:backUp", "notice:proceed(u)"])
      try await overlay.answerNext("!", at: "notice")
      #expect(try await coordinator.focus() == "one")
      #expect(await overlay.position.status == .ended(.finished))
      #expect(Array(trace.all.suffix(2)) == ["overlay made u!", "one:proceed(s)"])
      try await coordinator.abandon()
    }
    #expect(code(of: result) == .abandoned)
    #expect(!trace.all.contains("notice:backUp"))
  }
}

/// Asks, and handles an update with a closure of the test.
private actor Shelf: ReceivingStep {
  private let trace: Trace
  private let take: @Sendable (String) async throws -> Void

  init(_ trace: Trace, _ take: @escaping @Sendable (String) async throws -> Void = { _ in }) {
    self.trace = trace
    self.take = take
  }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    trace.add("\(context.step.name):proceed(\(input))")
    return input + (try await context.ask(Form(text: input)))
  }

  func receive(_ update: String) async throws {
    if trace.all.contains("three:backUp") { return try await take(update) }
    trace.add("one:receive(\(update))")
  }

  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}
