import ActorFlow
import Testing

@Suite("The builder") struct BuilderTests {
  private func add(_ text: String) -> Step<String, String> { Step(text) { (input: String) in input + text } }

  private func run(_ flow: Flow<String, String>) async throws -> String {
    try await FlowCoordinator().run(flow, with: "")
  }

  @Test("if includes or leaves out a component", arguments: [(true, "abc"), (false, "ac")])
  func optional(isWanted: Bool, result: String) async throws {
    let flow = Flow {
      add("a")
      if isWanted { add("b") }
      add("c")
    }
    #expect(try await run(flow) == result)
    #expect(flow.steps.count == result.count)
  }

  @Test("if/else includes one of two components", arguments: [(true, "ab"), (false, "ac")])
  func either(isFirst: Bool, result: String) async throws {
    let flow = Flow {
      add("a")
      if isFirst { add("b") } else { add("c") }
    }
    #expect(try await run(flow) == result)
  }

  @Test("switch includes one of many cases, each of several steps", arguments: [(1, "ab"), (2, "acd"), (3, "ae")])
  func cases(number: Int, result: String) async throws {
    let flow = Flow {
      add("a")
      switch number {
      case 1: add("b")
      case 2:
        add("c")
        add("d")
      default: add("e")
      }
    }
    #expect(try await run(flow) == result)
  }

  @Test("branches may change the type, if all change it to the same one")
  func typedBranches() async throws {
    let isLong = true
    let flow = Flow {
      add("a")
      if isLong { Step("count") { (text: String) in text.count } } else { Step("one") { (_: String) in 1 } }
    }
    #expect(try await FlowCoordinator().run(flow, with: "xx") == 3)
  }

  @Test("for repeats components, none to many times", arguments: 0...3)
  func loops(count: Int) async throws {
    let flow = Flow {
      add("a")
      for number in 0..<count { add("\(number)") }
    }
    #expect(try await run(flow) == "a" + (0..<count).map(String.init).joined())
  }

  @Test("all forms nest")
  func nested() async throws {
    let flow = Flow {
      for letter in ["a", "b", "c"] {
        if letter != "b" {
          for number in 1...2 { add("\(letter)\(number)") }
          if letter == "c" { Flow("inner") { add("!") } }
        }
      }
    }
    #expect(try await run(flow) == "a1a2c1c2!")
    #expect(flow.steps.last == "inner/!")
  }

  @Test("a flow without a step passes its input on")
  func empty() async throws {
    let nobody = false
    let flow = Flow<String, String> { if nobody { add("a") } }
    #expect(try await FlowCoordinator().run(flow, with: "same") == "same")
    #expect(flow.steps.isEmpty)
  }

  @Test("a step without input may follow any step; a step without output may be last")
  func void() async throws {
    let trace = Trace()
    let flow = Flow {
      add("a")
      Step("nothing") { () in trace.add("ran") }
      Step("text") { () in "text" }
    }
    #expect(try await FlowCoordinator().run(flow, with: "x") == "text")
    try await FlowCoordinator().run(Flow { Step("nothing") { () in trace.add("ran") } })
    #expect(trace.all == ["ran", "ran"])
  }

  @Test("a flow of 60 steps runs them all, in order")
  func sixty() async throws {
    let ten = Flow {
      add("0")
      add("1")
      add("2")
      add("3")
      add("4")
      add("5")
      add("6")
      add("7")
      add("8")
      add("9")
    }
    let flow = Flow {
      ten
      ten
      ten
      ten
      ten
      ten
    }
    #expect(flow.steps.count == 60)
    #expect(Set(flow.steps).count == 60)
    #expect(try await run(flow) == String(repeating: "0123456789", count: 6))
  }
}
