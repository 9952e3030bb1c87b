import ActorFlow
import Testing

@Suite("While a branch is leaving: the result of each request") struct WhileBranchLeavesTests: AskingFlows {
  @Test("backUp on the same branch like a double click: moving, at any step of the rollback")
  func doubleClick() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        both(branch("x"), step("y"))
      })
    try driver.pass("a")
    try driver.pass("x1")
    try driver.make(at: "y")
    try driver.backUp()
    #expect(code { try driver.backUp() } == .moving)
    driver.holding = "x1"
    try driver.comeBack("x2")
    #expect(driver.compensatedLine == "x2 x1")
    #expect(code { try driver.backUp() } == .moving)
    driver.releaseBackUp()
    #expect(driver.steps == "x1" && driver.machine.leave == nil)
    try driver.backUp()
    #expect(driver.machine.leave != nil, "now it leads to before the fork")
  }

  @Test("a back to before the fork replaces the branch's own back, and everything is compensated once")
  func outerBack() throws {
    var driver = try forked(past: "a", "x1")
    let inner = try #require(try driver.backUp(from: "x2").landing)
    #expect(driver.position.status.word == "leaving x2")
    try driver.backUp(from: "y1")
    #expect(!driver.machine.isUnderWay(inner.leave, on: inner.track))
    try driver.comeBack()
    #expect(driver.steps == "a" && driver.undone.last == "a" && Set(driver.undone) == ["x2", "x1", "y1", "a"])
    #expect(driver.undone.count == 4)
  }

  @Test("abandon during a branch's rollback: a compensated step is not compensated again")
  func abandon() throws {
    var driver = try forked(past: "a", "x1")
    driver.holding = "x1"
    try driver.backUp(from: "x2")
    try driver.comeBack("x2")
    try driver.abandon()
    #expect(driver.compensatedLine == "x2 x1")
    try driver.comeBack("y1")
    #expect(driver.compensatedLine == "x2 x1", "the backUp that runs is waited for")
    driver.releaseBackUp(Failure("x1"))
    #expect(driver.compensatedLine == "x2 x1 y1 a")
    #expect(driver.lines.suffix(2) == ["abandoned ", "rolledBack 1"])
  }

  @Test("the caller is cancelled during a branch's rollback")
  func cancel() throws {
    var driver = try forked(past: "a", "x1")
    try driver.backUp(from: "x2")
    driver.cancel()
    try driver.comeBack()
    #expect(driver.lines.suffix(3) == ["leaving parallel cancelled", "cancelled", "rolledBack 0"])
    #expect(Set(driver.undone) == ["x2", "x1", "y1", "a"] && driver.undone.count == 4)
  }

  @Test("answers and new questions of the branch that is left are refused; those of its sibling are not")
  func questions() throws {
    var driver = try forked(past: "a", "x1")
    let left = try driver.ask("x2")
    let other = try driver.ask("y1")
    try driver.backUp(from: "x2")
    #expect(driver.position.questions.map(\.id) == [other])
    #expect(code { try driver.answer(left) } == .questionClosed)
    #expect(throws: CancellationError.self) { try driver.ask("x2") }
    try driver.answer(other)
    try driver.make(at: "y1")
    #expect(driver.steps == "x2 y2")
    try driver.comeBack("x2")
    #expect(driver.steps == "x1 y2")
  }

  @Test("a race decided while a branch backs up: the branch returns, and its remaining steps are compensated once")
  func decidedWhileBackingUp() throws {
    var driver = try TrackDriver(
      Flow {
        Race {
          branch("x")
          step("y")
        }
        step("d")
      })
    try driver.pass("x1")
    driver.holding = "x2"
    try driver.backUp(from: "x2")
    try driver.comeBack("x2")
    driver.forget()
    try driver.make("won", at: "y")
    #expect(driver.lines == ["leaving race superseded"] && driver.undone.isEmpty)
    driver.releaseBackUp()
    #expect(driver.compensatedLine == "x1" && driver.steps == "d")
    #expect(driver.lines.dropFirst() == ["joined race 0", "moved race→d"])
  }

  @Test("an error of a backUp in a branch superseded during its back is reported when the fork is joined")
  func errorOfOvertakenBranch() throws {
    var driver = try TrackDriver(
      Flow {
        Race {
          branch("x")
          step("y")
        }
        step("d")
      })
    try driver.pass("x1")
    driver.holding = "x2"
    try driver.backUp(from: "x2")
    try driver.comeBack("x2")
    try driver.make("won", at: "y")
    driver.releaseBackUp(Failure("x2"))
    #expect(driver.lines.suffix(2) == ["joined race 1", "moved race→d"])
  }

  @Test("an error of a backUp in a branch whose sibling then failed is reported after the rollback")
  func errorOfBranchWithFailedSibling() throws {
    var driver = try forked(past: "a", "x1")
    driver.holding = "x2"
    try driver.backUp(from: "x2")
    try driver.comeBack("x2")
    try driver.fail("y1")
    driver.releaseBackUp(Failure("x2"))
    #expect(driver.lines.suffix(2) == ["failed y1", "rolledBack 1"])
  }

  @Test("one branch fails while another backs up: leaving superseded, failed, rolledBack")
  func failureWhileBackingUp() throws {
    var driver = try forked(past: "a", "x1")
    try driver.backUp(from: "x2")
    driver.forget()
    try driver.fail("y1")
    #expect(driver.lines == ["leaving parallel superseded"])
    #expect(driver.position.canBackUp == false)
    try driver.comeBack("x2")
    #expect(driver.lines == ["leaving parallel superseded", "failed y1", "rolledBack 0"])
    #expect(driver.undone.last == "a" && Set(driver.undone) == ["x2", "x1", "y1", "a"] && driver.undone.count == 4)
  }

  @Test("a step that throws while its branch is superseded has not failed")
  func failureWhileSuperseded() throws {
    var driver = try TrackDriver(
      Flow {
        Race {
          step("b")
          step("c")
        }
        step("d")
      })
    try driver.make("won", at: "b")
    try driver.fail("c")
    #expect(driver.steps == "d" && driver.compensatedLine == "c" && driver.failure == nil)
  }

  @Test("backUp while the losers of a race are compensated: the race's own leave is replaced by one to before the race")
  func backWhilePruning() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        Race {
          step("b")
          step("c")
        }
        step("d")
      })
    try driver.pass("a")
    try driver.make("won", at: "b")
    driver.holding = "c"
    try driver.comeBack("c")
    #expect(driver.compensatedLine == "c")
    try driver.backUp()
    driver.releaseBackUp()
    #expect(driver.compensatedLine == "c b a" && driver.steps == "a")
  }

  @Test("a back request while a decided race waits for its losers is refused, and nothing has changed")
  func backWhileLosersLeave() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        Race {
          step("b")
          step("c")
        }
      })
    try driver.pass("a")
    try driver.make("won", at: "b")
    #expect(code { try driver.backUp() } == .moving)
    try driver.comeBack("c")
    #expect(driver.lines.last == "finished")
  }
}
