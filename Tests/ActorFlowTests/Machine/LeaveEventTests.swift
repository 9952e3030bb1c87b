import ActorFlow
import Testing

@Suite("While leaving: events and statuses, in order") struct LeaveEventTests {
  /// `A` has asked, `b` has the focus with an open question; the events until then are forgotten.
  private func driver() throws -> MachineDriver {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    _ = try driver.ask()
    driver.forget()
    return driver
  }

  private func statuses(of driver: MachineDriver) -> [String] {
    driver.events.map { $0.position.status.word }
  }

  @Test("a back: leaving, then backedUp; running, leaving, running")
  func back() throws {
    var driver = try driver()
    #expect(driver.machine.position.status == .running)
    try driver.backUp(since: .seconds(3))
    let left = driver.machine.position.stack.top
    #expect(driver.machine.position.status == .leaving(try #require(left), since: .seconds(3)))
    _ = driver.rollBack()
    #expect(driver.lines == ["leaving b back", "backedUp b→a 0"])
    #expect(statuses(of: driver) == ["leaving b", "running"])
  }

  @Test("an abandon: leaving, abandoned when the step has ended, rolledBack last of all")
  func abandon() throws {
    var driver = try driver()
    try driver.abandon("why")
    _ = driver.rollBack()
    #expect(driver.lines == ["leaving b abandoned", "abandoned why", "rolledBack 0"])
    #expect(statuses(of: driver) == ["leaving b", "rollingBack", "ended abandoned why"])
  }

  @Test("a cancelled caller: leaving, cancelled, rolledBack")
  func cancel() throws {
    var driver = try driver()
    driver.cancel()
    _ = driver.rollBack()
    #expect(driver.lines == ["leaving b cancelled", "cancelled", "rolledBack 0"])
    #expect(statuses(of: driver) == ["leaving b", "rollingBack", "ended cancelled"])
  }

  @Test("a failure: failed, rolledBack, without a leave, because the step has ended")
  func failure() throws {
    var driver = try driver()
    driver.fail()
    _ = driver.rollBack()
    #expect(driver.lines == ["failed b", "rolledBack 0"])
    #expect(statuses(of: driver) == ["rollingBack", "ended failed"])
  }

  @Test("the end of the last step: finished, and that is the last event")
  func finish() throws {
    var driver = try driver()
    driver.finish()
    #expect(driver.lines == ["finished"])
    #expect(statuses(of: driver) == ["ended finished"])
  }

  @Test("a back that becomes an ending publishes a second leaving with the new reason")
  func becomesEnding() throws {
    var driver = try driver()
    try driver.backUp(since: .seconds(1))
    try driver.abandon("why")
    _ = driver.rollBack()
    #expect(driver.lines == ["leaving b back", "leaving b abandoned", "abandoned why", "rolledBack 0"])
    #expect(statuses(of: driver) == ["leaving b", "leaving b", "rollingBack", "ended abandoned why"])
  }

  @Test("the turn that accepts a leave closes the question, and the stack stays until the landing")
  func position() throws {
    var driver = try driver()
    #expect(driver.machine.position.questions.count == 1)
    try driver.backUp()
    #expect(driver.events.last?.position.questions.isEmpty == true)
    #expect(driver.stack == "ab")
    _ = driver.rollBackToFirst()
    driver.compensated()
    #expect(driver.stack == "ab")
    #expect(driver.rollBack() == "a[a]")
    #expect(driver.stack == "a")
  }

  @Test("while a flow is left there is no target for a back", arguments: [LeavingBy.back, .abandon, .cancelledCaller])
  func cannotBackUp(by: LeavingBy) throws {
    var driver = try driver()
    #expect(driver.machine.position.canBackUp)
    switch by {
    case .back: try driver.backUp()
    case .abandon: try driver.abandon()
    case .cancelledCaller, .failure: driver.cancel()
    }
    #expect(driver.events.allSatisfy { !$0.position.canBackUp })
    #expect(!driver.machine.position.canBackUp)
  }

  @Test("a compensation during the leave publishes nothing")
  func quiet() throws {
    var driver = try driver()
    try driver.backUp()
    let count = driver.events.count
    _ = driver.rollBackToFirst()
    driver.compensated(Refused())
    #expect(driver.events.count == count)
    #expect(driver.machine.sequence == driver.events.last?.sequence)
  }

  @Test("an ending before the first step was entered leaves no visit")
  func beforeFirst() throws {
    var driver = try MachineDriver(.automatic)
    try driver.abandon("early")
    let isEntered = driver.enter(0)
    #expect(!isEntered)
    #expect(driver.rollBack() == "")
    #expect(driver.lines == ["launched", "abandoned early", "rolledBack 0"])
    #expect(driver.events.map(\.sequence) == [1, 2, 3])
  }

  @Test("after a rollback the stack is empty; after finishing, it shows where the flow ended")
  func lastStack() throws {
    var undone = try driver()
    try undone.abandon()
    _ = undone.rollBack()
    #expect(undone.machine.position.stack.isEmpty)
    var finished = try driver()
    finished.finish()
    #expect(finished.stack == "ab")
  }
}
