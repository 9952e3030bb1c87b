import ActorFlow
import Testing

@Suite("Signals on the machine") struct MailMachineTests {
  @Test("the latest 10,000 keys are remembered")
  func keys() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let stay = Stay(driver.visit)
    for number in 0...10_000 {
      guard case .waiting = try driver.give({ try $0.wait(for: "s", as: Int.self, at: stay, until: nil) }),
        case .received = try driver.give({ try $0.send(number, to: "s", key: "\(number)") })
      else { throw Refused() }
    }
    guard case .duplicate = try driver.give({ try $0.send(1, to: "s", key: "1") }) else { throw Refused() }
    guard case .duplicate = try driver.give({ try $0.send(1, to: "s", key: "10000") }) else { throw Refused() }
    guard case .kept = try driver.give({ try $0.send(0, to: "s", key: "0") }) else { throw Refused() }
    guard case .duplicate = try driver.give({ try $0.send(0, to: "s", key: "0") }) else { throw Refused() }
    guard case .kept = try driver.give({ try $0.send(1, to: "s", key: "1") }) else { throw Refused() }
  }

  @Test("while the flow is leaving signals are kept, and nobody may begin to wait")
  func whileLeaving() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let stay = Stay(driver.visit)
    guard case .waiting(let number, _) = try driver.give({ try $0.wait(for: "s", as: Int.self, at: stay, until: nil) })
    else { throw Refused() }
    #expect(driver.machine.isSettled && driver.machine.position.waits.count == 1)
    try driver.abandon()
    #expect(driver.give { $0.takeClosedWaits() } == [number])
    #expect(driver.machine.position.waits.isEmpty)
    #expect(throws: CancellationError.self) {
      try driver.give { _ = try $0.wait(for: "s", as: Int.self, at: stay, until: nil) }
    }
    guard case .kept = try driver.give({ try $0.send(1, to: "s", key: nil) }) else { throw Refused() }
    _ = driver.rollBack()
    guard case .flowEnded = try driver.give({ try $0.send(1, to: "s", key: nil) }) else { throw Refused() }
  }
}
