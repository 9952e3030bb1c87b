import ActorFlow
import Testing

/// Concurrent branches, nested flows, and loops.
@Suite("Scenarios: forks and loops") struct ForkScenarios {
  private let trace = Trace()

  private func asker(_ name: String) -> Step<String, String> { Step(name) { [trace] in Asker(trace) } }

  @Test(
    "FS-15 a fork of three joins once, with the three typed results in the order of the definition",
    arguments: ["abc", "acb", "bac", "bca", "cab", "cba"])
  func anyOrder(order: String) async throws {
    let flow = Flow {
      Parallel {
        asker("a")
        asker("b").map { $0.count }
        asker("c").map { $0 == "syes" }
      }
      Step("after") { (results: (String, Int, Bool)) in "\(results)" }
    }
    let answers = ["a": "1", "b": "22", "c": "yes"]
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      for name in order {
        try await coordinator.answer(answers["\(name)"] ?? "", at: "\(name)")
      }
    }
    #expect(try result.get() == #"("s1", 3, true)"#)
    let lines = await allEvents(of: coordinator).map(\.change.line)
    #expect(lines.count { $0.hasPrefix("joined") } == 1)
    #expect(lines.suffix(3) == ["joined parallel 0", "moved parallel→after", "finished"])
  }

  @Test("FS-18 a child of several steps counts as done when all of its steps have run")
  func childOfSeveralSteps() async throws {
    let flow = Flow {
      Parallel {
        Flow("b") {
          asker("b1")
          asker("b2")
          asker("b3")
        }
        asker("c")
      } join: { b, c in
        "\(b)|\(c)"
      }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answer("x", at: "c")
      for (number, name) in ["b1", "b2", "b3"].enumerated() {
        let position = try await coordinator.settled()
        #expect(position.step == "parallel")
        #expect(position.questions.map(\.step.name) == [name])
        try await coordinator.answer("\(number)", at: name)
      }
    }
    #expect(try result.get() == "s012|sx")
  }

  @Test("FS-19 the join waits for a child that branches", arguments: ["short", "longer"])
  func branchingChild(answer: String) async throws {
    let flow = Flow {
      Parallel {
        Flow("b") {
          asker("size")
          Switch {
            Case("short", where: { (text: String) in text.count < 7 }) { asker("few") }
            Otherwise { asker("many") }
          }
        }
        asker("c")
      } join: { b, c in
        "\(b)|\(c)"
      }
      asker("end")
    }
    let chosen = answer == "short" ? "few" : "many"
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answer("x", at: "c")
      try await coordinator.answer(answer, at: "size")
      #expect(try await coordinator.settled().questions.map(\.step.name) == [chosen])
      try await coordinator.answer("!", at: chosen)
      #expect(try await coordinator.focus() == "end")
      try await coordinator.answerNext("?", at: "end")
    }
    #expect(try result.get() == "s\(answer)!|sx?")
  }

  @Test("FS-21 a nested flow in a branch passes its output to the step behind it, there and behind the fork")
  func nestedInBranch() async throws {
    let flow = Flow("outer") {
      Parallel {
        Flow("branch") {
          Flow("inner") {
            asker("x")
            asker("y")
          }
          Step("behind") { (text: String) in "(\(text))" }
        }
        asker("c")
      } join: {
        $0 + $1
      }
      Step("end") { (text: String) in "[\(text)]" }
    }
    #expect(flow.steps.contains("outer/parallel/branch/inner/y"))
    let result = try await running(flow, with: "s") { coordinator in
      try await coordinator.answer("1", at: "x")
      try await coordinator.answer("2", at: "c")
      try await coordinator.answer("3", at: "y")
    }
    #expect(try result.get() == "[(s13)s2]")
  }

  @Test("FS-26 a loop in the definition leaves no reference cycle: coordinator, steps and results are released")
  func loopIsFreed() async throws {
    let coordinator = Collected<WeakReference<FlowCoordinator>>()
    let result = Collected<WeakReference<CycleMember>>()
    let counter = LiveCounter()
    func play() async throws {
      let held = FlowCoordinator()
      coordinator.append(WeakReference(held))
      let flow = Flow {
        Loop {
          Step("ask") { Holding(held, counter) }
          Step("again") { (knot: CycleMember) -> Again<CycleMember, CycleMember> in
            knot.rounds < 3 ? .again(knot.next()) : .done(knot)
          }
        }
      }
      let outcome = try await running(flow, with: CycleMember(rounds: 0), on: held) { held in
        for _ in 0...3 { try await held.answer("on", at: "ask") }
      }
      #expect(try outcome.get().rounds == 3)
      result.append(WeakReference(try outcome.get()))
    }
    try await play()
    #expect(coordinator.last?.object == nil)
    #expect(result.last?.object == nil)
    #expect((counter.now, counter.ever) == (0, 4))
  }
}

/// A result that refers to the one before.
private final class CycleMember: Sendable {
  let rounds: Int
  private let before: CycleMember?
  init(rounds: Int, before: CycleMember? = nil) {
    self.rounds = rounds
    self.before = before
  }
  func next() -> CycleMember { CycleMember(rounds: rounds + 1, before: self) }
}

/// A step that retains its coordinator, its context and its input.
private actor Holding: FlowStep {
  private let coordinator: FlowCoordinator
  private let token: LiveCounter.Token
  private var held: (StepContext, CycleMember)?

  init(_ coordinator: FlowCoordinator, _ counter: LiveCounter) {
    self.coordinator = coordinator
    token = counter.token()
  }

  func proceed(_ input: CycleMember, context: StepContext) async throws -> CycleMember {
    held = (context, input)
    _ = try await context.ask(Form(text: "\(input.rounds)"))
    return input
  }

  func backUp(context: RollbackContext) {}
}
