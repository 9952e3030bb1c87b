import ActorFlow
import Testing

/// What becomes of a failure that nothing in the definition does something about.
@Suite("Standing still on the machine") struct ParkingMachineTests {
  private func driver(_ journal: FlowMachine.Journal) throws -> MachineDriver {
    var driver = try MachineDriver(Flow<String, String> { Step("a") { Asker() } }, journal: journal)
    driver.enter(0)
    driver.forget()
    return driver
  }

  @Test("a flow that is kept stands still, and everything is as it was; one that is not rolls back")
  func parks() throws {
    var kept = try driver(.keeping)
    kept.fail()
    #expect(kept.machine.fault != nil && kept.machine.isSettled && kept.machine.isResting)
    #expect(kept.lines.map { $0.prefix(8) } == ["parked a"])
    var other = try driver(.off)
    other.fail()
    #expect(other.machine.fault == nil && other.machine.isEnding)
  }

  @Test("a kept flow rolls back where the step's definition says so")
  func rollsBack() throws {
    var driver = try driver(.keeping)
    driver.fail(policy: .rollBack)
    #expect(driver.machine.fault == nil && driver.machine.isEnding)
    #expect(driver.rollBack() == "a")
  }

  @Test("a flow that stands still fails no second time, and can be abandoned")
  func twice() throws {
    var driver = try driver(.keeping)
    driver.fail()
    driver.fail()
    #expect(driver.lines.map { $0.prefix(8) } == ["parked a"])
    try driver.abandon()
    #expect(driver.machine.isEnding)
  }
}
