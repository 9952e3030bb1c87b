import ActorFlow
import Testing

@Suite("Backing up in and around forks, on the machine") struct BranchBackTests: AskingFlows {
  @Test("a plain back with several targets is refused with the branches that can back up, and nothing has changed")
  func ambiguous() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          branch("x")
          branch("y")
          step("z")
        } join: {
          $0 + $1 + $2
        }
      })
    try driver.pass("x1")
    try driver.pass("y1")
    let before = driver.machine.sequence
    do {
      try driver.backUp()
      Issue.record("two branches can back up")
    } catch let error as FlowError {
      #expect(error.code == .ambiguousBackUp)
      #expect(error.message.contains("\"parallel/x\"") && error.message.contains("\"parallel/y\""))
      #expect(!error.message.contains("\"parallel/z\""), "it has no target: \(error.message)")
    }
    #expect(driver.machine.sequence == before && driver.steps == "x2 y2 z")
    try driver.backUp(from: "y2")
    try driver.comeBack("y2")
    #expect(driver.compensatedLine == "y2 y1" && driver.steps == "x2 y1 z")
  }

  @Test("targets that are the same place are not ambiguous: both first steps lead to before the fork")
  func sameTarget() throws {
    var driver = try forked(past: "a")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "a" && Set(driver.undone) == ["x1", "y1", "a"])
    #expect(driver.lines.suffix(2) == ["leaving parallel back", "backedUp parallel→a 0"])
  }

  @Test("a branch with a target of its own and one without are still two targets")
  func twoLevels() throws {
    var driver = try forked(past: "a")
    try driver.pass("x1")
    #expect(code { try driver.backUp() } == .ambiguousBackUp)
    #expect(driver.position.canBackUp)
    #expect(driver.position.branches.map(\.canBackUp) == [true, false])
  }

  @Test("a name leads inside the branch, before the fork, to the fork itself, to another branch, or nowhere")
  func byName() throws {
    var driver = try forked(past: "a")
    try driver.make(at: "x1")
    #expect(code { try driver.backUp(to: "z") } == .cannotBackUp)
    try driver.backUp(to: "x1")
    try driver.comeBack()
    #expect(driver.compensatedLine == "x2 x1" && driver.steps == "x1 y1")
    driver.forget()
    try driver.backUp(to: "parallel")
    try driver.comeBack()
    #expect(Set(driver.undone) == ["x1", "y1"] && driver.steps == "x1 y1")
    #expect(
      driver.lines == [
        "leaving parallel back", "backedUp parallel→parallel 0", "moved parallel→x1", "moved parallel→y1",
      ])
    driver.forget()
    try driver.make(at: "y1")
    try driver.backUp(to: "a")
    try driver.comeBack()
    #expect(driver.undone.last == "a" && Set(driver.undone) == ["y2", "y1", "x1", "a"] && driver.steps == "a")
  }

  @Test("oneWay in a branch: no back leads to it or past it, so none leads before the fork either")
  func oneWayInside() throws {
    var driver = try forked(.oneWay, past: "a")
    try driver.pass("x1")
    #expect(code { try driver.backUp(from: "x2") } == .cannotBackUp)
    #expect(code { try driver.backUp(to: "x1") } == .cannotBackUp)
    #expect(code { try driver.backUp(from: "y1") } == .cannotBackUp, "that would be past x1")
    #expect(code { try driver.backUp() } == .cannotBackUp)
    #expect(code { try driver.backUp(to: "a") } == .cannotBackUp)
    #expect(code { try driver.backUp(to: "parallel") } == .cannotBackUp)
    #expect(!driver.position.canBackUp)
    try driver.pass("y1")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "x2 y1", "inside another branch a back is possible")
  }

  @Test("oneWay or settling in an ended or joined branch: no back leads to the fork, nor past it")
  func closedByBranch() throws {
    for policy in [BackUpPolicy.oneWay, .settling] {
      var driver = try TrackDriver(
        Flow {
          step("a")
          both(step("b").onBackUp(policy), step("c"))
          step("d")
          step("e")
        })
      try driver.pass("a")
      try driver.pass("b")
      #expect(code { try driver.backUp() } == .cannotBackUp, "\(policy)")
      try driver.pass("c")
      #expect(code { try driver.backUp() } == .cannotBackUp, "\(policy)")
      #expect(code { try driver.backUp(to: "a") } == .cannotBackUp, "\(policy)")
      #expect(code { try driver.backUp(to: "parallel") } == .cannotBackUp, "\(policy)")
      #expect(!driver.position.canBackUp)
      try driver.pass("d")
      try driver.backUp()
      try driver.comeBack()
      #expect(driver.steps == "d", "a back may lead to the step after it")
      #expect(code { try driver.backUp() } == .cannotBackUp, "\(policy)")
      try driver.abandon()
      try driver.comeBack()
      #expect(driver.compensatedLine == (policy == .oneWay ? "e d d c b a" : "e d d c a"), "\(policy)")
    }
  }

  @Test("oneWay in a branch that lost its race closes nothing: the branch is compensated")
  func oneWayLost() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        Race {
          branch("x", .oneWay)
          step("y")
        }
        step("d")
      })
    try driver.pass("a")
    try driver.pass("x1")
    try driver.pass("y")
    try driver.comeBack("x2")
    #expect(driver.compensatedLine == "x2 x1" && driver.position.canBackUp)
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "x1 y")
  }

  @Test("settling in a branch: a settled place is never compensated, and no back leads past it")
  func settlingInside() throws {
    var driver = try forked(.settling, past: "a")
    try driver.pass("x1")
    #expect(code { try driver.backUp(from: "x2") } == .cannotBackUp)
    #expect(code { try driver.backUp(from: "y1") } == .cannotBackUp)
    try driver.abandon()
    try driver.comeBack()
    #expect(Set(driver.undone) == ["x2", "y1", "a"])
  }

  @Test("passThrough in a branch is compensated and passed over: a back leads to before the fork")
  func passThroughInside() throws {
    var driver = try forked(.passThrough, past: "a")
    try driver.pass("x1")
    try driver.backUp(from: "x2")
    try driver.comeBack()
    #expect(driver.steps == "a" && Set(driver.undone) == ["x2", "x1", "y1", "a"])
  }

  @Test("policies around a fork: oneWay closes it, passThrough leads over it, settling drops it")
  func around() throws {
    for (policy, undone) in [(BackUpPolicy.oneWay, nil), (.passThrough, "d c b a"), (.settling, nil)] {
      var driver = try TrackDriver(
        Flow {
          step("a")
          both(step("b"), step("c")).onBackUp(policy)
          step("d")
        })
      for name in ["a", "b", "c"] { try driver.pass(name) }
      if let undone {
        try driver.backUp()
        try driver.comeBack()
        #expect(driver.compensatedLine == undone && driver.steps == "a", "\(policy)")
      } else {
        #expect(code { try driver.backUp() } == .cannotBackUp, "\(policy)")
        #expect(!driver.position.canBackUp)
        try driver.abandon()
        try driver.comeBack()
        #expect(driver.compensatedLine == (policy == .settling ? "d" : "d c b a"), "\(policy)")
      }
    }
  }

  @Test(
    "past the first step of a nested branch a back leaves the inner fork only, if there is a target outside it")
  func nested() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          Flow("x") {
            step("a")
            both(step("b"), step("c"))
          }
          step("e")
        } join: {
          $0 + $1
        }
      })
    try driver.pass("a")
    try driver.backUp()
    #expect(driver.lines.last == "leaving parallel back" && driver.machine.leave == nil)
    try driver.comeBack("c")
    #expect(driver.undone.isEmpty)
    try driver.comeBack("b")
    #expect(Set(driver.undone) == ["b", "c", "a"] && driver.steps == "a e")
    #expect(code { try driver.backUp() } == .cannotBackUp)
  }

  @Test("behind a race a back leads to the race as a whole, although the losers are gone")
  func behindRace() throws {
    var driver = try TrackDriver(
      Flow {
        Race {
          step("b")
          step("c")
        }
        step("d")
      })
    try driver.pass("b")
    try driver.comeBack("c")
    #expect(driver.steps == "d" && driver.compensatedLine == "c")
    #expect(driver.position.canBackUp)
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.compensatedLine == "c d b" && driver.steps == "b c")
  }

  @Test("a fork without a question is passed over")
  func automaticFork() throws {
    var driver = try forked(past: "a")
    for name in ["x1", "y1", "x2", "y2"] { try driver.make(at: name) }
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "a" && driver.compensatedLine == "d y2 x2 y1 x1 a")
  }
}
