import Testing

@testable import ActorFlow

/// A step that an operator enters anew, with another input.
@Suite("Entering anew on the machine") struct EnteringMachineTests: AskingFlows {
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

  /// Enters a step anew, as the host does.
  private func enter(_ step: StepID, with input: String = "in", _ driver: inout TrackDriver) throws {
    let stay = try driver.machine.stepInFocus(step).stay
    try driver.give { [now = driver.now] in try $0.enterAnew(stay, with: input, since: now) }
  }

  private func refused(_ step: StepID, _ driver: TrackDriver) -> FlowError.Code? {
    code { _ = try driver.machine.stepInFocus(step) }
  }

  private func input(_ driver: TrackDriver, on track: TrackID = .main) -> String? {
    driver.running[track].flatMap { try? StepBody.cast($0.input, to: String.self) }
  }

  @Test("the step is left, and entered with the input in a place on top only when it has returned")
  func entered() throws {
    var driver = try driver(past: "a")
    _ = try driver.ask("b")
    let visit = try #require(driver.running[.main]?.visit.id)
    driver.forget()
    try enter("b", &driver)
    #expect(driver.lines == ["leaving b entered anew"] && driver.latest.cancelledWalks == [.main])
    #expect(driver.position.questions.isEmpty && driver.position.status.word == "leaving b")
    #expect(driver.running[.main]?.visit.id == visit, "the new visit waits for this one")
    try driver.comeBack("b")
    #expect(driver.steps == "b" && driver.compensatedLine.isEmpty && driver.lines.last?.hasPrefix("moved") == true)
    #expect(input(driver) == "in" && driver.running[.main]?.visit.id != visit)
    #expect(driver.position.stack.map(\.step.name) == ["b", "b", "a"])
    try driver.pass("b")
    #expect(driver.steps == "c")
  }

  @Test("Rule 2: both places are compensated, newest first, once each, also if the flow is left before the entering")
  func compensated() throws {
    for isEarly in [true, false] {
      var driver = try driver(past: "a")
      try enter("b", &driver)
      if isEarly { _ = try driver.abandon() }
      try driver.comeBack("b")
      if !isEarly {
        _ = try driver.abandon()
        try driver.comeBack()
      }
      #expect(driver.compensatedLine == (isEarly ? "b a" : "b b a"))
    }
  }

  @Test("Rule 2: a step that was entered by a back is owed its `backUp` after it is entered anew")
  func landed() throws {
    var driver = try driver(past: "a")
    _ = try driver.backUp()
    try driver.comeBack()
    driver.forget()
    try enter("a", &driver)
    try driver.comeBack("a")
    _ = try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "a a")
  }

  @Test("a back leads from the new place to the old one with its own input if that had asked, and past it if not")
  func back() throws {
    for hasAsked in [true, false] {
      var driver = try driver(past: "a")
      if hasAsked { _ = try driver.ask("b") }
      try enter("b", &driver)
      try driver.comeBack("b")
      _ = try driver.backUp()
      try driver.comeBack()
      #expect(driver.steps == (hasAsked ? "b" : "a"))
      #expect(driver.compensatedLine == (hasAsked ? "b b" : "b b a"))
      #expect(input(driver) == (hasAsked ? "x" : "-"))
    }
  }

  @Test("a one-way or settling step keeps both places, no back leads from the new one, and both are rolled back")
  func closing() throws {
    for policy in [BackUpPolicy.oneWay, .settling] {
      for stores in [true, false] {
        var driver = try TrackDriver(
          Flow {
            step("a")
            step("b").onBackUp(policy)
            step("c")
          }, with: "-", journal: .persisting)
        try driver.pass("a")
        _ = try driver.ask("b")
        driver.forget()
        try enter("b", &driver)
        try driver.comeBack("b")
        if stores { driver.machine = try restored(driver) }
        #expect(!driver.position.canBackUp && code { _ = try driver.backUp() } == .cannotBackUp)
        #expect(code { _ = try driver.backUp(to: "a") } == .cannotBackUp)
        #expect(driver.position.stack.map(\.step.name) == ["b", "b", "a"])
        var onward = driver
        if !stores {
          try onward.pass("b")
          #expect(onward.position.stack.map(\.step.name) == (policy == .settling ? ["c"] : ["c", "b", "b", "a"]))
        }
        _ = try driver.abandon()
        if stores { driver.running = [:] } else { try driver.comeBack() }
        if stores { driver.stint(of: .main) }
        #expect(driver.compensatedLine == "b b a", "\(policy) \(stores)")
      }
    }
  }

  private func restored(_ driver: TrackDriver) throws -> FlowMachine {
    let names = GraphNames(driver.graph)
    let snapshot = try driver.machine.snapshot(names, with: JSONCodec())
    return try FlowMachine(snapshot, of: "machine", names: names, codec: JSONCodec(), at: .zero)
  }

  @Test("a step that is entered anew many times has a place each time, and all are compensated")
  func many() throws {
    var driver = try driver(past: "a")
    for round in 1...5 {
      try enter("b", with: "\(round)", &driver)
      try driver.comeBack("b")
      #expect(input(driver) == "\(round)")
    }
    _ = try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "b b b b b b a")
  }

  @Test("only a step in focus is entered anew, and the error names where the flow is")
  func refusals() throws {
    var driver = try driver(past: "a")
    #expect(refused("nowhere", driver) == .noSuchStep)
    for step in ["a", "c"] { #expect(refused(StepID(step), driver) == .notActive) }
    _ = try driver.abandon()
    #expect(refused("b", driver) == .ending)
    try driver.comeBack("b")
    #expect(refused("b", driver) == .flowEnded)
  }

  @Test("while a step is being left it is not entered anew, and while it is entered anew nothing but an end comes")
  func whileLeaving() throws {
    var left = try driver(past: "a")
    _ = try left.backUp()
    #expect(refused("b", left) == .moving)
    var entering = try driver(past: "a")
    try enter("b", &entering)
    #expect(refused("b", entering) == .moving)
    #expect(code { _ = try entering.backUp() } == .moving)
    _ = try entering.abandon()
    #expect(entering.lines.last == "leaving b abandoned")
    try entering.comeBack("b")
    #expect(entering.steps.isEmpty, "an ending takes the place of the entering")
  }

  @Test("a visit that is over meanwhile is not entered anew, although its step is in focus again")
  func over() throws {
    var driver = try driver(past: "a")
    let stay = try driver.machine.stepInFocus("b").stay
    try enter("b", &driver)
    try driver.comeBack("b")
    #expect(code { try driver.give { try $0.enterAnew(stay, with: "in", since: .zero) } } == .notActive)
    #expect(driver.position.status.word == "running")
  }

  @Test("a suspended flow goes on with another input of the step that failed, and of no other")
  func suspended() throws {
    var driver = try driver(past: "a")
    try driver.fail("b")
    try enter("b", &driver)
    #expect(driver.machine.fault == nil)
    driver.stint(of: .main)
    #expect(driver.steps == "b" && input(driver) == "in")
    var fork = try TrackDriver(Flow { both(step("x"), step("y")) }, with: "-", journal: .persisting)
    try fork.fail("x")
    #expect(refused("y", fork) == .suspended)
    #expect(refused("x", fork) == nil)
  }

  @Test("a step that cannot be made anew suspends the flow, and another input takes the place of the first")
  func notMade() throws {
    var driver = try driver(past: "a")
    let path = try #require(driver.running[.main]?.visit.info.id)
    try enter("b", with: "bad", &driver)
    driver.running[.main] = nil
    _ = driver.give { $0.returned(on: .main) }
    _ = driver.give { $0.turn(on: .main) }
    driver.failed(path, Failure("factory"), nil, on: .main)
    #expect(driver.machine.fault != nil && driver.steps.isEmpty)
    try enter("b", with: "good", &driver)
    driver.stint(of: .main)
    #expect(driver.machine.fault == nil && driver.steps == "b" && input(driver) == "good")
    #expect(driver.position.stack.map(\.step.name) == ["b", "b", "a"])
    _ = try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "b b a")
  }

  @Test("a step of a branch is entered anew alone, and its fork is joined with the new output")
  func branch() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        both(branch("x"), step("y"))
        step("d")
      }, with: "-", journal: .persisting)
    try driver.pass("a")
    #expect(refused("parallel", driver) == .noSuchStep)
    try enter("x1", with: "1", &driver)
    #expect(driver.steps == "x1 y")
    try driver.comeBack("x1")
    #expect(driver.steps == "x1 y")
    #expect(input(driver, on: try driver.track(of: "x1")) == "1")
    try driver.pass("x1")
    try driver.pass("x2", making: "2")
    try driver.pass("y", making: "Y")
    #expect(driver.running[.main]?.input as? String == "2Y")
    _ = try driver.abandon()
    try driver.comeBack()
    #expect(driver.undone.count { $0 == "x1" } == 2 && driver.undone.count == 6)
  }

  @Test("a branch that is superseded while its step is entered anew is compensated, and does not go on")
  func superseded() throws {
    var driver = try TrackDriver(Flow { both(branch("x"), step("y").onFailure(.rollBack)) }, with: "-")
    try enter("x1", &driver)
    try driver.fail("y")
    try driver.comeBack()
    #expect(driver.compensatedLine == "y x1" && driver.steps.isEmpty)
  }

  @Test("the attempts of a retry go on with the new input, and a deadline around it compensates both places")
  func retried() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        step("b").timeout(.seconds(9)).retry(3, backoff: .constant(.seconds(1)))
        step("c")
      }, with: "-", journal: .persisting)
    try driver.pass("a")
    driver.forget()
    try enter("b", &driver)
    try driver.comeBack("b")
    try driver.fail("b")
    driver.advance(by: .seconds(1))
    #expect(driver.steps == "b" && input(driver) == "in")
    driver.advance(by: .seconds(9))
    try driver.comeBack()
    #expect(driver.compensatedLine == "b b", "the deadline unwinds the attempt, and with it both places")
    driver.advance(by: .seconds(1))
    #expect(driver.steps == "b" && input(driver) == "x", "an attempt that begins before the step has the step's input")
    _ = try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "b b b a")
  }

  @Test("a snapshot of a step that is being entered anew enters it, in a process without its code")
  func stored() throws {
    var driver = try driver(past: "a")
    _ = try driver.ask("b")
    driver.forget()
    try enter("b", &driver)
    let names = GraphNames(driver.graph)
    let snapshot = try driver.machine.snapshot(names, with: JSONCodec())
    #expect(snapshot.main.phase == .walking && snapshot.main.leave == nil && snapshot.main.question == nil)
    var other = driver
    other.machine = try restored(driver)
    other.running = [:]
    #expect(refused("b", other) == .notActive, "it is left already")
    other.stint(of: .main)
    #expect(other.steps == "b" && input(other) == "in" && other.position.stack.count == 3)
    _ = try other.abandon()
    try other.comeBack()
    #expect(other.compensatedLine == "b b a")
  }
}
