import ActorFlow
import Testing

/// An enum of an application, for the cases of a ``Switch``.
private enum Visitor: Sendable {
  case guest(String)
  case member(Int)
  case robot

  var guest: String? { if case .guest(let name) = self { name } else { nil } }
  var member: Int? { if case .member(let number) = self { number } else { nil } }
}

@Suite("Switch") struct SwitchTests {
  private var greeting: Switch<Visitor, String> {
    Switch {
      Case("guest", { (visitor: Visitor) in visitor.guest }) {
        Step("greet") { (name: String) in "Hello \(name)" }
      }
      Case("member", \Visitor.member) {
        Step("look up") { (number: Int) in number + 1 }
        Step("greet") { (number: Int) in "Welcome back \(number)" }
      }
    }
  }

  private var complete: Switch<Visitor, String> {
    Switch {
      Case("guest", { (visitor: Visitor) in visitor.guest }) { Step("greet") { (name: String) in name } }
      Otherwise { Step("turn away") { (visitor: Visitor) in "Sorry, \(visitor)" } }
    }
  }

  @Test(
    "FS-10 the matching case starts its branch, with the payload of the case",
    arguments: [(Visitor.guest("Ann"), "Hello Ann", 1), (.member(7), "Welcome back 8", 2)])
  private func picked(visitor: Visitor, greeting said: String, steps: Int) async throws {
    let flow = Flow {
      Step("arrive") { (visitor: Visitor) in visitor }
      greeting
      Step("leave") { (text: String) in "\(text)!" }
    }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow, with: visitor) == "\(said)!")
    #expect(await coordinator.position.stack.count == steps + 2)
  }

  @Test("RX-11 a value that no case matches fails with the names of the cases, and rolls back")
  func unmatched() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Automatic(trace) }
      Step("visit") { (_: String) in Visitor.robot }
      greeting
    }
    let error = await #expect(throws: FlowError.self) { try await FlowCoordinator().run(flow, with: "") }
    #expect(error?.code == .noMatchingCase)
    #expect(error?.message.contains("\"guest\", \"member\"") == true)
    #expect(trace.all == ["a:proceed()", "a:backUp"])
  }

  @Test("the otherwise branch gets the value itself, or nothing if it needs no input")
  func otherwise() async throws {
    #expect(try await FlowCoordinator().run(complete, with: .robot) == "Sorry, robot")
    #expect(try await FlowCoordinator().run(complete, with: .guest("Ann")) == "Ann")
    let needless = Switch {
      Case("guest", { (visitor: Visitor) in visitor.guest }) { Step("greet") { (name: String) in name } }
      Otherwise { Step("turn away") { "Sorry" } }
    }
    #expect(try await FlowCoordinator().run(needless, with: .robot) == "Sorry")
  }

  @Test("a case's name is part of the paths of its steps; otherwise adds no part")
  func names() {
    #expect(Flow("shop") { greeting }.steps == ["shop/guest/greet", "shop/member/look up", "shop/member/greet"])
    #expect(complete.flow.steps == ["guest/greet", "turn away"])
    #expect(complete.named("door").steps == ["door/guest/greet", "door/turn away"])
  }

  @Test("a choice, its cases one after the other, each with an edge to the end of all")
  func shape() {
    let flow = Flow {
      complete
      Step("end") { (text: String) in text }
    }
    #expect(
      flow.graph.program.map { "\($0)".prefix { $0 != "(" } }
        == ["choose", "step", "jump", "step", "jump", "step", "end"])
    guard case .choose(_, let addresses, let otherwise) = flow.graph.program[0] else {
      Issue.record("the choice is missing")
      return
    }
    #expect(addresses == [1])
    #expect(otherwise == 3)
  }

  @Test("the first case that matches wins")
  func first() async throws {
    let size = Switch {
      Case("large", where: { (count: Int) in count > 100 }) { Step("a") { (count: Int) in "large" } }
      Case("some", where: { (count: Int) in count > 10 }) { Step("a") { (count: Int) in "some" } }
      Otherwise { Step("a") { "few" } }
    }
    var said: [String] = []
    for count in [1_000, 100, 10] { said.append(try await FlowCoordinator().run(size, with: count)) }
    #expect(said == ["large", "some", "few"])
    #expect(size.flow.steps == ["large/a", "some/a", "a"])
  }

  @Test("WF-20 the steps shared by several choices come after the cases of each")
  func shared() async throws {
    func choice(_ own: String...) -> Switch<String, String> {
      Switch {
        for key in own { Case(key, where: { $0 == key }) { Step("a") { (key: String) in "own \(key)" } } }
        Case("cancel", where: { $0 == "cancel" }) { Step("a") { (key: String) in "shared \(key)" } }
      }
    }
    #expect(try await FlowCoordinator().run(choice("pay"), with: "cancel") == "shared cancel")
    #expect(try await FlowCoordinator().run(choice("pay", "cancel"), with: "cancel") == "own cancel")
  }

  @Test("a match that throws fails the flow with its error")
  func throwing() async throws {
    let flow = Switch {
      Case("never", { (text: String) throws -> String? in throw Refused() }) { Step("a") { (text: String) in text } }
    }
    await #expect(throws: Refused.self) { try await FlowCoordinator().run(flow, with: "") }
  }

  @Test("SC-097 cases may be added, left out and repeated when the flow is built", arguments: [true, false])
  func built(isOpen: Bool) async throws {
    let flow = Switch {
      if isOpen { Case("open", where: { $0 == "open" }) { Step("a") { (text: String) in "in" } } }
      for name in ["x", "y"] { Case(name, where: { $0 == name }) { Step("a") { (text: String) in name + name } } }
      Otherwise { Step("a") { (text: String) in "out" } }
    }
    #expect(try await FlowCoordinator().run(flow, with: "open") == (isOpen ? "in" : "out"))
    #expect(try await FlowCoordinator().run(flow, with: "y") == "yy")
  }

  @Test("WF-16 of a chain of decisions the first that yields something decides, and the rest are not asked")
  func chain() async throws {
    let trace = Trace()
    func decision(_ name: String, _ yields: String) -> @Sendable (String) -> String? {
      { text in
        trace.add(name)
        return text == yields ? text + name : nil
      }
    }
    let flow = Flow {
      Switch {
        Case("1", decision("1", "x")) { Step("first") { (text: String) in text } }
        Case("2", decision("2", "y")) { Step("second") { (text: String) in text } }
        Case("3", decision("3", "y")) { Step("third") { (text: String) in text } }
        Otherwise { Step("none") { (_: String) in "-" } }
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: "y") == "y2")
    #expect(trace.all == ["1", "2"])
    #expect(try await FlowCoordinator().run(flow, with: "z") == "-")
  }

  @Test("WF-17 a choice enters one branch and shows nothing itself: no place, and no event of its own")
  func quiet() async throws {
    let coordinator = FlowCoordinator()
    _ = try await coordinator.run(complete, with: .robot)
    #expect(await moves(of: coordinator) == ["launched", "moved -→turn away", "finished"])
  }

  @Test("a back after a choice leads into the branch that was walked")
  func back() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("ask") { Asker(trace) }
      Switch {
        Case("long", where: { (text: String) in text.count > 1 }) { Step("a") { Asker(trace) } }
        Otherwise { Step("b") { Asker(trace) } }
      }
      Step("end") { Asker(trace) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "ask")
      try await coordinator.answerNext("2", at: "b")
      #expect(try await coordinator.focus() == "end")
      #expect(try await coordinator.backUpAndSettle() == "b")
      #expect(try await coordinator.backUpAndSettle() == "ask")
      try await coordinator.answerNext("12", at: "ask")
      try await coordinator.answerNext("3", at: "a")
      try await coordinator.answerNext("4", at: "end")
    }
    #expect(try result.get() == "1234")
  }

  @Test("a payload may itself be an optional")
  func optional() async throws {
    let flow = Switch {
      Case("some", { (number: Int?) -> Int?? in number == 0 ? nil : .some(number) }) {
        Step("say") { (number: Int?) in number.map { "\($0)" } ?? "none" }
      }
      Otherwise { Step("zero") { "zero" } }
    }
    #expect(try await FlowCoordinator().run(flow, with: nil) == "none")
    #expect(try await FlowCoordinator().run(flow, with: 1) == "1")
    #expect(try await FlowCoordinator().run(flow, with: 0) == "zero")
  }
}
