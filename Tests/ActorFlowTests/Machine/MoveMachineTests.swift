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

  /// A driver at the first of three steps, the second of which has a time limit of 30 seconds.
  private func timed() throws -> MachineDriver {
    let flow = Flow<String, String> {
      Step("a") { Asker() }
      Step("b") { Asker() }.timeout(.seconds(30))
      Step("c") { Asker() }
    }
    var driver = try MachineDriver(flow)
    driver.enter(0)
    return driver
  }

  /// Moves to the step after the one at `index`, as a walk does that comes under other scopes.
  private func move(_ driver: inout MachineDriver, from index: Int, at now: Duration) throws -> FlowMachine.Move {
    var payload = driver.machine.main.top?.payload ?? .none
    let arrival = try driver.graph.advance(from: driver.graph.nodes[index].address + 1, &payload)
    guard case .step(let node) = arrival else { throw Failure("no step comes next") }
    return driver.give { $0.move(to: node, instance: nil, payload: payload, watching: true, at: now) }
  }

  @Test("a move into a scope arms its deadline, and the move out of it disarms it")
  func deadline() throws {
    var driver = try timed()
    guard case .entered = try move(&driver, from: 0, at: .seconds(5)) else {
      Issue.record("the step is not entered")
      return
    }
    #expect(driver.latest.timer == .seconds(35) && driver.machine.nextTimer == .seconds(35))
    guard case .entered = try move(&driver, from: 1, at: .seconds(20)) else {
      Issue.record("the step after the scope is not entered")
      return
    }
    #expect(driver.machine.nextTimer == nil && driver.stack == "abc")
  }

  @Test("a move that ends at a loose end or a leave arms nothing")
  func noDeadline() throws {
    var asking = try timed()
    _ = try asking.ask()
    guard case .looseEnds = try move(&asking, from: 0, at: .seconds(5)) else {
      Issue.record("the question is no loose end")
      return
    }
    #expect(asking.machine.nextTimer == nil)
    var leaving = try timed()
    try leaving.abandon()
    guard case .left = try move(&leaving, from: 0, at: .seconds(5)) else {
      Issue.record("a step was entered")
      return
    }
    #expect(leaving.machine.nextTimer == nil)
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
