import ActorFlow
import Testing

@Suite("Rule 5: folding the events gives the machine's own position") struct FoldingTests {
  private func expectSame(_ driver: MachineDriver) {
    let (own, told) = (driver.machine.position, driver.events.last?.position)
    #expect(told?.stack == own.stack)
    #expect(told?.status == own.status)
    #expect(told?.canBackUp == own.canBackUp)
    #expect(told?.questions.map(\.id) == own.questions.map(\.id))
    #expect(told?.questions.map(\.revision) == own.questions.map(\.revision))
    #expect(driver.events.map(\.sequence) == Array(1...driver.events.count))
  }

  @Test("the fold equals the position after every input of a flow that moves in all directions")
  func everyInput() throws {
    var driver = try MachineDriver(.automatic, .returnableIfSkipped, .oneWay, .settling, .automatic)
    expectSame(driver)
    driver.enter(0)
    expectSame(driver)
    let question = try driver.ask()
    expectSame(driver)
    _ = try driver.give { try $0.update(Form(text: "new"), visit: question.visit) }
    expectSame(driver)
    try driver.answer(question)
    expectSame(driver)
    driver.comeBack()
    expectSame(driver)
    driver.skip(1)
    expectSame(driver)
    driver.enter(2)
    expectSame(driver)
    try driver.backUp()
    expectSame(driver)
    while case .compensate = driver.turn() {
      expectSame(driver)
      driver.compensated(Refused())
      expectSame(driver)
    }
    expectSame(driver)
    driver.enter(2)
    expectSame(driver)
    driver.enter(3)
    expectSame(driver)
    driver.enter(4)
    expectSame(driver)
    driver.fail()
    expectSame(driver)
    while driver.machine.phase != .ended {
      if case .compensate = driver.turn() { driver.compensated() }
      expectSame(driver)
    }
  }

  @Test("a refused input changes neither position nor sequence")
  func refused() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    let question = try driver.ask()
    _ = try? driver.ask()
    _ = try? driver.backUp()
    _ = try? driver.backUp(to: "x")
    _ = try? driver.give { try $0.update(Choice(), visit: question.visit) }
    try? driver.give { try $0.launch(Graph.empty, with: "") }
    try? driver.give { try $0.answer(Question.ID(flow: "x", run: 1, number: 1), with: "", by: nil) }
    expectSame(driver)
    #expect(driver.machine.sequence == 3)
  }

  @Test("a question that is withdrawn twice, or after it was answered, publishes one event at most")
  func withdrawnOnce() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let first = try driver.ask()
    driver.give { $0.withdraw(first.id.number) }
    driver.give { $0.withdraw(first.id.number) }
    let second = try driver.ask()
    try driver.answer(second)
    driver.give { $0.withdraw(second.id.number) }
    #expect(driver.lines.suffix(4) == ["asked a", "withdrawn", "asked a", "answered"])
    expectSame(driver)
  }
}
