import ActorFlow
import Testing

@Suite("Scenarios: answering") struct AnsweringScenarios {
  @Test("FS-03 of two answers given before the step's entry has returned, the first wins; the second is refused")
  func answeredEarly() async throws {
    let entry = Checkpoint()
    let flow = Flow {
      Step("a") { (input: String, context) in
        async let answer = context.ask(Form(text: input))
        await entry.pass()  // still being entered while it is answered
        return input + (try await answer)
      }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      let question = try #require(try await coordinator.settled().questions.first)
      try await coordinator.answer(question.id, with: "first")
      #expect(await code { try await coordinator.answer(question.id, with: "second") } == .questionClosed)
      entry.open()
    }
    #expect(try result.get() == "sfirst")
    #expect(
      await allEvents(of: coordinator).map(\.change.line) == [
        "launched", "moved -→a", "asked a", "answered", "finished",
      ])
  }

  @Test("FS-04, FL-10 a shown step that is completed twice starts the next one once; the second call throws")
  func completedTwice() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      let question = try #require(try await coordinator.settled().questions.first)
      async let left = code { try await coordinator.answer(question.id, with: "1") }
      async let right = code { try await coordinator.answer(question.id, with: "1") }
      let refused = [await left, await right].compactMap { $0 }
      #expect(refused == [.questionClosed])
      try await coordinator.answerNext("2", at: "b")
    }
    #expect(try result.get() == "s12")
    #expect(trace.all == ["a:proceed(s)", "b:proceed(s1)"])
    #expect(await moves(of: coordinator) == ["launched", "moved -→a", "moved a→b", "finished"])
  }

  @Test("FS-08 content for a step that has ended is dropped, and its sender gets notActive")
  func contentOfEndedStep() async throws {
    let contexts = Collected<StepContext>()
    let content = LiveCounter()
    let flow = Flow {
      Step("a") { ContextCollectingStep(contexts) }
      Step("b") { Asker() }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      let before = try await coordinator.settled()
      let context = try #require(contexts.last)
      #expect(await code { try await context.update(Heavy(weight: content.token())) } == .notActive)
      #expect((content.now, content.ever) == (0, 1))
      let after = await coordinator.position
      #expect(after.questions.map(\.revision) == before.questions.map(\.revision))
      try await coordinator.answerNext("2", at: "b")
    }
    #expect(await !allEvents(of: coordinator).contains { $0.change.line.hasPrefix("updated") })
  }

  @Test("FS-09 of several updates a reader sees the latest, and never an older one after a newer one")
  func latestUpdate() async throws {
    let (prompts, prompt) = AsyncStream<Form>.makeStream()
    for text in ["1", "2", "3"] { prompt.yield(Form(text: text)) }
    prompt.finish()
    let flow = Flow {
      Step("a") { (input: String, context) in try await context.ask(Form(text: input), updates: prompts) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "0", on: coordinator) { coordinator in
      _ = try await firstEvent(of: coordinator) { $0.change.line == "updated a 4" }
      let question = try #require(await coordinator.position.questions.first)
      #expect((question.prompt as? Form)?.text == "3")
      #expect(question.revision == 4)
      #expect(
        await code { try await coordinator.answer(question.id, with: "of an old page", revision: 2) } == .staleRevision)
      try await coordinator.answer(question.id, with: "new", revision: 4)
    }
    #expect(try result.get() == "new")
    let shown = await allEvents(of: coordinator).compactMap { $0.position.questions.first }
    #expect(shown.map(\.revision) == [1, 2, 3, 4])
    #expect(shown.map { ($0.prompt as? Form)?.text } == ["0", "1", "2", "3"])
  }

  @Test("FS-29 a step may be completed from any task; the flow continues with the first answer to arrive")
  func anyTask() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let winners = Collected<String>()
    let result = try await running(flow, with: "", on: coordinator) { coordinator in
      for step in ["a", "b"] {
        let question = try #require(try await coordinator.settled().questions.first)
        #expect(question.step.name == step)
        await withTaskGroup(of: Void.self) { group in
          for number in 1...32 {
            group.addTask {
              let name = "<\(step)\(number)>"
              let refused = await code {
                try await coordinator.answer(question.id, with: name, by: Principal(id: name))
              }
              if refused == nil { winners.append(name) } else { #expect(refused == .questionClosed) }
            }
          }
        }
      }
    }
    #expect(winners.all.count == 2)
    #expect(try result.get() == winners.all.joined())
    let events = await allEvents(of: coordinator)
    let answerers = events.compactMap { event -> String? in
      if case .answered(_, let principal) = event.change { principal?.id } else { nil }
    }
    #expect(answerers == winners.all)
    #expect(events.map(\.sequence) == Array(1...events.count))
  }

  @Test("RX-04 a guard that throws refuses the move with its error, and the flow stays where it is")
  func guardThrows() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("guarded") { (input: String, context) in input + (try await context.ask(Guarded())) }
      Step("behind") { Automatic(trace) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      let question = try #require(try await coordinator.settled().questions.first)
      await #expect(throws: Unauthorized(id: nil)) { try await coordinator.answer(question.id, with: "1") }
      await #expect(throws: Unauthorized(id: "guest")) {
        try await coordinator.answer(question.id, with: "1", by: Principal(id: "guest"))
      }
      #expect(await coordinator.position.questions.map(\.id) == [question.id])
      #expect(trace.all.isEmpty)
      try await coordinator.answer(question.id, with: "1", by: Principal(id: "boss", roles: ["admin"]))
    }
    #expect(try result.get() == "s1behind")
    #expect(await moves(of: coordinator) == ["launched", "moved -→guarded", "moved guarded→behind", "finished"])
  }
}

/// Content whose release can be observed.
private struct Heavy: Prompt {
  typealias Answer = String
  let weight: LiveCounter.Token
}

private struct Unauthorized: Error, Equatable { var id: String? }

/// Lets administrators answer.
private struct Guarded: Prompt {
  typealias Answer = String
  func authorize(_ principal: Principal?) throws {
    guard principal?.roles.contains("admin") == true else { throw Unauthorized(id: principal?.id) }
  }
}
