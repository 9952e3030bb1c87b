import Testing

@testable import ActorFlow

/// An operator's output in the place of a step's own.
@Suite("Completion on the machine") struct CompletionMachineTests: AskingFlows {
  private func driver(past steps: String...) throws -> TrackDriver {
    var driver = try TrackDriver(
      Flow {
        step("a")
        step("b")
        step("c")
      }, with: "-", journal: .persisting)
    for step in steps { try driver.pass(step) }
    driver.forget()
    return driver
  }

  /// Completes a step, as the host does.
  private func complete(_ step: StepID, with output: String = "out", _ driver: inout TrackDriver) throws {
    let stay = try driver.machine.stepInFocus(step).stay
    try driver.give { [now = driver.now] in try $0.complete(stay, with: output, since: now) }
  }

  private func refused(_ step: StepID, _ driver: TrackDriver) -> FlowError.Code? {
    code { _ = try driver.machine.stepInFocus(step) }
  }

  @Test("the step is left, and the flow goes on with the output only when the step has returned")
  func goesOn() throws {
    var driver = try driver(past: "a")
    _ = try driver.ask("b")
    driver.forget()
    try complete("b", &driver)
    #expect(driver.lines == ["leaving b completed"] && driver.latest.cancelledWalks == [.main])
    #expect(driver.position.questions.isEmpty && driver.position.status.word == "leaving b")
    #expect(driver.steps == "b", "the next step waits for this one")
    try driver.comeBack("b")
    #expect(driver.steps == "c" && driver.compensatedLine.isEmpty)
    #expect(driver.running[.main]?.input as? String == "out")
    #expect(driver.position.stack.map(\.step.name) == ["c", "b", "a"])
  }

  @Test("Rule 2: the completed step is compensated in its turn, once, also if the flow is left before the next step")
  func compensated() throws {
    for isEarly in [true, false] {
      var driver = try driver(past: "a")
      try complete("b", &driver)
      if isEarly { _ = try driver.abandon() }
      try driver.comeBack("b")
      if !isEarly {
        _ = try driver.abandon()
        try driver.comeBack()
      }
      #expect(driver.compensatedLine == (isEarly ? "b a" : "c b a"))
    }
  }

  @Test("a back from the next step leads to the completed one if that had asked, and past it if not")
  func back() throws {
    for hasAsked in [true, false] {
      var driver = try driver(past: "a")
      if hasAsked { _ = try driver.ask("b") }
      try complete("b", &driver)
      try driver.comeBack("b")
      _ = try driver.backUp()
      try driver.comeBack()
      #expect(driver.steps == (hasAsked ? "b" : "a"))
      #expect(driver.compensatedLine == (hasAsked ? "c b" : "c b a"))
    }
  }

  @Test("the last step's completion finishes the flow with the output")
  func last() throws {
    var driver = try driver(past: "a", "b")
    try complete("c", with: "made", &driver)
    try driver.comeBack("c")
    #expect(driver.lines.last == "finished")
    #expect(try driver.machine.takeResult()?.get() as? String == "made")
  }

  @Test("a step that was entered by a back is owed its `backUp` after its completion")
  func landed() throws {
    var driver = try driver(past: "a")
    _ = try driver.backUp()
    try driver.comeBack()
    driver.forget()
    try complete("a", &driver)
    try driver.comeBack("a")
    #expect(driver.steps == "b")
    _ = try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "b a")
  }

  @Test("only a step in focus can be completed, and the error names where the flow is")
  func refusals() throws {
    let driver = try driver(past: "a")
    #expect(refused("nowhere", driver) == .noSuchStep)
    for step in ["a", "c"] { #expect(refused(StepID(step), driver) == .notActive) }
    let error = #expect(throws: FlowError.self) { try driver.machine.stepInFocus("c") }
    #expect(error?.message.contains("the flow is at b") == true)
  }

  @Test("while a step is being left it cannot be completed, and while it is being completed nothing but an end comes")
  func whileLeaving() throws {
    var left = try driver(past: "a")
    _ = try left.backUp()
    #expect(refused("b", left) == .moving)
    _ = try left.abandon()
    #expect(refused("b", left) == .ending)
    var completed = try driver(past: "a")
    try complete("b", &completed)
    #expect(refused("b", completed) == .moving)
    #expect(code { _ = try completed.backUp() } == .moving)
    _ = try completed.abandon()
    #expect(completed.lines.last == "leaving b abandoned")
  }

  @Test("a visit that is over meanwhile is not completed, although its step is in focus again")
  func over() throws {
    var driver = try driver(past: "a")
    let stay = try driver.machine.stepInFocus("b").stay
    _ = try driver.backUp(to: "a")
    try driver.comeBack()
    try driver.pass("a")
    #expect(driver.steps == "b")
    #expect(code { try driver.give { try $0.complete(stay, with: "out", since: .zero) } } == .notActive)
    #expect(driver.position.status.word == "running")
  }

  @Test("a suspended flow goes on with the completion of the step that failed, and of no other")
  func suspended() throws {
    var driver = try driver(past: "a")
    try driver.fail("b")
    #expect(driver.machine.fault != nil)
    try complete("b", &driver)
    #expect(driver.machine.fault == nil)
    driver.stint(of: .main)
    #expect(driver.steps == "c")
    var fork = try TrackDriver(Flow { both(step("x"), step("y")) }, with: "-", journal: .persisting)
    try fork.fail("x")
    #expect(refused("y", fork) == .suspended)
    #expect(refused("x", fork) == nil)
  }

  @Test("a branch goes on alone, and its fork is joined with the output")
  func branch() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        both(branch("x"), step("y"))
        step("d")
      }, with: "-", journal: .persisting)
    try driver.pass("a")
    #expect(refused("parallel", driver) == .noSuchStep)
    #expect(refused("a", driver) == .notActive)
    try complete("x1", with: "1", &driver)
    #expect(driver.steps == "x1 y")
    try driver.comeBack("x1")
    #expect(driver.steps == "x2 y")
    try complete("x2", with: "2", &driver)
    try driver.comeBack("x2")
    try driver.pass("y", making: "Y")
    #expect(driver.running[.main]?.input as? String == "2Y")
    _ = try driver.abandon()
    try driver.comeBack()
    #expect(driver.undone == ["d", "y", "x2", "x1", "a"] || driver.undone == ["d", "x2", "y", "x1", "a"])
  }

  @Test("a branch that is superseded while its step is completed is compensated, and does not go on")
  func superseded() throws {
    var driver = try TrackDriver(Flow { both(branch("x"), step("y").onFailure(.rollBack)) }, with: "-")
    try complete("x1", &driver)
    try driver.fail("y")
    try driver.comeBack()
    #expect(driver.compensatedLine == "y x1" && driver.steps.isEmpty)
  }

  @Test("branches at steps of one name are told apart by the whole path")
  func ambiguous() throws {
    let driver = try TrackDriver(
      Flow("f") {
        both(Flow("x") { step("s") }, Flow("y") { step("s") })
      }, with: "-", journal: .persisting)
    #expect(refused("s", driver) == .ambiguousStep)
    let paths = driver.running.values.map(\.visit.info.id)
    for path in paths { #expect(refused(path, driver) == nil) }
  }

  @Test("a step that pauses before another attempt is completed, and the attempts end")
  func pausing() throws {
    var driver = try TrackDriver(
      Flow {
        step("a").retry(3, backoff: .constant(.seconds(5))).timeout(.seconds(9))
        step("b")
      }, with: "-", journal: .persisting)
    try driver.fail("a")
    #expect(driver.steps.isEmpty)
    try complete("a", &driver)
    driver.stint(of: .main)
    #expect(driver.steps == "b" && driver.machine.nextTimer == nil)
  }

  @Test("while a handler undoes the steps around a failed one, none of them is completed")
  func whileUndoing() throws {
    for held in ["b", "c"] {
      var driver = try TrackDriver(
        Flow {
          step("a")
          Flow {
            step("b")
            step("c")
          }
          .recover { _ in "" }
        }, with: "-", journal: .persisting)
      try driver.pass("a")
      try driver.pass("b")
      driver.holding = held
      try driver.fail("c")
      for step in ["b", "c"] { #expect([.moving, .notActive].contains(refused(StepID(step), driver)), "\(held)") }
      driver.releaseBackUp()
      #expect(driver.compensatedLine == "c b" && driver.lines.last == "finished", "\(held)")
    }
  }

  @Test("a snapshot of a step that is being completed goes on behind the step, in a process without its code")
  func stored() throws {
    var driver = try driver(past: "a")
    _ = try driver.ask("b")
    try complete("b", &driver)
    let names = GraphNames(driver.graph)
    let snapshot = try driver.machine.snapshot(names, with: JSONCodec())
    #expect(snapshot.main.phase == .walking && snapshot.main.leave == nil && snapshot.main.question == nil)
    try driver.comeBack("b")
    _ = try driver.abandon()
    var other = driver
    other.machine = try FlowMachine(snapshot, of: "machine", names: names, codec: JSONCodec(), at: .zero)
    (other.running, other.undone) = ([:], [])
    #expect(code { try other.machine.stepInFocus("b") } == .notActive, "it is completed already")
    other.stint(of: .main)
    #expect(other.steps == "c")
    #expect(try StepBody.cast(try #require(other.running[.main]).input, to: String.self) == "out")
    _ = try other.abandon()
    try other.comeBack()
    #expect(other.compensatedLine == "c b a")
  }
}
