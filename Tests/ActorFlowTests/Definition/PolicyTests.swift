import ActorFlow
import Testing

@Suite("Policies: the nearest wrapper wins") struct PolicyTests: AskingFlows {
  private func backUps<I, O>(_ flow: Flow<I, O>) -> [BackUpPolicy] { flow.graph.nodes.map(\.backUp) }
  private func failures<I, O>(_ flow: Flow<I, O>) -> [FailurePolicy?] { flow.graph.nodes.map(\.failure) }

  @Test("without a wrapper a step is automatic, and the runner decides about its failure")
  func defaults() {
    #expect(backUps(Flow { step("a") }) == [.automatic])
    #expect(failures(Flow { step("a") }) == [nil])
  }

  @Test("a wrapper applies to every step of its component without a wrapper of its own")
  func nearest() {
    let flow = Flow {
      step("a")
      Flow {
        step("b")
        step("c").onBackUp(.oneWay)
        Flow("inner") { step("d") }.onBackUp(.passThrough)
        step("e")
      }.onBackUp(.returnable)
      step("f")
    }
    #expect(backUps(flow) == [.automatic, .returnable, .oneWay, .passThrough, .returnable, .automatic])
  }

  @Test("the innermost of two wrappers around one step wins")
  func twice() {
    #expect(backUps(step("a").onBackUp(.oneWay).onBackUp(.settling)) == [.oneWay])
    #expect(failures(step("a").onFailure(.suspend).onFailure(.rollBack)) == [.suspend])
  }

  @Test("the two kinds of policies are independent")
  func independent() {
    let flow = Flow {
      step("a").onFailure(.suspend)
      step("b").onBackUp(.oneWay)
    }.onBackUp(.returnable).onFailure(.rollBack)
    #expect(backUps(flow) == [.returnable, .oneWay])
    #expect(failures(flow) == [.suspend, .rollBack])
  }

  @Test("map, carrying and named keep the policy inside")
  func policyStays() {
    let flow = step("a").onBackUp(.oneWay).map { $0 }.carrying { $0 + $1 }.named("z")
    #expect(backUps(flow) == [.oneWay])
  }
}

@Suite("Rule 10: definitions are values") struct Rule10ValueTests {
  @Test("building, naming, compiling and inspecting a flow runs no factory")
  func noFactory() {
    let count = Count()
    let flow = Flow("x") {
      Step("a") { () -> Asker in
        count.next()
        return Asker()
      }
    }.onBackUp(.oneWay).named("y")
    #expect(flow.steps == ["y/a"])
    #expect(count.now == 0)
  }

  @Test("a factory runs when its place is first entered, not before")
  func whenEntered() async throws {
    let count = Count()
    let flow = launch(
      Flow {
        Step("a") { Asker() }
        Step("b") { () -> Asker in
          count.next()
          return Asker()
        }
      }, with: "")
    _ = try await flow.coordinator.settled()
    #expect(count.now == 0)
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    #expect(count.now == 1)
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("extending a flow twice gives two independent flows")
  func extended() async throws {
    func add(_ text: String) -> Step<String, String> { Step(text) { (input: String) in input + text } }
    let base = Flow { add("a") }
    let one = Flow {
      base
      add("b")
    }
    let two = Flow {
      base
      base
      add("c")
    }.onBackUp(.oneWay)
    #expect(base.steps == ["a"])
    #expect(one.steps == ["a", "b"])
    #expect(two.steps == ["a", "a#2", "c"])
    #expect(base.graph.nodes[0].backUp == .automatic)
    #expect(try await FlowCoordinator().run(base, with: "") == "a")
    #expect(try await FlowCoordinator().run(one, with: "") == "ab")
    #expect(try await FlowCoordinator().run(two, with: "") == "aac")
  }

  @Test("a flow compiles once, and copies share what was compiled")
  func compiledOnce() {
    let flow = Flow { Step("a") { Asker() } }
    let copy = flow
    #expect(flow.graph === copy.graph)
  }

  @Test("a step that is part of a flow twice has two instances")
  func twoInstances() async throws {
    let (count, trace) = (Count(), Trace())
    let step = Step<String, String>("a") { Numbered(count.next(), trace) }
    let flow = launch(
      Flow {
        step
        step
      }, with: "")
    for answer in ["1", "2"] { try await flow.answer(answer) }
    _ = await flow.result
    #expect(trace.all == ["a1:proceed()", "a#22:proceed(1)"])
  }
}
