import ActorFlow
import Testing

@Suite("Rules 2 and 4: the rollback loop") struct RollbackLoopTests {
  @Test("Rule 2: each entered place is compensated once for each entering")
  func oncePerEntering() throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("ABc")
    try driver.backUp()
    #expect(driver.rollBack() == "cb[b]")
    try driver.backUp()
    #expect(driver.rollBack() == "ba[a]")
    try driver.abandon()
    #expect(driver.rollBack() == "a")
    #expect(driver.machine.phase == .ended)
  }

  @Test("Rule 2: the target proceeds again with its original input, in a new visit")
  func originalInput() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    try driver.backUp()
    while true {
      switch driver.turn() {
      case .compensate: driver.compensated()
      case .proceed(let place):
        #expect(place.input as? String == "to a")
        #expect(place.visit.id == VisitID(3))
        return
      default:
        Issue.record("neither compensates nor proceeds")
        return
      }
    }
  }

  @Test("Rule 2: a walk that was left before it began has no place to begin with, and owes the place on top its backUp")
  func leftBeforeItBegan() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    let beginning = driver.give { $0.beginning(on: .main) }
    #expect(beginning?.top?.visit.id == VisitID(2))
    try driver.abandon()
    let left = driver.give { $0.beginning(on: .main) }
    #expect(left == nil)
    #expect(driver.rollBack() == "ba", "it was entered before, and its walk was to go on behind it")
    var landed = try landed()
    try landed.abandon()
    let leftAfterLanding = landed.give { $0.beginning(on: .main) }
    #expect(leftAfterLanding == nil)
    #expect(landed.rollBack() == "", "it was compensated by the back, and not entered again")
  }

  /// A flow of two steps, backed up to the first one.
  private func landed() throws -> MachineDriver {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    try driver.backUp()
    #expect(driver.rollBack() == "ba[a]")
    return driver
  }

  @Test("Rule 2: a place left in the moment it was entered again is not compensated")
  func leftAtOnce() throws {
    var driver = try landed()
    try driver.abandon()
    let visit = driver.visit
    let notBegun = driver.give { $0.notBegun(visit) }
    #expect(notBegun)
    #expect(driver.rollBack() == "")
    #expect(driver.lines.suffix(2) == ["abandoned ", "rolledBack 0"])
  }

  @Test("Rule 2: a place that is landed on, and left while its step is made anew, is not compensated again")
  func leftWhileMade() throws {
    var driver = try landed()
    try driver.abandon()
    let place = driver.give { $0.reloaded(nil) }
    #expect(place == nil)
    #expect(driver.rollBack() == "")
  }

  @Test("Rule 2: a place that is landed on, and left before the attempt begins, is not compensated again")
  func leftBeforeTheAttempt() throws {
    var driver = try landed()
    try driver.abandon()
    let begins = driver.give { $0.beginAttempt(on: .main) }
    #expect(!begins)
    #expect(driver.rollBack() == "")
  }

  @Test(
    "Rule 2: a place whose step cannot be made anew is compensated only after a later attempt has begun",
    arguments: [true, false])
  func notMade(isTriedAgain: Bool) throws {
    var driver = try landed()
    driver.give { $0.notMade(on: .main) }
    if isTriedAgain { _ = driver.give { $0.beginAttempt(on: .main) } }
    try driver.abandon()
    #expect(driver.rollBack() == (isTriedAgain ? "a" : ""))
  }

  @Test("Rule 2: a proceed that has begun cannot be taken for one that has not")
  func begun() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    let visit = driver.visit
    let notBegun = driver.give { $0.notBegun(visit) }
    #expect(!notBegun)
    try driver.abandon()
    #expect(driver.rollBack() == "a")
  }

  @Test("Rule 2: a back that becomes an ending compensates nothing twice")
  func takenTarget() throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("Abc")
    try driver.backUp()
    let first = driver.rollBackToFirst()
    #expect(first?.node.info.id == "c")
    try driver.abandon("enough")
    driver.compensated()
    #expect(driver.rollBack() == "ba")
  }

  @Test("Rule 4: a failing backUp stops neither a back nor the others, and its error is in the event")
  func failingOnTheWayBack() throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("Abc")
    try driver.backUp()
    #expect(driver.rollBack(failing: ["c", "a"]) == "cba[a]")
    guard case .backedUp(_, _, let errors)? = driver.events.last?.change else {
      Issue.record("the flow has not landed")
      return
    }
    #expect(errors.compactMap { $0 as? Failure } == [Failure("c"), Failure("a")])
  }

  @Test("Rule 4: a failing backUp on the way to the bottom does not stop the others", arguments: LeavingBy.allCases)
  func failingOnTheWayDown(by: LeavingBy) throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("Abc")
    switch by {
    case .back: return
    case .abandon: try driver.abandon("first")
    case .failure: driver.fail()
    case .cancelledCaller: driver.cancel()
    }
    #expect(driver.rollBack(failing: ["b", "a"]) == "cba")
    #expect(driver.lines.last == "rolledBack 2")
    #expect(driver.machine.ending == by.ending)
  }

  @Test("Rule 4: errors of a back are kept when it becomes an ending")
  func keptErrors() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    try driver.backUp()
    _ = driver.rollBackToFirst()
    driver.compensated(Failure("b"))
    driver.cancel()
    #expect(driver.rollBack() == "a")
    #expect(driver.lines.last == "rolledBack 1")
  }

  @Test("Rule 4: errors of a back do not follow into the next leave")
  func forgottenErrors() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    try driver.backUp()
    #expect(driver.rollBack(failing: ["b"]) == "ba[a]")
    try driver.abandon()
    #expect(driver.rollBack() == "a")
    #expect(driver.lines.last == "rolledBack 0")
  }

  @Test("Rule 4: errors of rollback never replace the error that caused it")
  func causeStays() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    driver.fail(Failure("cause"))
    #expect(driver.rollBack(failing: ["a", "b"]) == "ba")
    let result = driver.give { $0.takeResult() }
    guard case .failure(let error)? = result else {
      Issue.record("the run has not failed")
      return
    }
    #expect(error as? Failure == Failure("cause"))
  }

  @Test("Rule 4: abandon without rolling back calls no backUp and ends at once")
  func leavingEffects() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    driver.forget()
    try driver.abandon("as it is", rollBack: false)
    #expect(driver.rollBack() == "")
    #expect(driver.lines == ["leaving b abandoned", "abandoned as it is"])
    #expect(driver.events.last?.position.status == .ended(.abandoned(reason: "as it is")))
  }

  @Test("Rule 4: abandon without rolling back during a back leaves what was not yet undone")
  func leavingTheRest() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    try driver.backUp()
    _ = driver.rollBackToFirst()
    try driver.abandon("as it is", rollBack: false)
    driver.compensated()
    #expect(driver.rollBack() == "")
    #expect(driver.machine.ending == .abandoned(reason: "as it is"))
  }

  @Test("Rule 4: abandon without rolling back cannot stop a rollback under way", arguments: LeavingBy.allCases)
  func joinsWithoutRollingBack(by: LeavingBy) throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    switch by {
    case .back: return
    case .abandon: try driver.abandon("first")
    case .failure: driver.fail()
    case .cancelledCaller: driver.cancel()
    }
    try driver.abandon("second", rollBack: false)
    #expect(driver.rollBack() == "ba")
  }

  @Test("a rollback says why to each place, and says the new reason when a back becomes an ending")
  func reasons() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    try driver.backUp()
    guard case .compensate(_, .back) = driver.turn() else {
      Issue.record("b is not compensated because of a back")
      return
    }
    driver.compensated()
    try driver.abandon("enough")
    var reasons: [LeaveReason] = []
    while true {
      switch driver.turn() {
      case .compensate(_, let reason):
        reasons.append(reason)
        driver.compensated()
      case .again: continue
      default:
        #expect(reasons == [.abandoned(reason: "enough")])
        return
      }
    }
  }
}
