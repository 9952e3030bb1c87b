import ActorFlow
import Testing

@Suite("Scenarios: building a definition") struct BuildingScenarios {
  @Test("SC-097 an `if` in a definition includes its steps or leaves them out", arguments: [true, false])
  func conditional(isIn: Bool) async throws {
    let flow = Flow {
      Step("a") { Automatic() }
      if isIn { Step("b") { Automatic() } }
      Step("c") { Automatic() }
      if isIn { Step("d") { Automatic() } } else { Step("e") { Automatic() } }
    }
    let expected = isIn ? ["a", "b", "c", "d"] : ["a", "c", "e"]
    #expect(flow.steps.map(\.name) == expected)
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow, with: "") == expected.joined())
    #expect(await coordinator.position.stack.map(\.step.name) == expected.reversed())
  }

  @Test("FL-21 a flow built with `for`, `if` and `switch` has exactly the chosen steps")
  func chosen() async throws {
    enum Member { case guest, regular, staff }
    func flow(for member: Member) -> Flow<String, String> {
      Flow {
        for number in 1...3 {
          Step("a\(number)") { Automatic() }
        }
        switch member {
        case .guest: Step("guest") { Automatic() }
        case .regular: Step("regular") { Automatic() }
        case .staff:
          Step("staff") { Automatic() }
          Step("badge") { Automatic() }
        }
        if member != .guest { Step("points") { Automatic() } }
      }
    }
    #expect(try await FlowCoordinator().run(flow(for: .guest), with: "") == "a1a2a3guest")
    #expect(try await FlowCoordinator().run(flow(for: .regular), with: "") == "a1a2a3regularpoints")
    #expect(try await FlowCoordinator().run(flow(for: .staff), with: "") == "a1a2a3staffbadgepoints")
  }

  @Test("SC-098 a group behaves as if its steps were written inline, and groups may be nested")
  func groups() async throws {
    let names = "abcdefghijkl".map(String.init)
    func steps(_ names: ArraySlice<String>) -> Flow<String, String> {
      Flow { for name in names { Step(name) { Automatic() } } }
    }
    let grouped = Flow {
      steps(names[0..<3])
      Flow {
        steps(names[3..<5])
        Flow { steps(names[5..<12]) }
      }
    }
    let inline = steps(names[...])
    #expect(grouped.steps == inline.steps)
    let (first, second) = (FlowCoordinator(), FlowCoordinator())
    #expect(try await first.run(grouped, with: "") == "abcdefghijkl")
    #expect(try await second.run(inline, with: "") == "abcdefghijkl")
    #expect(await moves(of: first) == moves(of: second))
  }

  @Test("SC-100 where one of two steps is chosen and the other skips, no move ever lands on the skipped one")
  func toggle() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Chosen("b") }
      Step("c") { Chosen("c") }
      Step("d") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "", on: coordinator) { coordinator in
      for choice in ["b", "c", "b"] {
        try await coordinator.answerNext(choice, at: "a")
        try await coordinator.answerNext("yes", at: choice)
        #expect(try await coordinator.focus() == "d")
        #expect(try await coordinator.backUpAndSettle() == choice)
        #expect(try await coordinator.backUpAndSettle() == "a")
      }
      try await coordinator.answerNext("c", at: "a")
      try await coordinator.answerNext("yes", at: "c")
      try await coordinator.answerNext("!", at: "d")
    }
    #expect(try result.get() == "c!")
  }

  @Test("SC-112 erasing a flow's type keeps its steps, in their order and under their names")
  func erasureKeepsSteps() async throws {
    let made = Collected<String>()
    let flow = Flow("shop") {
      for name in ["a", "b"] {
        Step(name) { () -> Automatic in
          made.append(name)
          return Automatic()
        }
      }
    }
    let erased: any FlowComponent<String, String> = flow
    #expect(erased.flow.steps == flow.steps)
    #expect(made.all.isEmpty)
    #expect(try await FlowCoordinator().run(erased, with: "") == "ab")
    #expect(made.all == ["a", "b"])
  }

  @Test("SC-113, FL-22 two flows that extend one definition are independent of each other, and so is the original")
  func extendedTwice() async throws {
    let prefix = Flow { Step("a") { Asker() } }
    let long = Flow {
      prefix
      Step("b") { Asker() }
    }
    let other = Flow {
      prefix
      Step("c") { Asker() }
      Step("d") { Automatic() }
    }
    #expect([prefix.steps, long.steps, other.steps] == [["a"], ["a", "b"], ["a", "c", "d"]])
    let second = FlowCoordinator()
    let result = try await running(long, with: "x") { first in
      try await first.answerNext("1", at: "a")
      let others = try await running(other, with: "y", on: second) { second in
        try await second.answerNext("2", at: "a")
        #expect(try await first.focus() == "b")
        try await second.answerNext("3", at: "c")
      }
      #expect(try others.get() == "y23d")
      try await first.answerNext("4", at: "b")
    }
    #expect(try result.get() == "x14")
    #expect(prefix.steps == ["a"])
  }

  @Test("FS-30 the same steps in another order make another flow, without a change in any of them")
  func reordered() async throws {
    func flow(_ order: [String]) -> Flow<String, String> {
      Flow {
        for name in order {
          if name == "asks" { Step(name) { Asker() } } else { Step(name) { Automatic() } }
        }
      }
    }
    for order in [["x", "asks", "y"], ["y", "x", "asks"], ["asks", "y", "x"]] {
      let result = try await running(flow(order), with: "") { try await $0.answerNext("asks", at: "asks") }
      #expect(try result.get() == order.joined())
    }
  }

  @Test("FL-03 the factory of a step that was never reached never runs")
  func neverReached() async throws {
    let made = Collected<String>()
    let flow = Flow {
      for name in ["a", "b", "c"] {
        Step(name) { () -> Asker in
          made.append(name)
          return Asker()
        }
      }
    }
    _ = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "b")
      try await coordinator.abandon()
    }
    #expect(made.all == ["a", "b"])
  }
}

/// Asks if the input is its name, skips otherwise.
private actor Chosen: SkippableStep {
  private let name: String
  init(_ name: String) { self.name = name }
  func skip(_ input: String, context: EntryContext) -> Skip<String> { input == name ? .enter : .with(input) }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    _ = try await context.ask(Form(text: name))
    return input
  }
  func backUp(context: RollbackContext) {}
}
