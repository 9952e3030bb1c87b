import ActorFlow
import Testing

/// Failures that no part of the definition handles.
@Suite("Suspension on the machine") struct SuspensionMachineTests {
  private let flow = Flow<String, String> { Step("a") { Asker() } }

  private func driver(
    _ journal: FlowMachine.Journal, _ flow: Flow<String, String>? = nil
  ) throws -> MachineDriver {
    var driver = try MachineDriver(flow ?? self.flow, journal: journal)
    driver.enter(0)
    driver.forget()
    return driver
  }

  @Test("a persisted flow is suspended with everything unchanged; another one rolls back")
  func suspends() throws {
    var persisted = try driver(.persisting)
    persisted.fail()
    #expect(persisted.machine.fault != nil && persisted.machine.isSettled && persisted.machine.canPassivate)
    #expect(persisted.lines.map { $0.prefix(11) } == ["suspended a"])
    var other = try driver(.off)
    other.fail()
    #expect(other.machine.fault == nil && other.machine.isEnding)
  }

  @Test("a persisted flow rolls back where the step's definition says so")
  func rollsBack() throws {
    var driver = try driver(.persisting, flow.onFailure(.rollBack))
    driver.fail()
    #expect(driver.machine.fault == nil && driver.machine.isEnding)
    #expect(driver.rollBack() == "a")
  }

  @Test("a suspended flow does not fail a second time, and can be abandoned")
  func twice() throws {
    var driver = try driver(.persisting)
    driver.fail()
    driver.fail()
    #expect(driver.lines.map { $0.prefix(11) } == ["suspended a"])
    try driver.abandon()
    #expect(driver.machine.isEnding)
    #expect(driver.machine.fault == nil && !driver.machine.isSettled, "it is running again")
    #expect(driver.rollBack() == "a")
  }

  @Test("the definition's failure policy for a step applies when the step is no longer on the stack")
  func nothingLeft() throws {
    let late = flow.timeout(.seconds(5))
    var driver = try TrackDriver(late.onFailure(.rollBack), with: "-", journal: .persisting)
    driver.advance(by: .seconds(5))
    try driver.comeBack()
    #expect(driver.failure == .timedOut && driver.machine.fault == nil && driver.compensatedLine == "a")

    let after = Flow<String, String> {
      Step("first") { Asker() }.onFailure(.rollBack)
      late.onFailure(.suspend)
    }
    driver = try TrackDriver(after, with: "-", journal: .persisting)
    try driver.pass("first")
    driver.advance(by: .seconds(5))
    try driver.comeBack()
    #expect(driver.failure == nil && driver.machine.fault?.step.name == "a", "not the policy of the step before it")
  }

  @Test("before the first step its own failure policy applies", arguments: [FailurePolicy.rollBack, .suspend])
  func beforeFirst(policy: FailurePolicy) throws {
    var driver = try MachineDriver(flow.onFailure(policy), journal: .persisting)
    let goesOn = driver.give { $0.fail("switch", Refused()) }
    #expect(driver.latest.event != nil && goesOn == (policy == .rollBack))
    #expect((driver.machine.fault == nil) == (policy == .rollBack))
  }

  @Test("in a suspended flow no timer fires, and it cannot be backed up")
  func deaf() throws {
    var driver = try TrackDriver(flow.timeout(.seconds(5)).retry(1), with: "-", journal: .persisting)
    var other = try TrackDriver(
      Flow<String, String> {
        Step("a") { Asker() }
        Step("b") { Asker() }
      }.expires(afterIdle: .seconds(5)), with: "-", journal: .persisting)
    try driver.fail("a")
    #expect(driver.machine.nextTimer == nil)
    driver.advance(by: .seconds(6))
    #expect(driver.machine.fault != nil && driver.machine.isSettled)
    try other.pass("a")
    try other.fail("b")
    let error = #expect(throws: FlowError.self) { try other.backUp() }
    #expect(error?.code == .suspended)
  }

  @Test("a suspended flow waits for the compensation of a branch, and begins nothing more in a branch")
  func compensating() throws {
    let fork = Flow<String, String> {
      Parallel {
        Step<String, String>("a") { Asker() }
        Flow<String, String> {
          Step("pay") { Asker() }
          Step("deal") { Asker() }
        }.recover { _ in "recovered" }
      } join: {
        $0 + $1
      }
    }
    var driver = try TrackDriver(fork, with: "-", journal: .persisting)
    driver.holding = "pay"
    try driver.pass("pay")
    try driver.fail("deal")
    let failing = try driver.track(of: "a")
    try driver.fail("a")
    #expect(driver.machine.fault != nil && !driver.machine.isSettled && !driver.machine.canPassivate)
    let isOver = driver.machine.isOver(failing)
    #expect(isOver, "no stint follows that would end at once, again and again")
    let read = try readBack(driver)
    #expect(read.machine.fault?.step.name == "a")
    #expect(read.machine.isAtRest(isDriven: false) && !read.machine.isAtRest(isDriven: true))
    driver.releaseBackUp()
    #expect(driver.compensatedLine == "deal pay" && driver.machine.isSettled)
  }

  /// Returns the driver of the machine as it is read back from its snapshot, after `change`.
  private func readBack(
    _ driver: TrackDriver, _ change: (inout MachineSnapshot) -> Void = { _ in }
  ) throws -> TrackDriver {
    let names = GraphNames(driver.graph)
    var snapshot = try driver.machine.snapshot(names, with: JSONCodec())
    change(&snapshot)
    var read = driver
    read.machine = try FlowMachine(snapshot, of: "machine", names: names, codec: JSONCodec(), at: .zero)
    read.running = [:]
    return read
  }

  @Test("a suspended flow does not go on when the race beside the failed step could be decided")
  func undecided() throws {
    let race = Flow<String, String> {
      Race {
        Step<String, String>("a") { Asker() }
        Step<String, String>("b") { Asker() }
      }
      Step("then") { Asker() }
    }
    var driver = try TrackDriver(race, with: "-", journal: .persisting)
    try driver.fail("a")
    let fault = driver.machine.fault?.step
    try driver.pass("b")
    #expect(fault?.name == "a" && driver.machine.fault?.step == fault)
    #expect(!driver.steps.contains("then") && driver.compensatedLine == "")
  }

  @Test("a flow that is read back suspended on its way to an ending goes on when it is abandoned again")
  func suspendedEnding() throws {
    var driver = try TrackDriver(flow, with: "-", journal: .persisting)
    try driver.abandon()
    var read = try readBack(driver) {
      $0.fault = PackedFault(step: "a", error: StoredFailure(Refused()))
    }
    #expect(read.machine.fault != nil && read.machine.isEnding)
    try read.abandon()
    #expect(read.machine.fault == nil && read.machine.isEnding)
  }

  @Test("the visit of a leave that is read back is shown once")
  func leaving() throws {
    let two = Flow<String, String> {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    var driver = try TrackDriver(two, with: "-", journal: .persisting)
    try driver.pass("a")
    try driver.abandon(rollBack: false)
    let stack = driver.position.stack.map(\.step.name)
    #expect(stack == ["b", "a"])
    #expect(try readBack(driver).position.stack.map(\.step.name) == stack)
  }
}
