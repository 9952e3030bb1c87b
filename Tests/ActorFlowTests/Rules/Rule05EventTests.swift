import ActorFlow
import Testing

@Suite("Rule 5: at most one event per machine input, each with the whole position") struct Rule05EventTests {
  private static func flow() -> Flow<String, String> {
    Flow {
      Step("a") { Asker() }
      Step("b") { Skipper(with: "-") }
      Step("c") { Asker() }
    }
  }

  @Test("events of a run are numbered 1, 2, 3… and carry flow and run")
  func numbers() async throws {
    let flow = launch(Self.flow(), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    try await flow.answer("2")
    try await flow.answer("3")
    _ = await flow.result
    let events = await flow.events
    #expect(events.map(\.sequence) == Array(1...events.count))
    #expect(events.allSatisfy { $0.flow == "test" && $0.run == 1 })
    #expect(
      events.map(\.change.line) == [
        "launched", "moved -→a", "asked a", "answered", "skipped b", "moved a→c", "asked c",
        "leaving c back", "backedUp c→a 0", "asked a", "answered", "skipped b", "moved a→c", "asked c", "answered",
        "finished",
      ])
  }

  @Test("each event carries the coordinator's position at that moment")
  func wholePosition() async throws {
    let flow = launch(Self.flow(), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.abandon(reason: "why")
    let events = await flow.events
    let positions = events.map(\.position).map { position in
      "\(position.stack.map(\.step.name).reversed().joined()),\(position.questions.map(\.step.name).joined())"
        + ",\(position.canBackUp ? "↩" : ""),\(position.status.word)"
    }
    #expect(
      positions == [
        ",,,running", "a,,,running", "a,a,,running", "a,,,running", "a,,,running", "ac,,↩,running", "ac,c,↩,running",
        "ac,,,leaving c", "a,,,running", "a,a,,running", "a,,,leaving a", "a,,,rollingBack", ",,,ended abandoned why",
      ])
  }

  @Test("whenever the flow has settled, the latest event's position is the coordinator's own")
  func folding() async throws {
    let flow = launch(Self.flow(), with: "")
    func expectSame(after line: String, number: Int) async throws {
      let own = try await flow.coordinator.settled()
      let events = await flow.events(upTo: number)
      let event = try #require(events.last)
      #expect(event.change.line == line)
      #expect(event.position.stack == own.stack)
      #expect(event.position.status == own.status)
      #expect(event.position.canBackUp == own.canBackUp)
      #expect(event.position.questions.map(\.id) == own.questions.map(\.id))
    }
    try await expectSame(after: "asked a", number: 3)
    try await flow.answer("1")
    try await expectSame(after: "asked c", number: 7)
    try await flow.coordinator.backUp()
    try await expectSame(after: "asked a", number: 10)
    flow.run.cancel()
    _ = await flow.result
    try await expectSame(after: "rolledBack 0", number: 13)
  }

  @Test("a refused input publishes nothing")
  func refused() async throws {
    let flow = launch(Self.flow(), with: "")
    let question = try #require(try await flow.coordinator.settled().questions.first)
    _ = await code { try await flow.coordinator.backUp() }
    _ = await code { try await flow.coordinator.answer(question.id, with: 17) }
    _ = await code { try await flow.coordinator.answer(question.id, with: "1", revision: 2) }
    _ = try? await flow.coordinator.answer(question.id, with: "")
    _ = await code { try await flow.coordinator.run(Self.flow(), with: "") }
    flow.run.cancel()
    _ = await flow.result
    #expect(
      await flow.lines == ["launched", "moved -→a", "asked a", "leaving a cancelled", "cancelled", "rolledBack 0"])
  }

  @Test("once publishes nothing")
  func once() async throws {
    let coordinator = FlowCoordinator()
    _ = try await coordinator.run(
      Flow {
        Step("a") { (input: String, context: StepContext) in
          try await context.once("k") { _ in }
          return input
        }
      }, with: "")
    #expect(await allEvents(of: coordinator).map(\.change.line) == ["launched", "moved -→a", "finished"])
  }

  @Test("while the next step is created the one before has the focus, and a back then leads to before it")
  func focusWhileMaking() async throws {
    let making = Checkpoint()
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step("b") { Asker() }
        Step("c") { () async -> Asker in
          await making.pass()
          return Asker()
        }
      }, with: "")
    try await flow.answer("1")
    try await flow.answer("2")
    await making.reached()
    let position = await flow.coordinator.position
    #expect(position.step == "b")
    #expect(position.status == .running)
    #expect(position.canBackUp)
    let backing = await flow.filing { try await $0.backUp() }
    making.open()
    try await backing.value
    #expect(await flow.coordinator.position.step == "a")
    flow.run.cancel()
    _ = await flow.result
    #expect(await flow.lines.contains("backedUp b→a 0"))
  }

  @Test("from the first step on there is always a step in focus until the run has ended")
  func alwaysFocused() async throws {
    let flow = launch(Self.flow(), with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    flow.run.cancel()
    _ = await flow.result
    let events = await flow.events
    #expect(events.first?.position.step == nil)
    #expect(events.dropFirst().dropLast().allSatisfy { $0.position.step != nil })
  }

  /// A request, and the events that it makes by itself, without those of the flow's next moves.
  struct Request: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [String]
    let make: @Sendable (Launched<String>) async throws -> Void

    init(_ name: String, _ events: String..., make: @escaping @Sendable (Launched<String>) async throws -> Void) {
      testDescription = "\(name): \(events.count)"
      self.events = events
      self.make = make
    }

    static let all = [
      Request("an answer", "answered") { try await $0.coordinator.answer(Form.self, with: "2") },
      Request("a signal that a step waits for", "received b go") { flow in
        _ = try await flow.coordinator.send("", to: go)
      },
      Request("a signal that nobody waits for yet") { flow in
        _ = try await flow.coordinator.send("", to: Signal<String>("other"))
      },
      Request("a refused request") { flow in _ = await code { try await flow.coordinator.backUp(to: "nowhere") } },
      Request("a back", "leaving b back", "backedUp b→a 0") { try await $0.coordinator.backUp() },
      Request("an abandon", "leaving b abandoned", "abandoned why", "rolledBack 0") { flow in
        try await flow.coordinator.abandon(reason: "why")
      },
      Request("an abandon that undoes nothing", "leaving b abandoned", "abandoned why") { flow in
        try await flow.coordinator.abandon(reason: "why", rollingBack: false)
      },
      Request("cancelling the caller", "leaving b cancelled", "cancelled", "rolledBack 0") { $0.run.cancel() },
      Request("an answer, and the failure it leads to", "answered", "failed b", "rolledBack 0") { flow in
        try await flow.coordinator.answer(Form.self, with: "fail")
      },
      Request("an answer, and the step's own back", "answered", "leaving b back", "backedUp b→a 0") { flow in
        try await flow.coordinator.answer(Form.self, with: "back")
      },
    ]

    static let go = Signal<String>("go")
  }

  @Test("each request makes its own events and no other, whatever the flow does next", arguments: Request.all)
  func ofRequest(_ request: Request) async throws {
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step.scripted("b") { _, context in
          guard request.events != ["received b go"] else { return try await context.wait(for: Request.go) }
          let answer = try await context.ask(Form(text: "b"))
          if answer == "fail" { throw Refused() }
          if answer == "back" { try await context.backUp() }
          return answer
        }
        Step("c") { Asker() }
      }, with: "")
    try await flow.answer("1")
    let before = try await flow.coordinator.settled()
    #expect(before.step == "b")
    try await request.make(flow)
    if before.status == .running { _ = try await flow.coordinator.settled() }
    flow.run.cancel()
    _ = await flow.result
    let lines = await flow.lines.dropFirst(6)  // launched, moved, asked, answered, moved, and asked or waiting
    #expect(Array(lines.prefix(request.events.count)) == request.events)
    let next = lines.dropFirst(request.events.count).first
    #expect(
      ["asked a", "moved b→c", "leaving b cancelled", nil].contains(next), "then the flow goes on, or the test ends it")
  }
}
