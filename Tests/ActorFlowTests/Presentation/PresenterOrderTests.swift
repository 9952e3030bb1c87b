import ActorFlow
import Testing

@Suite("Presenters: order of the presenters and of the events") struct PresenterOrderTests {
  @Test("SF-25 presenters are asked in order; the first that takes an event presents it, those after it are not asked")
  func firstWins() async throws {
    let trace = Trace()
    let first = Shows { _, _ in
      trace.add("first")
      return false
    }
    let second = Shows { event, _ in
      trace.add("second \(event.change.line)")
      return true
    }
    let third = Shows { _, _ in
      trace.add("third")
      return true
    }
    let result = try await running(Flow { Step("a") { Automatic() } }, with: "", presentedBy: [first, second, third])
    #expect(try result.get() == "a")
    #expect(trace.all == ["first", "second launched", "first", "second moved -→a", "first", "second finished"])
  }

  @Test("SF-26 if all others decline, the last in the list shows the event, once")
  func theDefault() async throws {
    let terminal = Terminal()
    let declines = Shows { _, _ in false }
    let result = try await running(
      Flow { Step("a") { Automatic() } }, with: "", presentedBy: [declines, declines, terminal])
    #expect(try result.get() == "a")
    #expect(terminal.lines.all == ["launched", "moved -→a", "finished"])
  }

  @Test("an event that every presenter declines is not shown, and the flow continues")
  func allDecline() async throws {
    let result = try await running(
      Flow { Step("a") { Automatic() } }, with: "", presentedBy: [Shows { _, _ in false }])
    #expect(try result.get() == "a")
    #expect(try await running(Flow { Step("a") { Automatic() } }, with: "", presentedBy: []).get() == "a")
  }

  @Test("SF-28 a move during the presentation of a dismissal is presented after it, in order")
  func afterTheDismissal() async throws {
    let (terminal, dismissal) = (Terminal(), Checkpoint())
    let slow = Shows { event, _ in
      if case .backedUp = event.change { await dismissal.pass() }
      return false
    }
    let result = try await running(asking("a", "b"), with: "", presentedBy: [slow, terminal]) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      _ = try await coordinator.settled()
      try await coordinator.backUp()
      await dismissal.reached()
      try await coordinator.answerNext("2", at: "a")
      try await coordinator.answerNext("3", at: "b")
      _ = try await coordinator.settled()
      #expect(terminal.lines.all.last == "leaving b back")
      dismissal.open()
    }
    #expect(try result.get() == "23")
    #expect(
      terminal.lines.all == [
        "launched", "moved -→a", "asked a", "answered", "moved a→b", "asked b", "leaving b back", "backedUp b→a 0",
        "asked a", "answered", "moved a→b", "asked b", "answered", "finished",
      ])
  }

  @Test("FL-10 a step that is completed twice is followed by one presentation of the next")
  func twoQuickAnswers() async throws {
    let terminal = Terminal()
    let coordinator = FlowCoordinator()
    let result = try await running(asking("a", "b"), with: "", presentedBy: [terminal], on: coordinator) {
      let question = try #require(try await $0.settled().questions.first)
      async let first = code { try await coordinator.answer(question.id, with: "1") }
      async let second = code { try await coordinator.answer(question.id, with: "1") }
      let codes = await [first, second]
      #expect(codes.contains(nil) && codes.contains(.questionClosed))
      try await coordinator.answerNext("2", at: "b")
    }
    #expect(try result.get() == "12")
    #expect(terminal.lines.all.filter { $0.hasPrefix("moved") } == ["moved -→a", "moved a→b"])
    #expect(terminal.lines.all == (await allEvents(of: coordinator).map(\.change.line)))
  }

  @Test("FL-17 a second run in the same presenter begins after the first has cleaned up, and is not affected by it")
  func oneAfterTheOther() async throws {
    let terminal = Terminal()
    let coordinator = FlowCoordinator()
    let flow = Flow { Step("a") { Automatic() } }
    #expect(try await coordinator.run(flow, with: "1", presentedBy: [terminal]) == "1a")
    #expect(try await coordinator.run(flow, with: "2", presentedBy: [terminal]) == "2a")
    let once = ["launched", "moved -→a", "finished"]
    #expect(terminal.lines.all == once + once)
  }

  @Test("SC-024 at any moment one event is presented, and one step in it has the focus")
  func oneAtATime() async throws {
    let counts = Lock((now: 0, most: 0))
    let shown = Collected<[String]>()
    let presenter = Shows { event, coordinator in
      counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      // A suspension point for other tasks.
      _ = await coordinator.position
      shown.append(event.position.questions.map(\.step.name) + [event.position.step?.name ?? "-"])
      counts.withLock { $0.now -= 1 }
      return true
    }
    _ = try await running(asking("a", "b"), with: "", presentedBy: [presenter]) { coordinator in
      try await coordinator.answerNext("1")
      try await coordinator.answerNext("2")
    }
    #expect(counts.withLock { $0.most } == 1)
    #expect(shown.all == [["-"], ["a"], ["a", "a"], ["a"], ["b"], ["b", "b"], ["b"], ["b"]])
  }

  @Test("RX-12 a presenter of the root presents every move of every nested flow, by its whole path")
  func descendants() async throws {
    let paths = Trace()
    let presenter = Shows { event, _ in
      if case .moved(_, let visit) = event.change { paths.add(visit.step.path) }
      return true
    }
    let inner = Flow("inner") { Step("b") { Automatic() } }
    let flow = Flow("root") {
      Step("a") { Automatic() }
      Flow("outer") {
        inner
        inner.named("again")
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: "", presentedBy: [presenter]) == "abb")
    #expect(paths.all == ["root/a", "root/outer/inner/b", "root/outer/again/b"])
  }

  @Test("FS-29 steps completed from any task are presented in the order in which the flow moved")
  func arrivalOrder() async throws {
    let (terminal, coordinator) = (Terminal(), FlowCoordinator())
    let names = (1...5).map { "s\($0)" }
    let flow = Flow { for name in names { Step(name) { Asker() } } }
    let result = try await running(flow, with: "", presentedBy: [terminal], on: coordinator) { coordinator in
      for name in names {
        let question = try #require(try await coordinator.settled().questions.first)
        await withTaskGroup { group in
          for text in ["x", "y"] {
            group.addTask { try? await coordinator.answer(question.id, with: name + text) }
          }
        }
      }
    }
    _ = try result.get()
    #expect(terminal.lines.all == (await allEvents(of: coordinator).map(\.change.line)))
    #expect(terminal.lines.all.count == 22 - 5)
  }

  @Test("a presenter that falls behind the log sees a gap, and has the whole position with the next event")
  func gap() async throws {
    let numbers = Collected<Int>()
    let gate = Checkpoint()
    let slow = Shows { event, _ in
      numbers.append(event.sequence)
      if event.sequence == 1 { await gate.pass() }
      return true
    }
    let flow = Flow { for name in ["a", "b", "c", "d"] { Step(name) { Automatic() } } }
    let coordinator = FlowCoordinator(eventLog: 2)
    let result = try await running(flow, with: "", presentedBy: [slow], on: coordinator) { coordinator in
      await gate.reached()
      _ = try await coordinator.settled()
      gate.open()
    }
    #expect(try result.get() == "abcd")
    #expect(numbers.all == [1, 5, 6])
  }
}
