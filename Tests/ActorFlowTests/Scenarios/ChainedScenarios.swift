import ActorFlow
import Testing

/// Nested flows: as components of one definition, and run by a step on a coordinator of its own.
@Suite("Scenarios: chained flows") struct ChainedScenarios {
  private let trace = Trace()

  private func askers(_ names: String...) -> Flow<String, String> {
    let trace = trace
    return Flow { for name in names { Step(name) { Asker(trace) } } }
  }

  /// A step that runs `flow` on `coordinator` and returns its output.
  private func child(_ flow: Flow<String, String>, on coordinator: FlowCoordinator) -> Scripted<String, String> {
    let trace = trace
    return Scripted { (input: String, _) in
      try await coordinator.run(flow, with: input)
    } backUp: { context in
      trace.add("\(context.step.name):backUp")
    }
  }

  @Test("SC-094 a step runs an inner flow, gets its outcome, continues with it, and proceeds")
  func innerFlow() async throws {
    let counter = LiveCounter()
    let inner = FlowCoordinator(id: "inner")
    let innerFlow = askers("x", "y")
    let flow = Flow {
      askers("a")
      Step("b") {
        let token = counter.token()
        return Scripted { (input: String, context) in
          let outcome = try await inner.run(innerFlow, with: input)
          return withExtendedLifetime(token) { outcome } + (try await context.ask(Form(text: outcome)))
        }
      }
      askers("c")
    }
    let outer = FlowCoordinator(id: "outer")
    let result = try await running(flow, with: "s", on: outer) { outer in
      try await outer.answerNext("1", at: "a")
      try await inner.answerNext("2", at: "x")
      #expect(await outer.position.step == "b")
      let visit = await outer.position.stack.top
      try await inner.answerNext("3", at: "y")
      #expect(try await outer.focus() == "b")
      #expect(await outer.position.stack.top == visit)
      #expect(await inner.position.status == .ended(.finished))
      #expect(counter.ever == 1)
      try await outer.answerNext("4", at: "b")
      try await outer.answerNext("5", at: "c")
    }
    #expect(try result.get() == "s12345")
  }

  @Test("SC-096 when the outer flow is abandoned, the inner one is cancelled and rolled back before it")
  func abandonedWithParent() async throws {
    let inner = FlowCoordinator()
    let innerFlow = askers("x", "y")
    let flow = Flow {
      askers("a")
      Step("b") { child(innerFlow, on: inner) }
    }
    let result = try await running(flow, with: "s") { outer in
      try await outer.answerNext("1", at: "a")
      try await inner.answerNext("2", at: "x")
      #expect(try await inner.focus() == "y")
      try await outer.abandon()
      #expect(await inner.position.status == .ended(.cancelled))
    }
    #expect(code(of: result) == .abandoned)
    #expect(trace.all.filter { $0.hasSuffix("backUp") } == ["y:backUp", "x:backUp", "b:backUp", "a:backUp"])
  }

  @Test("FS-21 a nested flow is a step of the outer one: its output is the input of the step behind it")
  func nested() async throws {
    let flow = Flow("outer") {
      askers("a")
      askers("x", "y").named("inner")
      askers("b")
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "x")
      try await coordinator.answerNext("3", at: "y")
      #expect(try await coordinator.focus() == "b")
      #expect(try await coordinator.backUpAndSettle() == "y")
      try await coordinator.answerNext("4", at: "y")
      try await coordinator.answerNext("5", at: "b")
    }
    #expect(try result.get() == "s1245")
  }

  @Test("RX-09 the parent continues with a child flow's outcome when the child has ended completely")
  func tornDownFirst() async throws {
    let counter = LiveCounter()
    let inner = FlowCoordinator()
    let innerFlow = Flow {
      Step("x") { CountedAsker(counter) }
      Step("y") { CountedAsker(counter) }
    }
    let flow = Flow {
      Step("parent") { (input: String) in
        let outcome = try await inner.run(innerFlow, with: input)
        return "\(outcome), \(counter.now) of \(counter.ever) alive, \(await inner.position.status)"
      }
    }
    let result = try await running(flow, with: "s") { _ in
      try await inner.answerNext("1", at: "x")
      try await inner.answerNext("2", at: "y")
    }
    #expect(try result.get() == "s12, 0 of 2 alive, finished")
  }

  @Test("RX-12 a watcher of the root sees every move of every descendant, by its whole path")
  func rootObserver() async throws {
    let flow = Flow("app") {
      askers("a")
      Flow("shop") {
        askers("b")
        Flow("payment") { askers("c") }
      }
    }
    let coordinator = FlowCoordinator(id: "root")
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1")
      try await coordinator.answerNext("2")
      #expect(try await coordinator.backUpAndSettle() == "b")
      try await coordinator.answerNext("3")
      try await coordinator.answerNext("4")
    }
    let seen = await allEvents(of: coordinator).compactMap { event -> String? in
      switch event.change {
      case .moved(_, let to): "did enter \(to.step)"
      case .leaving(let visit, _): "will leave \(visit.step)"
      case .backedUp(_, let to, _): "did return to \(to.step)"
      default: nil
      }
    }
    #expect(
      seen == [
        "did enter app/a", "did enter app/shop/b", "did enter app/shop/payment/c", "will leave app/shop/payment/c",
        "did return to app/shop/b", "did enter app/shop/payment/c",
      ])
  }

  @Test("RX-15 a parent that runs child flows one after the other retains none of them")
  func manyChildren() async throws {
    let counter = LiveCounter()
    let highest = Collected<Int>()
    let childFlow = Flow {
      Step("x") {
        let token = counter.token()
        return Scripted { (input: Int, _) in withExtendedLifetime(token) { input + 1 } }
      }
    }
    let flow = Flow {
      Step("parent") { (start: Int) in
        var count = start
        for _ in 1...1_000 {
          count = try await FlowCoordinator().run(childFlow, with: count)
          if counter.now > 0 { highest.append(counter.now) }
        }
        return count
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: 0) == 1_000)
    #expect(counter.ever == 1_000)
    #expect(highest.all.isEmpty)
  }

  @Test("TC-02 when a parent is left, the work of all its descendants is cancelled, that of a sibling is not")
  func descendants() async throws {
    let (child, grandchild, sibling) = (FlowCoordinator(), FlowCoordinator(), FlowCoordinator())
    let leaf = askers("leaf")
    let middle = Flow { Step("middle") { self.child(leaf, on: grandchild) } }
    let flow = Flow {
      askers("a")
      Step("parent") { self.child(middle, on: child) }
    }
    let beside = try await running(askers("beside"), with: "t", on: sibling) { sibling in
      let result = try await running(flow, with: "s") { coordinator in
        try await coordinator.answerNext("1", at: "a")
        #expect(try await grandchild.focus() == "leaf")
        #expect(try await sibling.focus() == "beside")
        try await coordinator.backUp()
        #expect(await child.position.status == .ended(.cancelled))
        #expect(await grandchild.position.status == .ended(.cancelled))
        #expect(await sibling.position.status == .running)
        try await coordinator.abandon()
      }
      #expect(code(of: result) == .abandoned)
      try await sibling.answerNext("!", at: "beside")
    }
    #expect(try beside.get() == "t!")
    #expect(trace.all.contains("leaf:backUp"))
  }
}
