import ActorFlow
import Testing

@Suite("Deadlines on the machine") struct DeadlineMachineTests: AskingFlows {
  @Test("a timeout around several steps counts from entering the first; a back inside does not restart it")
  func backInside() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        two("b", "c").timeout(.seconds(30))
      })
    try driver.pass("a")
    driver.advance(by: .seconds(10))
    try driver.pass("b")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "b" && driver.machine.nextTimer == .seconds(30))
    driver.forget()
    driver.advance(by: .seconds(20))
    #expect(driver.lines == ["leaving b timedOut"])
    try driver.comeBack()
    #expect(driver.failure == .timedOut && driver.compensatedLine == "b a")
  }

  @Test("a back out of a timeout and in again restarts it")
  func backOut() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        two("b", "c").timeout(.seconds(30))
      })
    try driver.pass("a")
    driver.advance(by: .seconds(10))
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.machine.nextTimer == nil)
    driver.advance(by: .seconds(100))
    try driver.pass("a")
    #expect(driver.machine.nextTimer == .seconds(140))
    try driver.make(at: "b")
    try driver.make(at: "c")
    #expect(driver.machine.nextTimer == nil && driver.lines.last == "finished")
  }

  @Test("a timeout in a retry is for each attempt without its pause; one around a retry is for all attempts")
  func timeoutAndRetry() throws {
    var driver = try TrackDriver(
      Flow { step("b").timeout(.seconds(10)).retry(3, backoff: .constant(.seconds(60))).timeout(.seconds(100)) })
    driver.advance(by: .seconds(5))
    try driver.fail("b")
    #expect(driver.machine.nextTimer == .seconds(65), "the end of the pause")
    driver.advance(by: .seconds(60))
    #expect(driver.steps == "b" && driver.machine.nextTimer == .seconds(75))
    driver.advance(by: .seconds(10))
    #expect(driver.lines.last == "leaving b timedOut")
    try driver.comeBack()
    #expect(
      driver.compensatedLine == "b"
        && driver.lines.suffix(2) == ["caught b retry, attempt 3 after 60.0 seconds", "unwound - 0"])
    #expect(driver.machine.nextTimer == .seconds(100), "the outer timeout comes before the end of the pause")
    driver.advance(by: .seconds(25))
    #expect(driver.failure == .timedOut && driver.machine.phase == .ended)
  }

  @Test("a timeout during a leave waits: a back out of the part drops it, a back inside handles it on landing")
  func whileLeaving() throws {
    for target in ["a", "b"] {
      var driver = try TrackDriver(
        Flow {
          step("a")
          two("b", "c").timeout(.seconds(30))
        })
      try driver.pass("a")
      try driver.make(at: "b")
      try driver.backUp(to: StepID(target))
      driver.advance(by: .seconds(40))
      #expect(driver.lines.last == "leaving c back")
      try driver.comeBack()
      #expect(driver.steps == target)
      driver.advance(by: .zero)
      #expect(driver.lines.last == (target == "a" ? "backedUp c→a 0" : "leaving b timedOut"))
    }
  }

  @Test("a back requested while a timeout leaves the part replaces it")
  func backWhileTimingOut() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        step("b").timeout(.seconds(30))
      })
    try driver.pass("a")
    driver.advance(by: .seconds(30))
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "a" && driver.failure == nil)
    #expect(driver.lines.suffix(3) == ["leaving b timedOut", "leaving b back", "backedUp b→a 0"])
  }

  @Test("a timeout around a fork leaves all branches; one in a branch leaves that branch")
  func forks() throws {
    var driver = try TrackDriver(
      Flow {
        both(step("b").timeout(.seconds(10)).recover { _ in "" }, step("c")).timeout(.seconds(30))
      })
    driver.advance(by: .seconds(10))
    #expect(driver.lines.last == "leaving b timedOut")
    try driver.comeBack("b")
    #expect(driver.steps == "c" && driver.compensatedLine == "b")
    driver.advance(by: .seconds(20))
    #expect(driver.lines.last == "leaving parallel timedOut")
    try driver.comeBack("c")
    #expect(driver.failure == .timedOut && driver.compensatedLine == "b c")
  }

  @Test("expires: restarts with each answer, does not run while no step asks, ends as abandoned with rollback")
  func expires() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        two("b", "c").recover { _ in "" }.expires(afterIdle: .seconds(60))
      })
    try driver.make(at: "a")
    driver.advance(by: .seconds(500))
    #expect(driver.steps == "b", "no question is open")
    let question = try driver.ask("b")
    #expect(driver.machine.nextTimer == .seconds(560))
    driver.advance(by: .seconds(59))
    try driver.answer(question)
    try driver.make(at: "b")
    driver.advance(by: .seconds(30))
    try driver.ask("c")
    driver.advance(by: .seconds(59))
    #expect(driver.lines.last == "asked c")
    driver.advance(by: .seconds(1))
    #expect(driver.lines.last == "leaving c abandoned")
    try driver.comeBack()
    #expect(driver.compensatedLine == "c b a" && driver.lines.last == "rolledBack 0")
    #expect(driver.lines.contains { $0.hasPrefix("abandoned nobody has answered for") })
  }

  @Test("expires in a branch counts the questions of that branch only; around the fork those of all branches")
  func expiresInBranch() throws {
    var driver = try TrackDriver(
      Flow {
        both(step("b").expires(afterIdle: .seconds(60)), step("c")).expires(afterIdle: .seconds(1_000))
      })
    var other = try driver.ask("c")
    driver.advance(by: .seconds(500))
    #expect(driver.machine.leave == nil)
    try driver.ask("b")
    driver.advance(by: .seconds(59))
    #expect(driver.machine.leave == nil, "b's question has been open for 59 seconds only")
    try driver.answer(other)
    other = try driver.ask("c")
    driver.advance(by: .seconds(1))
    #expect(driver.machine.leave != nil, "an answer in c is none in b")

    driver = try TrackDriver(
      Flow {
        both(step("b"), step("c")).expires(afterIdle: .seconds(60))
      })
    other = try driver.ask("c")
    driver.advance(by: .seconds(40))
    try driver.ask("b")
    try driver.answer(other)
    driver.advance(by: .seconds(59))
    #expect(driver.machine.leave == nil)
    driver.advance(by: .seconds(1))
    #expect(driver.machine.leave != nil)
  }

  @Test("with zero or less a timeout fails its part on entering, an expiry abandons at the first question")
  func atOnce() throws {
    for duration in [Duration.zero, .seconds(-1)] {
      var driver = try TrackDriver(Flow { two("a", "b").timeout(duration) })
      driver.advance(by: .zero)
      #expect(driver.lines.last == "leaving a timedOut")
      try driver.comeBack()
      #expect(driver.failure == .timedOut)

      driver = try TrackDriver(Flow { two("a", "b").expires(afterIdle: duration) })
      driver.advance(by: .zero)
      #expect(driver.machine.leave == nil, "no question is open")
      try driver.ask("a")
      driver.advance(by: .zero)
      #expect(driver.lines.last == "leaving a abandoned")
    }
  }

  @Test(
    "a question with a deadline: withdrawn after it, and the deadline is dropped with the answer and with the visit")
  func questions() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        step("b")
      })
    try driver.pass("a")
    let first = try driver.ask("b", within: AskDeadline(due: .seconds(10), reminder: (.seconds(3), .seconds(3), 2)))
    #expect(driver.machine.nextTimer == .seconds(3))
    driver.now = .seconds(3)
    _ = driver.give { $0.fire(at: .seconds(3)) }
    guard case .remind(.main, 1)? = driver.latest.actions.first else {
      Issue.record("the first reminder is due")
      return
    }
    #expect(driver.machine.nextTimer == .seconds(6))
    driver.advance(by: .seconds(4))
    #expect(driver.machine.nextTimer == .seconds(10), "two reminders at most")
    driver.advance(by: .seconds(3))
    #expect(driver.lines.last == "withdrawn" && driver.position.questions.isEmpty)
    #expect(throws: FlowError.self) { try driver.answer(first) }
    try driver.ask("b", within: AskDeadline(due: .seconds(20), reminder: nil))
    try driver.backUp()
    #expect(driver.machine.nextTimer == nil)
    try driver.comeBack()
    driver.advance(by: .seconds(100))
    #expect(driver.steps == "a" && !driver.lines.suffix(2).contains("withdrawn"))
  }
}
