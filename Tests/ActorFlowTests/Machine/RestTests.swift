import Testing

@testable import ActorFlow

/// A flow is at rest if it can be given up and activated anew, and nothing is done or compensated twice.
@Suite("Rest on the machine") struct RestTests: AskingFlows {
  @Test("a flow that has not begun is at rest, a step that runs is not, and one that asks is")
  func asking() throws {
    var driver = try MachineDriver(.automatic)
    #expect(FlowMachine(flow: "machine", journal: .off).isAtRest)
    driver.enter(0)
    #expect(!driver.machine.isAtRest)
    let question = try driver.ask()
    #expect(driver.machine.isAtRest)
    try driver.answer(question)
    #expect(!driver.machine.isAtRest)
  }

  @Test("a step that has got one of two things that it waits for is at rest, although it cannot be passivated")
  func oneOfTwo() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let stay = Stay(driver.visit)
    _ = try driver.give { try $0.wait(for: "s", as: Int.self, at: stay, until: nil) }
    try driver.answer(driver.ask())
    #expect(driver.machine.isAtRest && !driver.machine.canPassivate)
  }

  @Test("no flow is at rest while work of a `once` is under way, even if it asks")
  func work() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let scope = RecordScope(Stay(driver.visit), isRollback: false)
    _ = try driver.give { try $0.beginOnce("charge", scope: scope, type: String.self) { KeyBits(high: 1, low: 2) } }
    _ = try driver.ask()
    #expect(driver.machine.isSettled && !driver.machine.isAtRest)
    driver.give { $0.endOnce("charge", scope: scope, value: "done") }
    #expect(driver.machine.isAtRest)
  }

  @Test("a flow that is left is not at rest before its end")
  func leaving() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    _ = try driver.ask()
    try driver.abandon()
    #expect(!driver.machine.isAtRest)
    driver.comeBack()
    _ = driver.rollBack()
    #expect(driver.machine.phase == .ended && driver.machine.isAtRest)
  }

  @Test("a flow is not at rest while one of its branches is left, and the other asks")
  func branch() throws {
    var driver = try TrackDriver(
      Flow {
        step("a")
        both(branch("x"), step("y"))
      })
    try driver.pass("a")
    try driver.pass("x1")
    try driver.ask("x2")
    #expect(!driver.machine.isAtRest)
    try driver.ask("y")
    #expect(driver.machine.isAtRest)
    driver.holding = "x1"
    try driver.backUp(from: "x2")
    try driver.comeBack("x2")
    #expect(!driver.machine.isAtRest)
    driver.releaseBackUp()
    #expect(driver.machine.leave == nil && !driver.machine.isAtRest, "the step runs again")
    try driver.ask("x1")
    #expect(driver.machine.isAtRest)
  }
}
