import ActorFlow
import Testing

@Suite("Idle times on the machine") struct IdleMachineTests: AskingFlows {
  private func idle(_ flow: Flow<String, String>) throws -> TrackDriver { try TrackDriver(flow) }

  @Test("a flow that waits only for a signal is idle, and expires")
  func signal() throws {
    var driver = try idle(Flow { step("a").expires(afterIdle: .seconds(60)) })
    driver.advance(by: .seconds(500))
    #expect(driver.machine.leave == nil, "the step is executing")
    try driver.wait("a")
    #expect(driver.machine.nextTimer == .seconds(560))
    driver.advance(by: .seconds(59))
    #expect(driver.machine.leave == nil)
    driver.advance(by: .seconds(1))
    #expect(driver.lines.last == "leaving a abandoned")
  }

  @Test("a received signal restarts the idle time, a buffered one does not")
  func received() throws {
    var driver = try idle(Flow { step("a").expires(afterIdle: .seconds(60)) })
    try driver.wait("a")
    driver.advance(by: .seconds(50))
    try driver.send(to: "other")
    #expect(driver.machine.nextTimer == .seconds(60))
    try driver.send(to: "s")
    #expect(driver.machine.nextTimer == nil, "the step is executing")
    driver.advance(by: .seconds(100))
    try driver.wait("a")
    #expect(driver.machine.nextTimer == .seconds(210))
  }

  @Test("a question or wait that timed out does not restart the idle time: it continues with the next one")
  func overdue() throws {
    var driver = try idle(Flow { step("a").expires(afterIdle: .seconds(60)) })
    try driver.wait("a", within: .seconds(25))
    driver.advance(by: .seconds(25))
    #expect(driver.lines.last == "stoppedWaiting a s")
    driver.advance(by: .seconds(1_000))
    #expect(driver.machine.leave == nil, "the step is executing, and the time does not run")
    try driver.ask("a", within: AskDeadline(due: .seconds(25), reminder: nil))
    driver.advance(by: .seconds(25))
    #expect(driver.lines.last == "withdrawn")
    try driver.wait("a")
    #expect(driver.machine.nextTimer == .seconds(1_060))
    driver.advance(by: .seconds(9))
    #expect(driver.machine.leave == nil)
    driver.advance(by: .seconds(1))
    #expect(driver.lines.last == "leaving a abandoned")
  }

  @Test("a given-up question does not restart the idle time either; an answer and a back do")
  func givenUp() throws {
    var driver = try idle(
      Flow {
        step("a")
        step("b")
      }.expires(afterIdle: .seconds(60)))
    try driver.pass("a")
    for _ in 1...2 {
      let question = try driver.ask("b")
      driver.advance(by: .seconds(20))
      let now = driver.now
      driver.give { $0.withdraw(question.number, at: now) }
      driver.advance(by: .seconds(100))
    }
    try driver.answer(driver.ask("b"))
    driver.advance(by: .seconds(100))
    let question = try driver.ask("b")
    #expect(driver.machine.nextTimer == driver.now + .seconds(60))
    driver.advance(by: .seconds(20))
    let now = driver.now
    driver.give { $0.withdraw(question.number, at: now) }
    try driver.backUp()
    try driver.comeBack()
    try driver.ask("a")
    #expect(driver.machine.nextTimer == driver.now + .seconds(60))
  }

  @Test("in a fork the idle time runs as long as anything is open; each scope has its own time")
  func branches() throws {
    var driver = try idle(
      Flow {
        both(step("b").expires(afterIdle: .seconds(50)), step("c")).expires(afterIdle: .seconds(60))
      })
    try driver.wait("c")
    driver.advance(by: .seconds(20))
    let question = try driver.ask("b")
    #expect(driver.machine.nextTimer == .seconds(60), "a question that opens beside a wait does not restart the time")
    driver.advance(by: .seconds(10))
    try driver.send(to: "s")
    #expect(driver.machine.nextTimer == .seconds(70), "the signal was c's")
    try driver.answer(question)
    #expect(driver.machine.nextTimer == nil)
  }

  @Test("an answer after its time is refused: the time of the question, of a timeout, or an idle time")
  func late() throws {
    for flow in [step("a").timeout(.seconds(10)), step("a").expires(afterIdle: .seconds(10))] {
      var driver = try idle(Flow { flow })
      let question = try driver.ask("a")
      driver.now = .seconds(10)
      #expect((#expect(throws: FlowError.self) { try driver.answer(question) })?.code == .questionClosed)
      #expect(driver.machine.position.questions.count == 1, "nothing has changed")
      driver.advance(by: .zero)
      #expect(driver.machine.leave != nil)
    }
    var driver = try idle(Flow { step("a") })
    let question = try driver.ask("a", within: AskDeadline(due: .seconds(10), reminder: nil))
    driver.now = .seconds(10)
    #expect(throws: FlowError.self) { try driver.answer(question) }
    driver.advance(by: .zero)
    #expect(driver.lines.last == "withdrawn")
  }
}

extension TrackDriver {
  fileprivate mutating func wait(_ name: String, within limit: Duration? = nil) throws {
    let track = try track(of: name)
    guard let visit = running[track]?.visit.id else { throw Failure("no visit") }
    let due = limit.map { now + $0 }
    let waited = try give { [now] in
      try $0.wait(for: "s", as: Int.self, at: Stay(visit, on: track), until: due, at: now)
    }
    guard case .waiting = waited else { throw Failure("it does not wait") }
  }

  fileprivate mutating func send(to signal: String) throws {
    _ = try give { [now] in try $0.send(1, to: signal, key: nil, at: now) }
  }
}
