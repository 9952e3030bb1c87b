import ActorFlow
import Testing

@Suite("Finalizers on the machine") struct FinalizerMachineTests: AskingFlows {
  private func guarded(_ inner: some FlowComponent<String, String>) -> Flow<String, String> {
    Flow {
      step("a")
      inner.flow.finally("release") { _ in }
      step("d")
    }
  }

  @Test("a component that ends runs its finalizer with its own input, before the next step is entered")
  func forwards() throws {
    var driver = try TrackDriver(guarded(two("b", "c")))
    try driver.pass("a", making: "from a")
    #expect(driver.finalized.isEmpty && driver.position.stack.map(\.step.name) == ["b", "a"])
    try driver.pass("b")
    try driver.pass("c")
    #expect(driver.finalized == ["release(from a)"])
    #expect(driver.lines.suffix(2) == ["finalizing release", "moved c→d"])
    #expect(driver.position.stack.map(\.step.name) == ["d", "c", "b", "a"])
  }

  @Test("no back leads into a component whose finalizer has run: its steps are compensated and passed over")
  func passedOver() throws {
    var driver = try TrackDriver(guarded(two("b", "c")))
    for name in ["a", "b", "c"] { try driver.pass(name) }
    #expect(driver.position.canBackUp)
    let error = #expect(throws: FlowError.self) { try driver.backUp(to: "c") }
    #expect(error?.code == .cannotBackUp)
    #expect(error?.message == "\"c\" is in a component whose `finally` has run, and cannot be returned to")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.compensatedLine == "d c b a" && driver.steps == "a")
    #expect(driver.finalized.count == 1)
  }

  @Test("with nothing to go back to in front of the component, a step after it cannot back up")
  func nothingInFront() throws {
    var driver = try TrackDriver(
      Flow {
        two("b", "c").finally { _ in }
        step("d")
      })
    try driver.pass("b")
    #expect(driver.position.canBackUp)
    try driver.pass("c")
    #expect(!driver.position.canBackUp)
    let error = #expect(throws: FlowError.self) { try driver.backUp() }
    #expect(error?.code == .cannotBackUp)
  }

  @Test("a back within the component runs no finalizer, and a back to before it runs it between the two")
  func backs() throws {
    var driver = try TrackDriver(guarded(two("b", "c")))
    try driver.pass("a")
    try driver.pass("b")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.compensatedLine == "c b" && driver.steps == "b")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.compensatedLine == "c b b release a" && driver.steps == "a" && driver.finalized.isEmpty)
    // The next passage owes its own.
    for name in ["a", "b", "c"] { try driver.pass(name) }
    #expect(driver.finalized == ["release(x)"])
  }

  @Test("an ending that rolls back runs the finalizer after the steps inside, and before those in front")
  func endings() throws {
    var driver = try TrackDriver(guarded(two("b", "c")))
    for name in ["a", "b"] { try driver.pass(name) }
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "c b release a")

    driver = try TrackDriver(guarded(two("b", "c")))
    for name in ["a", "b"] { try driver.pass(name) }
    try driver.fail("c")
    #expect(driver.compensatedLine == "c b release a" && driver.lines.last == "rolledBack 0")
  }

  @Test("an abandon that leaves the effects runs finalizers and nothing else")
  func leavingEffects() throws {
    var driver = try TrackDriver(guarded(two("b", "c").finally("inner") { _ in }))
    for name in ["a", "b"] { try driver.pass(name) }
    try driver.abandon(rollBack: false)
    try driver.comeBack()
    #expect(driver.compensatedLine == "inner release")
    #expect(driver.lines.last == "abandoned ")
    #expect(driver.position.stack.map(\.step.name) == ["c", "b", "a"])
  }

  @Test("an abandon that leaves the effects runs the finalizers of branches, too")
  func leavingEffectsInBranches() throws {
    var driver = try TrackDriver(
      Flow { both(branch("x").finally("free x") { _ in }, branch("y")) }.finally("free all") { _ in })
    try driver.pass("x1")
    try driver.abandon(rollBack: false)
    try driver.comeBack()
    #expect(driver.compensatedLine == "free x free all")
  }

  @Test("each attempt of a retry around the component is a passage of its own; a recovery comes after the finalizer")
  func attempts() throws {
    var driver = try TrackDriver(step("b").finally("release") { _ in }.retry(2))
    try driver.fail("b")
    #expect(driver.compensatedLine == "b release" && driver.steps == "b")
    try driver.make(at: "b")
    #expect(driver.finalized.count == 1)

    driver = try TrackDriver(step("b").finally("release") { _ in }.recover { _ in "" })
    try driver.fail("b")
    #expect(driver.compensatedLine == "b release" && driver.lines.last == "finished")
  }

  @Test("a retry inside the component keeps the passage")
  func attemptsInside() throws {
    var driver = try TrackDriver(step("b").retry(2).finally("release") { _ in })
    try driver.fail("b")
    #expect(driver.undone.isEmpty && driver.steps == "b")
    try driver.fail("b")
    #expect(driver.compensatedLine == "b release")
  }

  @Test("a settling step drops the places before it, but the finalizer stays owed")
  func settled() throws {
    let flow = Flow {
      step("a")
      Flow {
        step("b").onBackUp(.settling)
        step("c")
      }.finally("release") { _ in }
      step("d")
    }
    var driver = try TrackDriver(flow)
    for name in ["a", "b"] { try driver.pass(name) }
    try driver.fail("c")
    #expect(driver.compensatedLine == "c release")

    driver = try TrackDriver(flow)
    for name in ["a", "b", "c"] { try driver.pass(name) }
    #expect(driver.finalized.count == 1 && !driver.position.canBackUp)
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "d c")
  }

  @Test("a settling step at the end of the component is final with everything before it, as ever")
  func settledAtTheEnd() throws {
    var driver = try TrackDriver(guarded(step("b").onBackUp(.settling)))
    for name in ["a", "b"] { try driver.pass(name) }
    #expect(driver.finalized.count == 1 && !driver.position.canBackUp)
    #expect(driver.position.stack.map(\.step.name) == ["d"])
    try driver.fail("d")
    #expect(driver.compensatedLine == "d")
  }

  @Test("no back leads past a one-way step in a component that has ended")
  func oneWay() throws {
    var driver = try TrackDriver(
      guarded(
        Flow {
          step("b").onBackUp(.oneWay)
          step("c")
        }))
    for name in ["a", "b", "c"] { try driver.pass(name) }
    #expect(driver.finalized.count == 1 && !driver.position.canBackUp)
    #expect(throws: FlowError.self) { try driver.backUp() }
    #expect(throws: FlowError.self) { try driver.backUp(to: "a") }
  }

  @Test("a one-way step that is compensated with its component no longer counts: a back leads to the step in front")
  func oneWayUnwound() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        Flow {
          step("b").onBackUp(.oneWay).finally("release") { _ in }
          step("c")
        }.recover { _ in "" }
        step("d")
      })
    for name in ["a", "b"] { try driver.pass(name) }
    try driver.fail("c")
    #expect(driver.compensatedLine == "c b" && driver.steps == "d" && driver.position.canBackUp)
  }

  @Test("each round of a loop runs the finalizer once")
  func rounds() throws {
    var driver = try TrackDriver(
      Flow {
        Loop {
          step("b").finally("release") { _ in }.map { (value: String) -> Again<String, String> in
            value == "more" ? .again(value) : .done(value)
          }
        }
      })
    try driver.pass("b", making: "more")
    #expect(driver.finalized == ["release(-)"] && driver.steps == "b")
    try driver.pass("b")
    #expect(driver.finalized == ["release(-)", "release(more)"] && driver.undone.isEmpty)
  }

  @Test("the loser of a race runs its finalizer; the winner's has run before")
  func loser() throws {
    var driver = try TrackDriver(
      Flow {
        Race {
          branch("x").finally("free x") { _ in }
          branch("y").finally("free y") { _ in }
        }
        step("d")
      })
    try driver.pass("y1")
    for name in ["x1", "x2"] { try driver.pass(name) }
    try driver.comeBack()
    #expect(driver.finalized == ["free x(-)"])
    #expect(driver.compensatedLine == "y2 y1 free y" && driver.steps == "d")
    try driver.fail("d")
    #expect(driver.compensatedLine == "y2 y1 free y d x2 x1")
  }

  @Test("around a fork the finalizer runs after every branch is compensated")
  func aroundFork() throws {
    var driver = try TrackDriver(guarded(both(branch("x"), branch("y"))))
    for name in ["a", "x1", "y1", "x2", "y2"] { try driver.pass(name) }
    #expect(driver.finalized.count == 1 && driver.steps == "d")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.compensatedLine == "d y2 x2 y1 x1 a")

    driver = try TrackDriver(guarded(both(branch("x"), branch("y"))))
    for name in ["a", "x1"] { try driver.pass(name) }
    try driver.fail("y1")
    try driver.comeBack()
    #expect(driver.compensatedLine == "x2 y1 x1 release a")
  }

  @Test("a hub's side branch with a finalizer: its end runs it, and its places stay for the rollback")
  func sideBranch() throws {
    var driver = try TrackDriver(
      Flow {
        Hub(step("menu")) {
          Case("side", { (pick: String) in pick == "side" ? pick : nil }) {
            step("side").finally("release") { _ in }
          }
        } done: { (pick: String) -> String? in
          pick == "done" ? pick : nil
        }
      })
    try driver.pass("menu", making: "side")
    try driver.pass("side")
    #expect(driver.finalized.count == 1 && driver.steps == "menu")
    try driver.fail("menu")
    #expect(driver.compensatedLine == "side menu")
  }

  @Test("while a finalizer runs, a back leads to before the component, and the finalizer is not run again")
  func leftMeanwhile() throws {
    let flow = guarded(step("b"))
    var driver = try TrackDriver(flow)
    try driver.pass("a")
    try driver.answer(driver.ask("b"))
    let track = try driver.track(of: "b")
    driver.running[track] = nil
    _ = driver.give { $0.returned(on: track) }
    let node = try #require(flow.graph.nodes.first { $0.info.id.name == "release" })
    guard case .run = driver.give({ $0.finish(node, on: track) }) else { throw Failure("nothing to run") }
    #expect(driver.position.canBackUp && driver.position.step == "b")
    try driver.give { try $0.backUp(since: .zero) }
    driver.give { $0.finalized(node, on: track) }
    driver.stint(of: track)
    #expect(driver.compensatedLine == "b a" && driver.steps == "a")
  }

  @Test("a place that was read back and made anew is still finished")
  func finishedAndReloaded() throws {
    let flow = guarded(step("b"))
    var driver = try TrackDriver(flow)
    try driver.pass("a")
    try driver.answer(driver.ask("b"))
    let node = try #require(flow.graph.nodes.first { $0.info.id.name == "release" })
    guard case .run = driver.give({ $0.finish(node) }) else { throw Failure("nothing to run") }
    driver.give { $0.finalized(node) }
    _ = driver.give { $0.reloaded(nil) }
    try driver.make(at: "b")
    #expect(driver.finalized.isEmpty && driver.steps == "d")
    let error = #expect(throws: FlowError.self) { try driver.backUp(to: "b") }
    #expect(error?.code == .cannotBackUp)
  }

  @Test("a finalizer is no step: it is not listed, not found by name, and shown in no stack")
  func noStep() throws {
    let flow = Flow("f") { two("b", "c").finally("release") { _ in } }
    #expect(flow.steps == ["f/b", "f/c"])
    #expect(throws: FlowError.self) { try flow.replacing("release") { step("z") } }
    #expect(try flow.removing("b").steps == ["f/c"])
    #expect(try flow.inserting(after: "c") { step("z") }.steps == ["f/b", "f/c", "f/z"])
    #expect(try flow.destination(for: "-") == .step("f/b"))
    #expect(try flow.destination(after: "c", for: "-") == .end)
  }
}
