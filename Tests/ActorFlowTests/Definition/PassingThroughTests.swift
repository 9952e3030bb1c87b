import Testing

@testable import ActorFlow

/// A step without input, which asks.
private actor Notice: FlowStep {
  private let trace: Trace
  init(_ trace: Trace = Trace()) { self.trace = trace }
  func proceed(_ input: Void, context: StepContext) async throws -> Int {
    trace.add("\(context.step.name):proceed")
    _ = try await context.ask(Form(text: "seen?"))
    return 7
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// A step without input that works and asks nothing.
private actor Log: FlowStep {
  private let trace: Trace
  init(_ trace: Trace) { self.trace = trace }
  func proceed(_ input: Void, context: StepContext) async throws -> Int {
    trace.add("\(context.step.name):proceed")
    return 7
  }
  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }
}

/// A step without input that may skip itself.
private actor Hint: SkippableStep {
  private let isNeeded: Bool
  init(isNeeded: Bool) { self.isNeeded = isNeeded }
  func skip(_ input: Void, context: EntryContext) -> Skip<Int> { isNeeded ? .enter : .with(0) }
  func proceed(_ input: Void, context: StepContext) -> Int { 1 }
  func backUp(context: RollbackContext) {}
}

@Suite("Passing through") struct PassingThroughTests {
  private let trace = Trace()

  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }
  private func log(_ name: String) -> Step<Void, Int> { Step(name) { Log(trace) } }

  private func run<O: Sendable>(_ flow: Flow<String, O>, _ input: String = "x") async throws -> O {
    try await FlowCoordinator().run(flow, with: input)
  }

  @Test("a step without input lets the value through, at the beginning, between two steps and at the end")
  func anywhere() async throws {
    let flow = Flow("f") {
      log("first").passingThrough()
      Step("count") { (text: String) in text.count }
      log("middle").passingThrough()
      Step("double") { (number: Int) in number * 2 }
      log("last").passingThrough()
    }
    #expect(try await run(flow, "abc") == 6)
    #expect(trace.all == ["first:proceed", "middle:proceed", "last:proceed"])
    #expect(flow.steps == ["f/first", "f/count", "f/middle", "f/double", "f/last"])
  }

  @Test("a step with an input gets the value, and lets it through")
  func withInput() async throws {
    let flow: Flow<String, String> = Step("count") { (text: String) in text.count }.passingThrough()
    #expect(try await run(flow, "abc") == "abc")
  }

  @Test("a component that is a flow runs as a whole; with the type given it needs no neighbour")
  func flows() async throws {
    let logs = Flow("logs") {
      log("a")
      log("b")
    }
    #expect(try await run(logs.passingThrough(String.self)) == "x")
    let flow = Flow {
      Step("count") { (text: String) in text.count }
      Flow("quiet") { logs.passingThrough() }
    }
    #expect(try await run(flow, "abc") == 3)
    #expect(flow.steps == ["count", "quiet/logs/a", "quiet/logs/b"])
    #expect(trace.all == ["a:proceed", "b:proceed", "a:proceed", "b:proceed"])
  }

  @Test("policies, scopes and names may come before and after")
  func modifiers() throws {
    let flow = Flow<String, String> {
      log("a").onBackUp(.oneWay).passingThrough().presentation(.modal).named("b")
      log("c").retry(2).passingThrough().timeout(.seconds(9)).onFailure(.rollBack)
    }
    #expect(flow.graph.nodes.map(\.info.id) == ["b", "c"])
    #expect(flow.graph.nodes[0].backUp == .oneWay)
    #expect(flow.graph.nodes[0].info.presentation == .modal)
    #expect(flow.graph.nodes[1].failure == .rollBack)
  }

  @Test("`if`, `else` and `for` around it", arguments: [false, true])
  func control(isOn: Bool) async throws {
    let flow = Flow<String, String> {
      if isOn { log("if").passingThrough() }
      if isOn {
        log("one").passingThrough()
        log("two").passingThrough()
      } else {
        log("else").passingThrough()
      }
      for number in 0..<2 { log("for \(number)").passingThrough() }
    }
    #expect(try await run(flow) == "x")
    #expect(
      trace.all.map { $0.dropLast(":proceed".count) } == (isOn ? ["if", "one", "two"] : ["else"]) + ["for 0", "for 1"])
  }

  @Test("a back into it passes the same value again; one over it compensates it")
  func back() async throws {
    let flow = launch(
      Flow {
        asker("a")
        Step("notice") { Notice(trace) }.passingThrough()
        log("log").passingThrough()
        asker("c")
      }, with: "")
    for answer in ["1", "ok"] { try await flow.answer(answer) }
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    for answer in ["ok", "2"] { try await flow.answer(answer) }
    #expect(try await flow.result.get() == "12")
    #expect(
      trace.all == [
        "a:proceed()", "notice:proceed", "log:proceed", "c:proceed(1)", "c:backUp", "log:backUp", "notice:backUp",
        "notice:proceed", "log:proceed", "c:proceed(1)",
      ])
  }

  @Test("SC-056 a step without input that skips lets the value reach the next step", arguments: [false, true])
  func skipped(isNeeded: Bool) async throws {
    for policy in [BackUpPolicy.automatic, .returnableIfSkipped] {
      let flow = Flow {
        Step("hint") { Hint(isNeeded: isNeeded) }.onBackUp(policy).passingThrough()
        Step("second hint") { Hint(isNeeded: isNeeded) }.onBackUp(policy).passingThrough()
        Step("count") { (text: String) in text.count }
      }
      #expect(try await run(flow, "launch args") == 11)
    }
  }

  @Test("a race of such steps lets the value through when the first has ended")
  func race() async throws {
    let flow = Flow {
      Step("count") { (text: String) in text.count }
      Race {
        log("a").passingThrough()
        log("a too").passingThrough()
      }
    }
    #expect(try await run(flow, "abc") == 3)
  }

  @Test("a destination leads over it to the step, and from the step nowhere, because nothing is carried there")
  func destination() throws {
    let flow = Flow {
      asker("a")
      log("b").passingThrough()
      asker("c")
    }
    #expect(try flow.destination(after: "a", for: "1") == .step("b"))
    #expect(code { try flow.destination(after: "b", for: 7) } == .typeMismatch)
  }

  @Test("editing: inserted with its type; without one it is refused with the remedy; a step inside is edited")
  func editing() async throws {
    let flow = Flow("f") {
      asker("a")
      log("b").passingThrough()
    }
    let edited = try flow.inserting(after: "a") { log("c").passingThrough(String.self) }
      .inserting(before: "b") { Step("d") { (_: Void) in } }
      .replacing("b") { Step("e") { (_: Void) in 1 } }
    #expect(edited.steps == ["f/a", "f/c", "f/d", "f/e"])
    let refused = #expect(throws: FlowError.self) { try flow.inserting(after: "a") { log("c").passingThrough() } }
    #expect(refused?.code == .badDefinition)
    #expect(refused?.message.contains("write `.passingThrough(String.self)`") == true)
  }

  @Test("inside a fork, a loop and a case; a diagram shows the step alone")
  func inside() async throws {
    let flow = Flow<String, String> {
      Switch {
        Case("long", where: { (text: String) in text.count > 2 }) { log("l").passingThrough() }
        Otherwise { log("o").passingThrough() }
      }
      Parallel {
        Flow<String, String> {
          log("p").passingThrough()
          Step("q") { (text: String) in text + "q" }
        }
        log("r")
      } join: { text, _ in
        text
      }
      Loop {
        log("s").passingThrough()
        Step("t") { (text: String) in text.count > 4 ? Again<String, String>.done(text) : .again(text + "t") }
      }
    }
    #expect(try await run(flow, "ab") == "abqtt")
    #expect(try await run(flow, "abcd") == "abcdq")
    #expect(!log("a").passingThrough(Int.self).diagram(.mermaid).contains("{"))
  }
}

@Suite("Empty content") struct EmptyContentTests {
  private enum Account: Sendable, Equatable { case guest, member(String) }

  private func run<I, O: Sendable>(_ flow: Flow<I, O>, _ input: I) async throws -> O {
    try await FlowCoordinator().run(flow, with: input)
  }

  @Test("an empty Otherwise, case and branch return the value they take")
  func choices() async throws {
    let longest = Switch {
      Case("short", where: { (text: String) in text.count < 3 }) { Step("pad") { (text: String) in text + "…" } }
      Case("empty", where: { (text: String) in text.isEmpty }) {}
      Otherwise {}
    }.flow
    #expect(try await run(longest, "ab") == "ab…")
    #expect(try await run(longest, "abc") == "abc")
    let name = Switch {
      Case("member", { (account: Account) in if case .member(let name) = account { name } else { nil } }) {}
      Otherwise { Step("ask") { (_: Account) in "?" } }
    }.flow
    #expect(try await run(name, .member("Ann")) == "Ann")
    #expect(try await run(name, .guest) == "?")
    let number = Route {
      When(Int.self) {}
      When(String.self) { Step("count") { (text: String) in text.count } }
    }.flow
    #expect(try await run(number, .first(7)) == 7)
    #expect(try await run(number, .second("abc")) == 3)
    #expect(longest.steps == ["short/pad"])
  }

  @Test("an empty flow returns its input, alone and between others")
  func flows() async throws {
    #expect(try await run(Flow<Int, Int> {}, 7) == 7)
    let flow: Flow<String, Int> = Flow("f") {
      Flow("nothing") {}
      Step("count") { (text: String) in text.count }
      Flow {}
    }
    #expect(try await run(flow, "abc") == 3)
    #expect(flow.steps == ["f/count"])
    #expect(try flow.destination(after: "count", for: 3) == .end)
  }

  @Test("an empty Otherwise of a hub with equal types returns to the menu")
  func hub() async throws {
    let hub = Hub(Step("menu") { (number: Int) in number + 1 }) {
      Case("tens", where: { (number: Int) in number % 10 == 0 }) { Step("skip") { (number: Int) in number + 5 } }
      Otherwise {}
    } done: { (number: Int) -> String? in
      number > 20 ? "\(number)" : nil
    }.flow
    #expect(try await run(hub, 8) == "26")
  }
}
