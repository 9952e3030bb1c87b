import ActorFlow
import Testing

@Suite("Scopes on the machine") struct ScopeMachineTests: AskingFlows {
  @Test("retry in retry: the inner attempts are used up in each of the outer ones")
  func retryInRetry() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        Flow {
          step("b")
          step("c").retry(2)
        }.retry(2)
      })
    try driver.make(at: "a")
    for _ in 1...2 {
      try driver.make(at: "b")
      try driver.fail("c")
      try driver.fail("c")
    }
    #expect(
      driver.lines.filter { $0.hasPrefix("caught") } == [
        "caught c retry, attempt 2", "caught c retry, attempt 2", "caught c retry, attempt 2",
      ])
    #expect(driver.compensatedLine == "c b c b a" && driver.lines.suffix(2) == ["failed c", "rolledBack 0"])
  }

  @Test("an attempt of several steps gets the original input, and new places on top of the step before it")
  func originalInput() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        two("b", "c").retry(2)
      })
    try driver.pass("a", making: "from a")
    try driver.pass("b", making: "from b")
    let place = driver.running[.main]?.below
    try driver.fail("c")
    #expect(driver.steps == "b" && driver.running[.main]?.input as? String == "from a")
    #expect(driver.running[.main] !== place)
    #expect(driver.position.stack.map(\.step.name) == ["b", "a"])
    #expect(driver.position.canBackUp, "the step before the scope has asked")
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "a" && driver.compensatedLine == "c b b a")
  }

  @Test("a hub inside a retry: after the unwinding a back still leads to the step before it, which has asked")
  func hubInRetry() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        Hub(step("menu")) {
          Case("side", { (pick: String) in pick == "side" ? pick : nil }) { step("side") }
        } done: {
          (pick: String) -> String? in
          pick == "done" ? pick : nil
        }.retry(2)
      })
    try driver.pass("a")
    try driver.pass("menu", making: "side")
    try driver.pass("side")
    #expect(driver.steps == "menu")
    try driver.fail("menu")
    #expect(driver.compensatedLine == "side menu" && driver.steps == "menu")
    #expect(driver.position.canBackUp)
    try driver.backUp()
    try driver.comeBack()
    #expect(driver.steps == "a")
  }

  @Test("recover around retry acts when the attempts are used up; retry around recover never sees the failure")
  func recoverAndRetry() throws {
    var driver = try TrackDriver(Flow { step("b").retry(2).recover { _ in "" } })
    try driver.fail("b")
    #expect(driver.steps == "b" && driver.undone.isEmpty)
    try driver.fail("b")
    #expect(driver.compensatedLine == "b" && driver.lines.suffix(3) == ["caught b recover", "unwound - 0", "finished"])

    driver = try TrackDriver(Flow { step("b").recover { _ in "" }.retry(2) })
    try driver.fail("b")
    #expect(driver.compensatedLine == "b" && driver.lines.suffix(3) == ["caught b recover", "unwound - 0", "finished"])
  }

  @Test("a recovery whose closure throws fails the failed step with the closure's error, further out")
  func recoveryThrows() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        two("b", "c").recover { _ in "" }.retry(2)
      })
    driver.recovery = { _ in throw Failure("recovery") }
    try driver.make(at: "a")
    try driver.make(at: "b")
    try driver.fail("c")
    #expect(
      driver.lines.suffix(5) == [
        "caught c recover", "unwound a 0", "caught c retry, attempt 2", "unwound a 0", "moved a→b",
      ])
    try driver.make(at: "b")
    try driver.fail("c")
    #expect(driver.compensatedLine == "c b c b a")
    guard case .failed(let step, let error)? = driver.events.dropLast().last?.change else {
      Issue.record("\(driver.lines)")
      return
    }
    #expect(step == "c" && error as? Failure == Failure("recovery"))
  }

  @Test("errors of backUps during a scope's unwinding are in its event, and the scope acts all the same")
  func failingUnwind() throws {
    var driver = try TrackDriver(Flow { two("b", "c").recover { _ in "" } })
    driver.failing = ["c", "b"]
    try driver.make(at: "b")
    try driver.fail("c")
    #expect(driver.lines.suffix(2) == ["unwound - 2", "finished"])
  }

  @Test("a leave passes through recover and retry untouched: back, abandon, cancel")
  func leaves() throws {
    for way in ["back", "abandon", "cancel"] {
      var driver = try TrackDriver(
        Flow {
          step("a")
          two("b", "c").retry(3).recover { _ in "" }
        })
      try driver.pass("a")
      try driver.make(at: "b")
      switch way {
      case "back": try driver.backUp()
      case "abandon": try driver.abandon()
      default: driver.cancel()
      }
      try driver.fail("c", CancellationError())
      #expect(driver.compensatedLine == "c b a")
      #expect(!driver.lines.contains { $0.hasPrefix("caught") })
      #expect(driver.steps == (way == "back" ? "a" : ""))
    }
  }

  @Test("a recovery inside a branch keeps the siblings; one around the fork gets the failure after all are compensated")
  func branches() throws {
    var driver = try TrackDriver(
      Flow {
        both(step("b").recover { _ in "" }, step("c"))
      })
    try driver.fail("b")
    #expect(driver.steps == "c" && driver.compensatedLine == "b")
    #expect(driver.lines.suffix(2) == ["caught b recover", "unwound - 0"])
    try driver.make(at: "c")
    #expect(driver.lines.last == "finished")

    driver = try TrackDriver(
      Flow {
        both(step("b"), step("c")).recover { _ in "" }
      })
    try driver.fail("b")
    #expect(driver.lines.last == "leaving parallel superseded")
    try driver.comeBack()
    #expect(driver.lines.suffix(3) == ["caught b recover", "unwound - 0", "finished"])
    #expect(driver.compensatedLine == "c b")
  }

  @Test("retry in a branch repeats the branch's step, and a retry around the fork restarts all branches")
  func retryAroundFork() throws {
    var driver = try TrackDriver(
      Flow {
        both(step("b").retry(2), step("c")).retry(2)
      })
    try driver.fail("b")
    #expect(driver.steps == "b c" && driver.undone.isEmpty)
    try driver.fail("b")
    try driver.comeBack()
    #expect(driver.steps == "b c" && driver.compensatedLine == "c b")
    try driver.make(at: "b")
    try driver.make(at: "c")
    #expect(driver.lines.last == "finished")
  }

  @Test("a back while a scope unwinds replaces it, and compensates nothing twice")
  func backWhileUnwinding() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        two("b", "c").retry(3)
      })
    try driver.pass("a")
    try driver.make(at: "b")
    driver.holding = "c"
    try driver.fail("c")
    #expect(driver.compensatedLine == "c")
    try driver.backUp()
    driver.releaseBackUp()
    #expect(driver.compensatedLine == "c b a" && driver.steps == "a")
    #expect(driver.lines.suffix(2) == ["leaving c back", "backedUp c→a 0"])
  }

  @Test("a back during the pause before an attempt: the pause counts as settled, and the attempt does not begin")
  func backDuringPause() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        step("b").retry(3, backoff: .constant(.seconds(5)))
      })
    try driver.pass("a")
    try driver.fail("b")
    #expect(driver.steps == "" && driver.machine.isSettled && driver.machine.nextTimer == .seconds(5))
    try driver.backUp()
    #expect(driver.compensatedLine == "b a" && driver.steps == "a" && driver.machine.nextTimer == nil)
    driver.advance(by: .seconds(10))
    #expect(driver.steps == "a")
  }

  @Test("an abandon during the pause between attempts of several steps")
  func abandonDuringPause() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        two("b", "c").retry(3, backoff: .constant(.seconds(5)))
      })
    try driver.make(at: "a")
    try driver.make(at: "b")
    try driver.fail("c")
    #expect(driver.machine.isSettled && driver.compensatedLine == "c b")
    try driver.abandon()
    #expect(driver.compensatedLine == "c b a" && driver.machine.phase == .ended)
  }

  @Test(
    "the pauses of each backoff",
    arguments: [
      (Backoff.none, [0, 0, 0]), (.constant(.seconds(2)), [2, 2, 2]), (.constant(.seconds(-2)), [0, 0, 0]),
      (.exponential(from: .seconds(1)), [1, 2, 4]), (.exponential(from: .seconds(1), factor: 3), [1, 3, 9]),
      (.exponential(from: .seconds(1), factor: 10, limit: .seconds(5)), [1, 5, 5]),
      (.exponential(from: .seconds(1), factor: 0), [1, 1, 1]), (.exponential(from: .seconds(-1)), [0, 0, 0]),
    ])
  func backoff(_ backoff: Backoff, _ seconds: [Int]) {
    #expect((1...3).map { backoff.delay(after: $0) } == seconds.map { .seconds($0) })
  }

  @Test("an exponential backoff does not overflow, and stays at an hour by default")
  func longBackoff() {
    #expect(Backoff.exponential(from: .seconds(1)).delay(after: 1_000_000) == .seconds(3_600))
  }
}
