import Testing

@testable import ActorFlow

@Suite("Early ends") struct ExitTests {
  private typealias Text = Exit<String, String>
  private let trace = Trace()

  /// A step that finishes if its input contains its name, and otherwise appends the name.
  private func exit(_ name: String) -> Step<String, Exit<String, String>> {
    Step(name) { (text: String) -> Exit<String, String> in
      text.contains(name) ? .finish("ended by \(name)") : .proceed(text + name)
    }
  }

  private func step(_ name: String) -> Step<String, String> { Step(name) { Automatic(trace) } }
  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }

  private func run<O: Sendable>(_ flow: Flow<String, O>, _ input: String) async throws -> O {
    try await FlowCoordinator().run(flow, with: input)
  }

  private var flow: Flow<String, String> {
    Flow("f", finishingWith: String.self) {
      step("a")
      exit("B")
      step("c")
      exit("D")
      exit("E")
      step("g")
    }
  }

  @Test("FS-12 a step returns an outcome: the flow ends with it, and the steps behind it are not entered")
  func outcome() async throws {
    #expect(try await run(flow, "") == "aBcDEg")
    #expect(try await run(flow, "B") == "ended by B")
    #expect(try await run(flow, "D") == "ended by D")
    #expect(try await run(flow, "E") == "ended by E")
    #expect(
      trace.all == [
        "a:proceed()", "c:proceed(aB)", "g:proceed(aBcDE)", "a:proceed(B)", "a:proceed(D)", "c:proceed(DaB)",
        "a:proceed(E)", "c:proceed(EaB)",
      ])
    #expect(flow.steps == ["f/a", "f/B", "f/c", "f/D", "f/E", "f/g"])
  }

  @Test("FS-12 a finish ends the flow that declares it, not the run: the step behind that flow gets the outcome")
  func nested() async throws {
    let outer = Flow("outer", finishingWith: String.self) {
      exit("O")
      flow.named("inner")
      exit("P")
      step("end")
    }
    #expect(try await run(outer, "B") == "ended by BPend")
    #expect(try await run(outer, "O") == "ended by O")
    #expect(try await run(outer, "PB") == "ended by BPend")
    #expect(try await run(outer, "") == "OaBcDEgPend")
    #expect(outer.steps.map(\.path).contains("outer/inner/B"))
  }

  @Test("without a flow that declares it, the exit itself is the output")
  func open() async throws {
    let open = Flow("open") {
      exit("A")
      step("b")
    }
    #expect(try await run(open, "") == .proceed("Ab"))
    #expect(try await run(open, "A") == .finish("ended by A"))
    let counted = open.map { exit in if case .proceed(let text) = exit { text.count } else { 0 } }
    #expect(try await run(counted, "") == 2)
    #expect(try await run(counted, "A") == 0)
  }

  @Test("a single step, steps without input, and values that pass through")
  func around() async throws {
    let guardian = Step("guard") { (_: Void) -> Exit<Void, Int> in .proceed(()) }
    let closed = Step("closed") { (_: Void) -> Exit<Void, Int> in .finish(-1) }
    let log = Step("log") { (_: Void) in "log" }
    func flow(_ isClosed: Bool) -> Flow<String, Int> {
      Flow(finishingWith: Int.self) {
        guardian.passingThrough(String.self)
        log.passingThrough()
        guardian.passingThrough()
        if isClosed { closed.passingThrough() }
        guardian
        guardian
        log
        Step("count") { (text: String) in text.count }
      }
    }
    #expect(try await run(flow(false), "x") == 3)
    #expect(try await run(flow(true), "x") == -1)
    #expect(try await run(Flow(finishingWith: String.self) { exit("A") }, "A") == "ended by A")
    #expect(try await run(Flow(finishingWith: String.self) { exit("A") }, "") == "A")
    #expect(try await run(exit("A").passingThrough().flow, "x") == .proceed("x"))
    #expect(try await run(exit("A").passingThrough().flow, "A") == .finish("ended by A"))
    #expect(try await run(closed.passingThrough(String.self), "x") == .finish(-1))
  }

  @Test("`if` without `else`, `for`, and an empty Otherwise proceed", arguments: [false, true])
  func control(isOn: Bool) async throws {
    let flow = Flow(finishingWith: String.self) {
      step("a")
      if isOn { exit("B") }
      for name in isOn ? ["C", "D"] : [] { exit(name) }
      Switch {
        Case("long", where: { (text: String) in text.count > 5 }) { exit("E") }
        Otherwise {}
      }
      step("g")
    }
    #expect(try await run(flow, "") == (isOn ? "aBCDg" : "ag"))
    #expect(try await run(flow, "D") == (isOn ? "ended by D" : "Dag"))
    #expect(try await run(flow, "-----E") == (isOn ? "ended by E" : "ended by E"))
  }

  @Test("in branches, cases and loops: each flow that declares an outcome ends by itself")
  func everywhere() async throws {
    func sub(_ name: String) -> Flow<String, String> {
      Flow(name, finishingWith: String.self) {
        exit("B")
        step("c")
      }
    }
    let flow = Flow<String, String> {
      Parallel {
        sub("x")
        Flow<String, String> {
          step("y")
          sub("z")
        }
      } join: {
        "\($0)|\($1)"
      }
      Loop {
        Flow("body", finishingWith: Again<String, String>.self) {
          Step("check") { (text: String) -> Exit<String, Again<String, String>> in
            text.count > 40 ? .finish(.done(text)) : .proceed(text)
          }
          Step("add") { (text: String) in Again<String, String>.again(text + "----") }
        }
      }
      ForEach({ (text: String) in ["\(text.count)", "B"] }) { sub("each") }.map { $0.joined(separator: ",") }
    }
    #expect(try await run(flow, "") == "42Bc,ended by B")
    #expect(try await run(flow, "B") == "41Bc,ended by B")
  }

  @Test("retry, timeout and recover around it: a finish is no failure")
  func scopes() async throws {
    let count = Count()
    let flow = Flow(finishingWith: String.self) {
      step("a")
      Step("b") { (text: String) -> Exit<String, String> in
        if count.next() < 3 { throw Refused() }
        return .finish("third")
      }
      step("c")
    }
    .retry(3).timeout(.seconds(9)).recover { _ in "recovered" }
    #expect(try await run(flow, "") == "third")
    #expect(count.now == 3)
    let failing = Flow(finishingWith: String.self) {
      exit("A")
      Step("b") { (_: String) throws -> String in throw Refused() }
    }
    .recover { _ in "recovered" }
    #expect(try await run(failing, "") == "recovered")
    #expect(try await run(failing, "A") == "ended by A")
  }

  @Test("around a single step that may finish, all attempts of a retry belong to one entering")
  func retriedStep() async throws {
    let (count, charges) = (Count(), Count())
    let flow = Flow<String, String>("f", finishingWith: String.self) {
      Step("b") { (text: String, context: StepContext) -> Exit<String, String> in
        try await context.once("charge") { _ in _ = charges.next() }
        if count.next() < 2 { throw Refused() }
        return .finish("done")
      }
    }
    .retry(2)
    #expect(try await run(flow, "") == "done")
    #expect(charges.now == 1)
  }

  @Test("a finish compensates nothing; a back from behind the flow leads to the step that has finished")
  func back() async throws {
    let flow = launch(
      Flow<String, String> {
        Flow("f", finishingWith: String.self) {
          asker("a")
          asker("b").map { $0.hasSuffix("end") ? Text.finish($0) : .proceed($0) }
          asker("c")
        }
        asker("d")
      }, with: "")
    for answer in ["1", "end"] { try await flow.answer(answer) }
    _ = try await flow.coordinator.settled()
    #expect(await flow.coordinator.position.questions.map(\.step) == ["d"])
    try await flow.coordinator.backUp()
    for answer in ["2", "3", "4"] { try await flow.answer(answer) }
    #expect(try await flow.result.get() == "1234")
    #expect(
      trace.all == [
        "a:proceed()", "b:proceed(1)", "d:proceed(1end)", "d:backUp", "b:backUp", "b:proceed(1)", "c:proceed(12)",
        "d:proceed(123)",
      ])
  }

  @Test("a destination leads to the next step for a value that proceeds, and past all steps for an outcome")
  func destination() throws {
    let inner = flow
    let flow = Flow("outer") {
      inner
      step("end")
    }
    #expect(try flow.destination(after: "B", for: Text.proceed("x")) == .step("outer/f/c"))
    #expect(try flow.destination(after: "B", for: Text.finish("x")) == .step("outer/end"))
    #expect(try flow.destination(after: "E", for: Text.finish("x")) == .step("outer/end"))
  }

  @Test("editing: behind a step that may finish with the value that proceeds, and inside")
  func editing() async throws {
    let edited = try flow.inserting(after: "B") { step("h") }
      .inserting(before: "E") { step("j") }
      .replacing("D") { exit("K") }
    #expect(edited.steps == ["f/a", "f/B", "f/h", "f/c", "f/K", "f/j", "f/E", "f/g"])
    #expect(try await run(edited, "") == "aBhcKjEg")
    #expect(try await run(edited, "B") == "ended by B")
  }

  @Test("editing: a component that may finish fits behind another one, and a misfit is refused with both types")
  func editingExits() async throws {
    let edited = try flow.inserting(after: "B") { exit("X") }
      .inserting(after: "E") { Step("log") { (_: Void) in "logged" } }
    #expect(try await run(edited, "") == "loggedg")
    #expect(try await run(edited, "X") == "ended by X")
    let count = Step("n") { (text: String) in text.count }
    let refused = #expect(throws: FlowError.self) { try flow.inserting(after: "B") { count } }
    #expect(refused?.code == .badDefinition)
    #expect(refused?.message.contains("Exit<String, String>") == true)
    #expect(code { try flow.removing("B") } == .badDefinition)
  }

  @Test("names: a name replaces that of the flow; an unnamed flow gets one")
  func names() {
    #expect(flow.named("n").steps.first == "n/a")
    let unnamed = Flow(finishingWith: String.self) {
      exit("A")
      step("b")
    }
    #expect(unnamed.steps == ["A", "b"])
    #expect(unnamed.named("n").steps == ["n/A", "n/b"])
    #expect(Flow(finishingWith: String.self) { exit("A") }.named("n").steps == ["n"])
  }

  @Test("a diagram draws a finish as an arrow to the end of its flow, without a diamond")
  func diagram() {
    let flow = Flow("outer") {
      Flow("f", finishingWith: String.self) {
        exit("A")
        step("b")
        if true { exit("C") }
        if false { exit("D") }
        step("e")
      }
      step("g")
    }
    let lines = flow.diagram(.mermaid).split(separator: "\n").filter { $0.contains("->") }.map {
      $0.drop { $0 == " " }
    }
    #expect(
      lines == [
        "n0 --> n1", "n1 --> n2", "n2 --> n3", "n3 --> n4", "n4 --> n5", #"n1 -->|"finish"| n5"#,
        #"n3 -->|"finish"| n5"#, "n5 --> n6",
      ])
    #expect(!flow.diagram(.mermaid).contains("{"))
  }

  @Test("a diagram of early ends in cases and nested flows")
  func nestedDiagram() {
    let flow = Flow(finishingWith: String.self) {
      exit("A")
      Flow(finishingWith: String.self) {
        exit("B")
        step("c")
      }
      Switch {
        Case("x", where: { (_: String) in true }) { exit("D") }
        Otherwise {}
      }
      step("e")
    }
    let lines = flow.diagram(.mermaid).split(separator: "\n").filter { $0.contains("->") }.map {
      $0.drop { $0 == " " }
    }
    // 1 A, 2 B, 3 c, 4 the choice, 5 D, 6 e, 7 the end
    #expect(
      lines == [
        "n0 --> n1", "n1 --> n2", "n2 --> n3", "n3 --> n4", #"n2 -->|"finish"| n4"#, #"n4 -->|"x"| n5"#, "n5 --> n6",
        #"n4 -->|"otherwise"| n6"#, "n6 --> n7", #"n1 -->|"finish"| n7"#, #"n5 -->|"finish"| n7"#,
      ])
  }
}
