import ActorFlow
import Testing

@Suite("Forks on the machine") struct ForkMachineTests: AskingFlows {
  @Test("the fork is a visit; its branches begin at once, each with its own stack, and join when all have ended")
  func joins() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        both(step("b"), step("c"))
        step("d")
      })
    try driver.make("1", at: "a")
    #expect(driver.steps == "b c")
    #expect(driver.position.stack.map(\.step.name) == ["parallel", "a"])
    #expect(driver.position.branches.map { $0.stack.map(\.step.name) } == [["b"], ["c"]])
    try driver.make("3", at: "c")
    #expect(driver.position.branches.map(\.hasEnded) == [false, true])
    try driver.make("2", at: "b")
    #expect(driver.running[.main]?.input as? String == "23")
    #expect(driver.position.branches.isEmpty)
    #expect(
      driver.lines == [
        "launched", "moved -→a", "moved a→parallel", "moved parallel→b", "moved parallel→c", "joined parallel 0",
        "moved parallel→d",
      ])
  }

  @Test("nested forks join from the inside out, and an abandon compensates all of them, newest first")
  func nested() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          Flow("x") {
            step("a")
            both(step("b"), step("c"))
            step("d")
          }
          step("e")
        } join: {
          $0 + $1
        }
      })
    #expect(driver.steps == "a e")
    try driver.make(at: "a")
    #expect(driver.steps == "e b c")
    #expect(driver.position.branches[0].branches.map { $0.stack.map(\.step.name) } == [["b"], ["c"]])
    try driver.make("1", at: "b")
    try driver.make("2", at: "c")
    #expect(driver.steps == "d e")
    try driver.abandon()
    #expect(driver.undone.isEmpty, "both steps must return first")
    try driver.comeBack("e")
    try driver.comeBack("d")
    #expect(driver.compensatedLine == "d c b e a")
    #expect(driver.lines.suffix(3) == ["leaving parallel abandoned", "abandoned ", "rolledBack 0"])
  }

  @Test("an abandon while an inner fork is open waits for the steps of all levels")
  func nestedOpen() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          both(step("b"), step("c"))
          step("e")
        } join: {
          $0 + $1
        }
      })
    try driver.abandon()
    #expect(driver.machine.phase == .leaving)
    try driver.comeBack()
    #expect(Set(driver.undone) == ["b", "c", "e"] && driver.undone.count == 3)
    #expect(driver.machine.phase == .ended)
  }

  @Test("for each without elements joins at once; with `until` it is evaluated with nothing open")
  func noElements() throws {
    let each = ForEach({ (_: String) in [String]() }) { step("b") }
    var driver = try TrackDriver(Flow { each }, with: "-")
    #expect(driver.lines.last == "finished")
    driver = try TrackDriver(
      Flow {
        ForEach({ (_: String) in [String]() }) {
          step("b")
        } until: { results, open in
          .done("\(results) \(open)")
        }
      },
      with: "-")
    #expect(driver.lines.last == "finished")
    driver = try TrackDriver(
      Flow {
        ForEach({ (_: String) in [String]() }) {
          step("b")
        } until: { _, _ -> Tally<String> in
          .goOn
        }
      }, with: "-")
    #expect(driver.failure == .noDecision)
  }

  @Test("`until` that never says done fails with noDecision after all branches, and they are compensated")
  func neverDone() throws {
    var driver = try TrackDriver(
      Flow {
        ForEach({ (_: String) in ["1", "2"] }) {
          step("b")
        } until: { _, _ -> Tally<String> in
          .goOn
        }
      }, with: "-")
    try driver.make(at: "b")
    #expect(driver.failure == nil)
    try driver.make(at: "b")
    #expect(driver.failure == .noDecision)
    #expect(driver.compensatedLine == "b b")
  }

  @Test("a race without a branch has no winner")
  func emptyRace() throws {
    let none = false
    let driver = try TrackDriver(Flow { Race { if none { step("b") } } })
    #expect(driver.failure == .noDecision)
  }

  @Test("a join, an `until` or an `elements` closure that throws fails the fork, and its branches are compensated")
  func closuresThrow() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          step("b")
          step("c")
        } join: { (_: String, _: String) -> String in
          throw Failure("join")
        }
      })
    try driver.make(at: "b")
    try driver.make(at: "c")
    #expect(driver.lines.suffix(2) == ["failed parallel", "rolledBack 0"] && driver.compensatedLine == "c b")

    driver = try TrackDriver(
      Flow {
        ForEach({ (_: String) in ["1", "2"] }) {
          step("b")
        } until: { _, _ -> Tally<String> in
          throw Failure("until")
        }
      }, with: "-")
    try driver.make(at: "b")
    #expect(driver.lines.last == "leaving each superseded")
    try driver.comeBack()
    #expect(driver.lines.suffix(2) == ["failed each", "rolledBack 0"] && driver.compensatedLine == "b b")

    driver = try TrackDriver(
      Flow {
        step("a")
        ForEach({ (_: String) throws -> [String] in throw Failure("elements") }) { step("b") }.map { $0.joined() }
      })
    try driver.make(at: "a")
    #expect(driver.lines.suffix(2) == ["failed each", "rolledBack 0"] && driver.compensatedLine == "a")
  }

  @Test("a race: idle losers leave nothing behind; the others are compensated before the flow continues")
  func race() throws {
    var driver = try TrackDriver(
      Flow {
        Race {
          step("b")
          Flow("x") {
            step("c")
            step("d")
          }
        }
        step("e")
      })
    try driver.make(at: "c")
    driver.forget()
    try driver.make("won", at: "b")
    #expect(driver.steps == "d" && driver.lines == ["leaving race superseded"])
    #expect(driver.position.status.word == "leaving race" || driver.position.status.word == "leaving d")
    driver.failing = ["c"]
    try driver.comeBack("d")
    #expect(driver.compensatedLine == "d c")
    #expect(driver.lines.dropFirst() == ["joined race 1", "moved race→e"])
    #expect(driver.running[.main]?.input as? String == "won")
    try driver.abandon()
    try driver.comeBack()
    #expect(driver.compensatedLine == "d c e b")
  }

  @Test("a fork is not settled between the end of a branch and the decision of its goal")
  func settled() throws {
    var driver = try TrackDriver(
      Flow {
        Race {
          step("b")
          step("c")
        }
      })
    try driver.ask("b")
    let question = try driver.ask("c")
    #expect(driver.machine.isSettled)
    try driver.answer(question)
    let track = try driver.track(of: "c")
    #expect(!driver.machine.isSettled)
    let isOver = driver.machine.finishBranch(track, "won")
    #expect(isOver && !driver.machine.isSettled, "the race is about to be decided")
    guard case .judge = driver.machine.verdict(on: .main) else {
      Issue.record("the goal is to be asked")
      return
    }
    #expect(!driver.machine.isSettled, "the goal is being evaluated")
    guard case .wait = driver.machine.verdict(on: .main) else {
      Issue.record("the goal was asked")
      return
    }
    #expect(driver.machine.isSettled, "the goal is not reached, and a question is open")
  }
}
