import ActorFlow
import Testing

@Suite("Rule 3: policies, the stack and the rollback") struct PolicyStackTests {
  @Test("a one-way step that was left forwards stays on the stack and is rolled back when the flow ends badly")
  func oneWay() throws {
    var driver = try MachineDriver(.automatic, .oneWay, .automatic)
    try driver.walk("ABc")
    #expect(driver.stack == "abc")
    try driver.abandon()
    #expect(driver.rollBack() == "cba")
  }

  @Test("a settling step that was left forwards is final, with everything before it")
  func settling() throws {
    var driver = try MachineDriver(.automatic, .settling, .automatic, .automatic)
    try driver.walk("AB")
    #expect(driver.stack == "ab")
    driver.enter(2)
    #expect(driver.stack == "c")
    #expect(driver.lines.last == "moved b→c")
    driver.enter(3)
    #expect(driver.stack == "cd")
    try driver.abandon()
    #expect(driver.rollBack() == "dc")
  }

  @Test("a settling step that has not been left forwards is rolled back, with everything before it")
  func settlingFails() throws {
    var driver = try MachineDriver(.automatic, .settling)
    try driver.walk("Ab")
    driver.fail()
    #expect(driver.rollBack() == "ba")
  }

  @Test("a settling step can be left backwards before it was left forwards")
  func settlingBack() throws {
    var driver = try MachineDriver(.automatic, .settling, .automatic)
    try driver.walk("Ab")
    try driver.backUp()
    #expect(driver.rollBack() == "ba[a]")
    #expect(driver.stack == "a")
  }

  @Test("a settling step that was skipped settles nothing")
  func settlingSkipped() throws {
    var driver = try MachineDriver(.automatic, .settling, .automatic)
    try driver.walk("A(b)c")
    #expect(driver.stack == "ac")
    #expect(driver.machine.position.canBackUp)
  }

  @Test("while a settled step's neighbour is skipped, nothing is final; entering the step behind it makes it so")
  func settlingThenSkip() throws {
    var driver = try MachineDriver(.automatic, .settling, .automatic, .automatic)
    try driver.walk("AB(c)")
    #expect(driver.stack == "ab")
    driver.enter(3)
    #expect(driver.stack == "d")
  }

  @Test("a settling step drops the places before it when a skipped step behind it stays on the stack")
  func settlingThenSkipped() throws {
    var driver = try MachineDriver(.automatic, .settling, .returnableIfSkipped, .automatic)
    try driver.walk("AB(c)d")
    #expect(driver.stack == "cd")
    try driver.backUp()
    #expect(driver.rollBack() == "d[c]")
  }

  @Test("a passed-through step stays on the stack and is rolled back")
  func passThrough() throws {
    var driver = try MachineDriver(.automatic, .passThrough, .automatic)
    try driver.walk("ABc")
    #expect(driver.stack == "abc")
    driver.fail()
    #expect(driver.rollBack() == "cba")
  }

  @Test("a skipped step leaves no place, and an event says so")
  func skipped() throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("A(b)c")
    #expect(driver.stack == "ac")
    #expect(driver.lines.suffix(2) == ["skipped b", "moved a→c"])
    try driver.abandon()
    #expect(driver.rollBack() == "ca")
  }

  @Test("a skipped step that stays on the stack is moved to, marked as skipped, and owes no backUp")
  func skippedOnStack() throws {
    var driver = try MachineDriver(.automatic, .returnableIfSkipped, .automatic)
    try driver.walk("A(b)c")
    #expect(driver.lines.suffix(2) == ["moved a→b", "moved b→c"])
    #expect(driver.machine.position.stack.map(\.isSkipped) == [false, true, false])
    try driver.abandon()
    #expect(driver.rollBack() == "ca")
  }

  @Test("a skipped step that a back lands on is entered, and owes a backUp like any other")
  func skippedThenEntered() throws {
    var driver = try MachineDriver(.automatic, .returnableIfSkipped, .automatic)
    try driver.walk("A(b)c")
    try driver.backUp()
    #expect(driver.rollBack() == "c[b]")
    #expect(driver.machine.position.stack.top?.isSkipped == false)
    driver.enter(2)
    try driver.abandon()
    #expect(driver.rollBack() == "cba")
  }

  @Test("`.suspend` rolls back in memory")
  func suspend() throws {
    var driver = try MachineDriver(
      Flow {
        Step("a") { Asker() }.onFailure(.suspend)
        Step("b") { Asker() }.onFailure(.suspend)
      })
    driver.enter(0)
    driver.enter(1)
    driver.fail()
    #expect(driver.rollBack() == "ba")
    #expect(driver.machine.ending == .failed)
  }
}
