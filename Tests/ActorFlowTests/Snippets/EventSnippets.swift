import ActorFlow
import Testing

/// The code of the article "Events".
enum EventSnippets {
  struct TextForm: Prompt {
    typealias Answer = String
    var text: String
  }

  actor Screen {
    private(set) var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    func show(_ questions: [Question]) {
      for question in questions { lines.append("\(question.step)?") }
    }
  }

  static func watch(_ coordinator: FlowCoordinator, on screen: Screen) async {
    for await event in coordinator.events {
      await screen.show(event.position.questions)  // the position has the open questions
    }
  }

  static func log(_ coordinator: FlowCoordinator, on screen: Screen) async {
    var last = 0
    for await event in coordinator.events {
      if event.sequence > last + 1 {
        await screen.show("missed \(event.sequence - last - 1)")
      }
      last = event.sequence
      switch event.change {
      case .moved(_, let visit): await screen.show("at \(visit.step)")
      case .backedUp(_, let visit, _): await screen.show("back at \(visit.step)")
      case .finished, .failed, .abandoned, .cancelled: await screen.show("\(event.position.status)")
      default: break
      }
    }
  }

  static func path(of position: Position) -> String {
    position.stack.reversed().map(\.step.name).joined(separator: " › ")
  }
}

@Suite("Article: events") struct EventSnippetTests {
  typealias Code = EventSnippets

  @Test("a watcher sees the questions, a log sees each move, and both end with the flow")
  func watching() async throws {
    let screen = Code.Screen()
    let log = Code.Screen()
    let flow = Flow("talk") {
      Step("name") { (_: Void, context: StepContext) in try await context.ask(Code.TextForm(text: "name")) }
      Step("mood") { (_: String, context: StepContext) in try await context.ask(Code.TextForm(text: "mood")) }
    }
    let result = try await running(flow, with: ()) { coordinator in
      async let watching: Void = Code.watch(coordinator, on: screen)
      async let logging: Void = Code.log(coordinator, on: log)
      _ = try await coordinator.settled()
      try await coordinator.answer(Code.TextForm.self, with: "Ada")
      #expect(Code.path(of: try await coordinator.settled()) == "name › mood")
      try await coordinator.backUp()
      _ = try await coordinator.settled()
      try await coordinator.answer(Code.TextForm.self, with: "Bob")
      _ = try await coordinator.settled()
      try await coordinator.answer(Code.TextForm.self, with: "good")
      await watching
      await logging
    }
    #expect(try result.get() == "good")
    #expect(await screen.lines == ["talk/name?", "talk/mood?", "talk/name?", "talk/mood?"])
    #expect(
      await log.lines == [
        "at talk/name", "at talk/mood", "back at talk/name", "at talk/mood", "finished",
      ])
  }

  @Test("a log too small for an idle reader shows the gap")
  func gap() async throws {
    let coordinator = FlowCoordinator(eventLog: 1)
    _ = try await coordinator.run(Flow { Step("a") { (text: String) in text } }, with: "x")
    let log = Code.Screen()
    await Code.log(coordinator, on: log)
    #expect(await log.lines == ["missed 2", "finished"])
  }
}
