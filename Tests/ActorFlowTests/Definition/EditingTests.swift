import ActorFlow
import Testing

@Suite("Editing a definition") struct EditingTests {
  private let flow = Flow("f") {
    Raw.step("a"); Raw.step("b"); Raw.step("c")
  }

  private func paths<I, O>(_ flow: Flow<I, O>) -> [String] { flow.steps.map(\.path) }

  @Test(
    "FL-18 a component is inserted before or behind a step, also at either end",
    arguments: [("a", "f/x f/a f/b f/c", "f/a f/x f/b f/c"), ("f/c", "f/a f/b f/x f/c", "f/a f/b f/c f/x")])
  func inserted(at step: String, before: String, after: String) async throws {
    for (order, flow) in [
      (before, try flow.inserting(before: StepID(step)) { Raw.step("x") }),
      (after, try flow.inserting(after: StepID(step)) { Raw.step("x") }),
    ] {
      #expect(paths(flow).joined(separator: " ") == order)
      let letters = order.filter { $0.isLetter && $0 != "f" }
      #expect(try await FlowCoordinator().run(flow, with: "") == letters)
    }
  }

  @Test("FL-18 several components can be inserted, and a step without input")
  func several() async throws {
    let edited = try flow.inserting(after: "b") {
      Raw.step("x")
      Flow("in") { Step("y") { () in "y" } }
    }
    #expect(paths(edited) == ["f/a", "f/b", "f/x", "f/in/y", "f/c"])
    #expect(try await FlowCoordinator().run(edited, with: "") == "yc")
    let first = try flow.inserting(before: "a") { Step("y") { () in "y" } }
    #expect(try await FlowCoordinator().run(first, with: "") == "yabc")
  }

  @Test("FL-18 a step is found inside every component", arguments: Raw.shop.steps.map(\.path))
  func everywhere(path: String) throws {
    let all = Raw.shop.steps.map(\.path)
    let index = try #require(all.firstIndex(of: path))
    let names = Raw.shop.steps.map(\.name)
    let id = StepID(path)
    let x = Raw.step("x")
    #expect(try Raw.shop.inserting(before: id) { x }.steps.map(\.name) == inserted(into: names, at: index))
    #expect(try Raw.shop.replacing(id) { x }.steps.map(\.name) == replaced(names, at: index))
    if path == "shop/menu" {
      #expect(code { try Raw.shop.inserting(after: id) { x } } == .badDefinition)
      #expect(code { try Raw.shop.removing(id) } == .badDefinition)
      #expect(
        code {
          try Raw.shop.replacing(id) {
            x; x
          }
        } == .badDefinition)
    } else {
      #expect(try Raw.shop.inserting(after: id) { x }.steps.map(\.name) == inserted(into: names, at: index + 1))
      #expect(try Raw.shop.removing(id).steps.map(\.name) == removed(from: names, at: index))
    }
  }

  @Test("FL-20 an inserted component gets the policies and the presentation around the step, not the step's own")
  func policies() throws {
    let around = Raw.presented(
      .modal,
      Flow {
        Raw.step("a")
        Raw.presented(.push, Raw.step("b").onBackUp(.oneWay))
        Raw.step("c")
      })
    for edited in [
      try around.inserting(after: "b") { Raw.step("x") }, try around.inserting(before: "b") { Raw.step("x") },
    ] {
      let x = try edited.graph.node(matching: "x")
      let b = try edited.graph.node(matching: "b")
      #expect(x.info.presentation == .modal)
      #expect(x.backUp == .automatic)
      #expect(b.info.presentation == .push)
      #expect(b.backUp == .oneWay)
    }
  }

  @Test("FL-20 a wrapper around several steps is also around the inserted one; a step's own wrapper is not")
  func scopes() throws {
    let several = Raw.within(
      .timeout(.seconds(30)),
      Flow {
        Raw.step("a"); Raw.step("b")
      })
    #expect(try several.inserting(after: "b") { Raw.step("x") }.scopesAroundX == 1)
    #expect(try several.inserting(before: "a") { Raw.step("x") }.scopesAroundX == 1)
    let own = Flow {
      Raw.within(.timeout(.seconds(30)), Raw.step("a")); Raw.step("b")
    }
    #expect(try own.inserting(after: "a") { Raw.step("x") }.scopesAroundX == 0)
    #expect(try own.inserting(before: "a") { Raw.step("x") }.scopesAroundX == 0)
    #expect(try own.replacing("a") { Raw.step("x") }.scopesAroundX == 1)
  }

  @Test("FL-22, SC-113 two flows derived from one are independent, and the original is unchanged")
  func independent() async throws {
    let one = try flow.inserting(after: "a") { Raw.step("x") }
    let other = try flow.removing("b")
    #expect(paths(one) == ["f/a", "f/x", "f/b", "f/c"])
    #expect(paths(other) == ["f/a", "f/c"])
    #expect(paths(flow) == ["f/a", "f/b", "f/c"])
    async let first = FlowCoordinator().run(one, with: "")
    async let second = FlowCoordinator().run(other, with: "")
    #expect(try await [first, second] == ["axbc", "ac"])
  }

  @Test("SC-112 the remaining steps are the same objects, with their policies")
  func same() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Automatic(trace) }.onBackUp(.oneWay); Raw.step("b")
    }
    let edited = try flow.removing("b")
    #expect(try await FlowCoordinator().run(edited, with: "in ") == "in a")
    #expect(trace.all == ["a:proceed(in )"])
    #expect(edited.graph.nodes.map(\.backUp) == [.oneWay])
  }

  @Test("a map of a step's output stays behind a component inserted behind the step")
  func beforeMap() async throws {
    let flow = Step("a") { (input: String) in input + "a" }.carrying { input, output in [input, output] }
    let edited = try flow.inserting(after: "a") { Raw.step("x") }
    #expect(try await FlowCoordinator().run(edited, with: "-") == ["-", "-ax"])
    let replaced = try flow.replacing("a") {
      Raw.step("y"); Raw.step("z")
    }
    #expect(try await FlowCoordinator().run(replaced, with: "-") == ["-", "-yz"])
  }

  @Test("types that do not fit: the error names the step and the types")
  func types() {
    let length = Flow {
      Raw.step("a"); Step("count") { (input: String) in input.count }
    }
    let number = Step("n") { (input: Int) in input }
    #expect(
      message { try length.inserting(after: "a") { number } }
        == "badDefinition at a: a component after this step must take and return String, but takes Int and returns Int")
    #expect(code { try length.inserting(before: "count") { number } } == .badDefinition)
    #expect(code { try length.inserting(after: "a") { Step("v") { (_: String) in () } } } == .badDefinition)
    #expect(throws: Never.self) { try length.inserting(after: "count") { number } }
    #expect(
      message { try length.replacing("count") { number } }
        == "badDefinition at count: a component in place of this step must take String and return Int, "
        + "but takes Int and returns Int")
    #expect(
      message { try length.removing("count") }
        == "badDefinition at count: it takes String and returns Int, so its neighbours do not fit without it; "
        + "replace it")
  }

  @Test("an unknown or ambiguous step, or a fork: the error names it")
  func unknown() {
    #expect(code { try flow.removing("z") } == .noSuchStep)
    #expect(code { try flow.inserting(after: "f") { Raw.step("x") } } == .noSuchStep)
    let twice = Flow {
      Flow("l") { Raw.step("a") }; Flow("r") { Raw.step("a") }
    }
    #expect(code { try twice.replacing("a") { Raw.step("x") } } == .noSuchStep)
    #expect(code { try Raw.shop.removing("checks") } == .badDefinition)
  }
}

extension EditingTests {
  private func message<O>(_ edit: () throws -> Flow<String, O>) -> String? {
    do { _ = try edit() } catch { return "\(error)" }
    return nil
  }

  private func inserted(into names: [String], at index: Int) -> [String] {
    Array(names[..<index]) + ["x"] + names[index...]
  }

  private func replaced(_ names: [String], at index: Int) -> [String] {
    Array(names[..<index]) + ["x"] + names[(index + 1)...]
  }

  private func removed(from names: [String], at index: Int) -> [String] {
    Array(names[..<index]) + names[(index + 1)...]
  }
}

extension Flow {
  /// Returns the number of wrappers open where the step `x` begins.
  fileprivate var scopesAroundX: Int {
    get throws {
      let x = try graph.node(matching: "x")
      return graph.program[..<x.address].reduce(0) { open, instruction in
        switch instruction {
        case .open: open + 1
        case .close: open - 1
        default: open
        }
      }
    }
  }
}
