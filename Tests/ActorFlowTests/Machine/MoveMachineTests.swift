import Testing

@testable import ActorFlow

/// A step that did nothing but return ends in the input that enters the next one.
@Suite("From one step to the next in one input") struct MoveMachineTests {
  private func move(_ driver: inout MachineDriver, to index: Int) -> FlowMachine.Move {
    let node = driver.graph.nodes[index]
    return driver.give { $0.move(to: node, instance: nil, payload: Payload("in")) }
  }

  @Test("the step has returned, and the next one is entered: one event, and no action")
  func entered() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    let first = driver.visit
    driver.forget()
    guard case .entered(let place) = move(&driver, to: 1) else {
      Issue.record("the step is not entered")
      return
    }
    #expect(driver.lines == ["moved a→b"] && driver.stack == "ab" && place.visit.id == driver.visit)
    #expect(driver.latest.actions.isEmpty)
    #expect(throws: FlowError.self) { try driver.give { try $0.ask(Form(text: "late"), key: nil, visit: first) } }
  }

  @Test("an open question is a loose end: the step has returned, and the next one is not entered yet")
  func question() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    let question = try driver.ask()
    guard case .looseEnds = move(&driver, to: 1) else {
      Issue.record("the question is no loose end")
      return
    }
    #expect(driver.stack == "a")
    driver.give { $0.withdraw(question.id.number) }
    let visit = driver.visit
    #expect(throws: FlowError.self) { try driver.give { try $0.ask(Form(text: "late"), key: nil, visit: visit) } }
    #expect(driver.enter(1) && driver.stack == "ab")
  }

  @Test("work of `once` under way is a loose end")
  func work() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    let scope = RecordScope(Stay(driver.visit), isRollback: false)
    _ = try driver.give {
      try $0.beginOnce("charge", scope: scope, type: String.self) { KeyBits(high: 1, low: 2) }
    }
    guard case .looseEnds = move(&driver, to: 1) else {
      Issue.record("the work is no loose end")
      return
    }
    #expect(driver.stack == "a")
  }

  @Test("if the flow is being left, the step has returned, and the next one is not entered")
  func left() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    try driver.give { try $0.abandon(reason: "enough", rollBack: true, since: .zero) }
    driver.forget()
    guard case .left = move(&driver, to: 1) else {
      Issue.record("a step was entered")
      return
    }
    #expect(driver.events.isEmpty)
    #expect(driver.rollBack() == "a")
  }

  @Test("each input that is taken is counted, and a refused one is not")
  func inputs() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    let before = driver.machine.inputs
    driver.enter(0)
    #expect(driver.machine.inputs == before + 1)
    #expect(throws: FlowError.self) {
      try driver.give { try $0.ask(Form(text: "?"), key: nil, visit: VisitID(99)) }
    }
    #expect(driver.machine.inputs == before + 1)
    _ = driver.give { $0.isOver(.main) }
    #expect(driver.machine.inputs == before + 2)
  }
}
