import ActorFlow
import Testing

/// The data of a visit ends with it.
@Suite("Scenarios: visits") struct VisitScenarios {
  @Test("TC-03 each visit has an id of its own, and none is used again, not by a later run either")
  func visitIDs() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    let coordinator = FlowCoordinator()
    var ids: [VisitID] = []
    for _ in 1...2 {
      let begun = Checkpoint()
      let announced = Flow {
        Step("begin") { (input: String) in
          begun.open()
          return input
        }
        flow
      }
      _ = try await running(announced, with: "s", on: coordinator) { coordinator in
        await begun.pass()
        try await coordinator.answerNext("1", at: "a")
        let first = await coordinator.position.stack.first { $0.step == "a" }
        #expect(try await coordinator.backUpAndSettle() == "a")
        let second = await coordinator.position.stack.first { $0.step == "a" }
        #expect(try #require(first).id < (try #require(second).id))
        try await coordinator.answerNext("2", at: "a")
        try await coordinator.answerNext("3", at: "b")
      }
      for event in await allEvents(of: coordinator) {
        switch event.change {
        case .moved(_, let to), .backedUp(_, let to, _): ids.append(to.id)
        default: break
        }
      }
    }
    #expect(ids.count == 10)
    #expect(Set(ids).count == ids.count)
    #expect(ids == ids.sorted())
  }

  @Test("TC-04 an answer for a visit that was left is refused, and nothing changes")
  func answerToLeftVisit() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") { Asker(trace) }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      let old = try #require(try await coordinator.settled().questions.first)
      #expect(try await coordinator.backUpAndSettle() == "a")
      let before = await coordinator.position
      #expect(await code { try await coordinator.answer(old.id, with: "late") } == .questionClosed)
      let after = await coordinator.position
      #expect(after.stack == before.stack)
      #expect(after.questions.map(\.id) == before.questions.map(\.id))
      #expect(after.status == before.status)
      try await coordinator.answerNext("2", at: "a")
      // The same step asks again: the old question is not this one either.
      _ = try await coordinator.settled()
      #expect(await code { try await coordinator.answer(old.id, with: "late") } == .questionClosed)
      try await coordinator.answerNext("3", at: "b")
    }
    #expect(trace.all.count { $0.hasPrefix("b:proceed") } == 2)
  }

  @Test("TC-05 nothing that a step sends after its end is delivered")
  func sendingAfterTheEnd() async throws {
    let contexts = Collected<StepContext>()
    let flow = Flow {
      Step("a") { ContextCollectingStep(contexts) }
      Step("b") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "b")
      let late = Task.detached { await codesOfEveryVerb(of: try #require(contexts.last)) }
      #expect(try await late.value == Array(repeating: .notActive, count: 5))
      try await coordinator.answerNext("2", at: "b")
    }
    #expect(try result.get() == "s12")
    #expect(
      await allEvents(of: coordinator).map(\.change.line) == [
        "launched", "moved -→a", "asked a", "answered", "moved a→b", "asked b", "answered", "finished",
      ])
  }

  @Test("FL-11, RX-05 a stored context of an earlier step moves nothing, and throws notActive")
  func staleHandle() async throws {
    let contexts = Collected<StepContext>()
    let flow = Flow {
      Step("a") { ContextCollectingStep(contexts) }
      Step("b") { Asker() }
      Step("c") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "b")
      let before = try await coordinator.settled()
      #expect(before.step == "c")
      let stale = try #require(contexts.last)
      #expect(await codesOfEveryVerb(of: stale) == Array(repeating: .notActive, count: 5))
      let after = await coordinator.position
      #expect(after.stack == before.stack)
      #expect(after.questions.map(\.id) == before.questions.map(\.id))
      // Not even when the same step is visited again.
      try await coordinator.backUp(to: "a")
      #expect(try await coordinator.focus() == "a")
      #expect(await codesOfEveryVerb(of: stale) == Array(repeating: .notActive, count: 5))
      for answer in ["3", "4", "5"] { try await coordinator.answerNext(answer) }
    }
    #expect(try result.get() == "s345")
  }

  @Test("TC-06 a watcher of a step's leave can still see its visit, and its backUp its records")
  func lastState() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") {
        Scripted { (input: String, context) in
          try await context.once("draft") { _ in "draft of \(input)" } + context.ask(Form(text: input))
        } backUp: { context in
          guard case .done(let draft) = await context.record("draft", as: String.self) else { throw Refused() }
          trace.add("undone: \(draft)")
        }
      }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      let last = try await coordinator.settled()
      try await coordinator.backUp()
      let events = await eventsSoFar(of: coordinator)
      let leaving = try #require(events.first { $0.change.line == "leaving b back" })
      #expect(leaving.position.stack == last.stack)
      #expect(leaving.position.questions.isEmpty)
      // Its last prompt is in the event before, unchanged.
      let shown = try #require(events.first { $0.sequence == leaving.sequence - 1 }?.position.questions.first)
      #expect((shown.prompt as? Form)?.text == "s1")
      #expect(trace.all == ["undone: draft of s1"])
      _ = try await coordinator.settled()
      try await coordinator.abandon()
    }
  }

  /// The events up to the landing of the first back.
  private func eventsSoFar(of coordinator: FlowCoordinator) async -> [NavigationEvent] {
    var events: [NavigationEvent] = []
    for await event in coordinator.events {
      events.append(event)
      if case .backedUp = event.change { break }
    }
    return events
  }
}
