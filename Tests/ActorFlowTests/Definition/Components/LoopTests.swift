import ActorFlow
import Testing

@Suite("Loop") struct LoopTests {
  private func loop(until length: Int) -> Loop<String, Int> {
    Loop {
      Step("add") { (text: String) in text + "x" }
      Step("enough") { (text: String) in
        text.count >= length ? Again<String, Int>.done(text.count) : .again(text)
      }
    }
  }

  @Test("the body is repeated until it is done, and its last value is passed on")
  func rounds() async throws {
    let flow = Flow {
      Step("start") { "x" }
      loop(until: 4)
      Step("end") { (count: Int) in "\(count)" }
    }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow) == "4")
    #expect(
      await coordinator.position.stack.reversed().map(\.step.name)
        == ["start", "add", "enough", "add", "enough", "add", "enough", "end"])
  }

  @Test("a loop is its body with a decision behind it, and adds no part to paths")
  func shape() {
    let flow = Flow("shop") { loop(until: 1) }
    #expect(flow.steps == ["shop/add", "shop/enough"])
    #expect(flow.named("z").steps == ["z/add", "z/enough"])
    #expect(loop(until: 1).named("round").steps == ["round/add", "round/enough"])
    #expect(flow.graph.program.map { "\($0)".prefix { $0 != "(" } } == ["step", "step", "decide", "end"])
  }

  @Test("nested loops count their rounds separately")
  func nested() async throws {
    let inner = Loop {
      Step("inner") { (count: Int) in
        count % 10 == 3 ? Again<Int, Int>.done(count - 3 + 10) : .again(count + 1)
      }
    }
    let outer = Loop {
      inner
      Step("outer") { (count: Int) in count == 30 ? Again<Int, String>.done("\(count)") : .again(count) }
    }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(outer, with: 0) == "30")
    #expect(await coordinator.position.stack.count == 3 * 5)
  }

  @Test("a back inside a loop leads into the round before, to the instance of that round")
  func back() async throws {
    let trace = Trace()
    let flow = Loop {
      Step("ask") { Asker(trace) }
      Step("enough") { (text: String) in text.count >= 2 ? Again<String, String>.done(text) : .again(text) }
    }
    let result = try await running(flow.flow, with: "") { coordinator in
      try await coordinator.answerNext("1")
      #expect(try await coordinator.settled().questions.first?.prompt is Form)
      #expect(try await coordinator.backUpAndSettle() == "ask")
      try await coordinator.answerNext("2")
      try await coordinator.answerNext("3")
    }
    #expect(try result.get() == "23")
    #expect(
      trace.all == [
        "ask:proceed()", "ask:proceed(1)", "ask:backUp", "ask:backUp", "ask:proceed()", "ask:proceed(2)",
      ])
  }

  @Test("again and done are distinguished by case")
  func values() throws {
    #expect(Again<Int, Int>.again(1) != .done(1))
    #expect(Set([Again<Int, Int>.again(1), .done(1), .done(1)]).count == 2)
  }
}
