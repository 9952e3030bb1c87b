import Testing

@testable import ActorFlow

/// A question and a wait that are open for one task, of which the first outcome closes both.
@Suite("The first of an answer and a signal on the machine") struct FirstMachineTests {
  private let limit = Duration.seconds(10)

  private func driver(_ journal: FlowMachine.Journal = .off) throws -> MachineDriver {
    var driver = try MachineDriver(Flow("f") { Step("a") { Asker() } }, journal: journal)
    driver.enter(0)
    driver.forget()
    return driver
  }

  @Test("one input opens both, with an event for each, and the task waits for both")
  func opened() throws {
    var driver = try driver()
    #expect(try driver.first() == "opened 1 1")
    #expect(driver.lines == ["asked a", "waiting a s"])
    #expect(driver.events.map(\.position.waits.count) == [0, 1] && driver.events.map(\.sequence) == [3, 4])
    #expect(driver.latest.waits == ["answer", "signal 1"])
    #expect(driver.machine.isSettled && driver.machine.canPassivate && driver.machine.position.questions.count == 1)
    #expect(code { try driver.first() } == .alreadyAsking)
    #expect(code { try driver.ask() } == .alreadyAsking)
  }

  @Test("an answer closes the wait in the same input; a later signal is buffered")
  func answered() throws {
    var driver = try driver()
    _ = try driver.first()
    let question = try #require(driver.machine.position.questions.first)
    driver.forget()
    try driver.answer(question)
    #expect(driver.lines == ["answered", "stoppedWaiting a s"])
    #expect(driver.latest.resumed == ["answer: !", "signal 1: cancelled"], "the first one counts")
    #expect(driver.machine.position.waits.isEmpty && driver.machine.position.questions.isEmpty)
    guard case .buffered = try driver.give({ try $0.send(1, to: "s", key: nil) }) else { throw Refused() }
    #expect(try driver.first() == "received 1")
    #expect(try driver.first() == "opened 2 2")
  }

  @Test("a signal closes the question in the same input; a later answer is refused")
  func received() throws {
    var driver = try driver()
    _ = try driver.first()
    let question = try #require(driver.machine.position.questions.first)
    driver.forget()
    guard case .received = try driver.give({ try $0.send(7, to: "s", key: nil) }) else { throw Refused() }
    #expect(driver.lines == ["received a s", "withdrawn"])
    #expect(driver.events.map(\.position.questions.count) == [1, 0])
    #expect(driver.latest.resumed == ["signal 1: 7", "answer: cancelled"])
    #expect(code { try driver.answer(question) } == .questionClosed)
    #expect(driver.machine.signals.queues.isEmpty)
  }

  @Test("a signal that does not meet the condition is buffered, and both stay open")
  func condition() throws {
    var driver = try driver()
    _ = try driver.first(only: 7)
    guard case .buffered = try driver.give({ try $0.send(8, to: "s", key: nil) }) else { throw Refused() }
    #expect(driver.machine.position.questions.count == 1 && driver.machine.position.waits.count == 1)
    guard case .received = try driver.give({ try $0.send(7, to: "s", key: nil) }) else { throw Refused() }
    #expect(try driver.first(only: 7) == "opened 2 2", "the other one stays buffered")
  }

  @Test("the time limit closes both in one input, and nothing is accepted once the time has passed")
  func overdue() throws {
    var driver = try driver()
    _ = try driver.first(within: limit)
    let question = try #require(driver.machine.position.questions.first)
    #expect(driver.machine.timers.count == 1 && driver.machine.nextTimer == limit)
    driver.forget()
    let late = code { try driver.give { try $0.answer(question.id, with: "!", by: nil, at: .seconds(10)) } }
    #expect(late == .questionClosed)
    guard case .buffered = try driver.give({ try $0.send(1, to: "s", key: nil, at: .seconds(10)) }) else {
      throw Refused()
    }
    #expect(driver.give { $0.fire(at: .seconds(10)) })
    #expect(driver.lines == ["withdrawn", "stoppedWaiting a s"])
    #expect(driver.latest.resumed == ["answer: time", "signal 1: cancelled"])
    #expect(driver.machine.timers.isEmpty)
  }

  @Test("an asker that gives up closes both, and so does leaving the visit", arguments: ["give up", "leave", "cancel"])
  func closed(_ how: String) throws {
    var driver = try driver()
    _ = try driver.first(within: limit)
    driver.forget()
    switch how {
    case "give up": driver.give { $0.withdraw(1) }
    case "leave": try driver.abandon()
    default: driver.cancel()
    }
    if how == "give up" { #expect(driver.lines == ["withdrawn", "stoppedWaiting a s"]) }
    #expect(driver.latest.resumed == ["answer: cancelled", "signal 1: cancelled"])
    #expect(driver.machine.position.waits.isEmpty && driver.machine.position.questions.isEmpty)
    #expect(driver.machine.timers.isEmpty && driver.machine.signals.queues.isEmpty)
  }

  @Test("after one of both the step may ask alone and is passivated: it had one task, not two")
  func canPassivate() throws {
    var driver = try driver(.persisting)
    _ = try driver.first()
    guard case .received = try driver.give({ try $0.send(7, to: "s", key: nil) }) else { throw Refused() }
    #expect(!driver.machine.isSettled)
    guard case .opened = try driver.ask(key: nil) else { throw Refused() }
    #expect(driver.machine.canPassivate)
  }

  @Test("idle times begin with both, pause when the limit passes, and begin anew after a signal")
  func idle() throws {
    var driver = try TrackDriver(Flow { Step("a") { Asker() }.expires(afterIdle: .seconds(100)) })
    func first(within limit: Duration? = nil) throws {
      let stay = Stay(try #require(driver.running[.main]?.visit.id))
      try driver.give { [now = driver.now] in
        _ = try $0.first(of: Form(text: ""), key: nil, or: "s", as: Int.self, at: stay, within: limit, at: now)
      }
    }
    driver.advance(by: .seconds(50))
    try first(within: limit)
    #expect(driver.machine.nextTimer == .seconds(60))
    driver.advance(by: .seconds(10))
    #expect(driver.lines.suffix(2) == ["withdrawn", "stoppedWaiting a s"])
    driver.advance(by: .seconds(1_000))
    #expect(driver.machine.leave == nil, "the step is executing")
    try first()
    #expect(driver.machine.nextTimer == .seconds(1_150))
    driver.advance(by: .seconds(50))
    _ = try driver.give { [now = driver.now] in try $0.send(1, to: "s", key: nil, at: now) }
    #expect(driver.machine.nextTimer == nil, "the step is executing")
    try first()
    #expect(driver.machine.nextTimer == .seconds(1_210))
    driver.advance(by: .seconds(100))
    #expect(driver.lines.last == "leaving a abandoned")
  }

  // MARK: - Replays

  @Test("a replay gets the same outcome, and both keys count whatever it was", arguments: ["answer", "signal", "time"])
  func replayed(_ ending: String) throws {
    var driver = try driver(.persisting)
    #expect(try driver.first(within: limit, by: .step) == "opened 1 1")
    let question = try #require(driver.machine.position.questions.first)
    switch ending {
    case "answer": try driver.answer(question)
    case "signal": _ = try driver.give { try $0.send(7, to: "s", key: nil) }
    default: driver.give { _ = $0.fire(at: .seconds(10)) }
    }
    let outcome = ["answer": "answered !", "signal": "received 7", "time": "overdue"][ending]
    for _ in 0..<2 {
      #expect(try driver.first(within: limit, by: .step, at: .seconds(20)) == "opened 2 2")
      driver.machine = try restored(driver.machine)
      driver.forget()
      #expect(try driver.first(within: limit, by: .step, at: .seconds(20)) == outcome)
      #expect(driver.events.isEmpty && driver.machine.signals.queues.isEmpty)
    }
    #expect(try driver.first(within: limit, by: .step, at: .seconds(20)) == "opened 2 2", "with their identities")
    #expect(driver.events.isEmpty && driver.machine.nextTimer == .seconds(30), "the time limit goes on")
  }

  /// The forms in which a snapshot may come back: with the pair, or without, as an earlier format stores it.
  private static let forms = [true, false]

  @Test("a limit that passes before the step asks again closes both", arguments: forms)
  func overdueInReplay(_ knowsPair: Bool) throws {
    for fires in [true, false] {
      var driver = try driver(.persisting)
      _ = try driver.first(within: limit, by: .step)
      driver.machine = try restored(driver.machine, knowsPair: knowsPair)
      driver.forget()
      if fires { driver.give { _ = $0.fire(at: .seconds(10)) } }
      #expect(try driver.first(within: limit, by: .step, at: .seconds(11)) == "overdue")
      #expect(driver.lines == ["withdrawn", "stoppedWaiting a s"])
      #expect(driver.machine.reopening(on: .main) == nil && driver.machine.timers.isEmpty)
      driver.machine = try restored(driver.machine)
      #expect(try driver.first(within: limit, by: .step, at: .seconds(11)) == "overdue")
      #expect(try driver.first(by: .step) == "opened 2 2")
    }
  }

  @Test("a signal that comes before the step asks again is buffered, and then closes both", arguments: forms)
  func receivedInReplay(_ knowsPair: Bool) throws {
    var driver = try driver(.persisting)
    _ = try driver.first(only: 7, within: limit, by: .step)
    driver.machine = try restored(driver.machine, knowsPair: knowsPair)
    driver.forget()
    for value in [8, 7] {
      guard case .buffered = try driver.give({ try $0.send(value, to: "s", key: nil) }) else { throw Refused() }
    }
    #expect(try driver.first(only: 7, within: limit, by: .step) == "received 7")
    #expect(driver.lines == ["received a s", "withdrawn"])
    #expect(driver.machine.reopening(on: .main) == nil && driver.machine.timers.isEmpty)
    driver.machine = try restored(driver.machine)
    #expect(try driver.first(only: 7, within: limit, by: .step) == "received 7")
    #expect(try driver.ask(key: nil).text == "opened 2", "the question has used its number")
  }

  @Test("what a child gave up is given up in every replay, and the step's own task passes over both keys")
  func givenUp() throws {
    var driver = try driver(.persisting)
    _ = try driver.first(by: .child)
    driver.give { $0.withdraw(1) }
    driver.give { $0.withdraw(1) }
    #expect(try driver.first(by: .step) == "opened 2 2")
    driver.machine = try restored(driver.machine)
    #expect(try driver.first(by: .child) == "withdrawn")
    #expect(try driver.first(by: .step) == "opened 2 2")
    driver.machine = try restored(driver.machine)
    #expect(try driver.first(by: .step) == "opened 2 2", "the child comes later, or not at all")
  }

  @Test("a cancelled task passes over both keys, or gets the outcome that is known", arguments: forms)
  func passedOver(_ knowsPair: Bool) throws {
    var driver = try driver(.persisting)
    _ = try driver.first(within: limit, by: .child)
    driver.machine = try restored(driver.machine, knowsPair: knowsPair)
    driver.forget()
    let stay = Stay(driver.visit)
    func passOver() throws -> FlowMachine.PassedOver {
      try driver.give {
        try $0.passOver(first: Form(text: "?"), key: nil, or: "s", at: stay, hasLimit: true, by: .child)
      }
    }
    guard case .givenUp = try passOver() else { throw Refused() }
    #expect(driver.lines == ["withdrawn", "stoppedWaiting a s"] && driver.machine.timers.isEmpty)
    #expect(try driver.first(by: .child) == "opened 2 2")
    _ = try driver.give { try $0.send(7, to: "s", key: nil) }
    driver.machine = try restored(driver.machine)
    #expect(try driver.first(within: limit, by: .child) == "withdrawn")
    guard case .known = try passOver() else { throw Refused() }
  }

  @Test("a pair of a child that does not come back is given up as one", arguments: forms)
  func presumedGone(_ knowsPair: Bool) throws {
    var driver = try driver(.persisting)
    let stay = Stay(driver.visit)
    _ = try driver.first(within: limit, by: .child)
    _ = try driver.give { try $0.wait(for: "t", as: Int.self, at: stay, until: nil, by: .child) }
    driver.machine = try restored(driver.machine, knowsPair: knowsPair)
    #expect(driver.machine.look(at: .main) { $0.focus.askersAtOnce } == 2)
    #expect(try driver.ask(key: "own", by: .step).text == "opened 2")
    #expect(driver.machine.reopening(on: .main) == nil && driver.machine.timers.isEmpty)
    #expect(try driver.first(by: .child) == "withdrawn")
  }

  @Test(
    "a child that is presumed gone comes back in the next process as well, during the same call of its step",
    arguments: [false, true])
  func presumedGoneAndBack(_ isEarly: Bool) throws {
    var driver = try driver(.persisting)
    let stay = Stay(driver.visit)
    func wait() throws -> FlowMachine.Waited {
      try driver.give { try $0.wait(for: "t", as: Int.self, at: stay, until: nil, by: .child) }
    }
    guard case .waiting = try wait() else { throw Failure("it does not wait") }
    #expect(try driver.ask(key: "first", by: .step).text == "opened 1")
    try driver.answer(try #require(driver.machine.position.questions.first))
    driver.machine = try restored(driver.machine)
    #expect(try driver.ask(key: "first", by: .step).text == "replayed")
    #expect(try driver.ask(key: "own", by: .step).text == "opened 2")
    driver.machine = try restored(driver.machine)
    if isEarly {
      guard case .withdrawn = try wait() else { throw Failure("a child of an earlier part may come before the call") }
      #expect(driver.machine.look(at: .main) { $0.heldKeys.count } == 1)
    }
    #expect(try driver.ask(key: "first", by: .step).text == "replayed")
    #expect(try driver.ask(key: "own", by: .step).text == "opened 2")
    #expect(driver.machine.look(at: .main) { $0.heldKeys.isEmpty }, "it may ask again")
    guard case .waiting = try wait() else { throw Failure("it does not come back") }
    guard case .received = try driver.give({ try $0.send(7, to: "t", key: nil) }) else { throw Failure("not received") }
  }

  @Test("a reload after an answer closes the wait as well, and the replay gets the answer")
  func reloading() throws {
    var driver = try driver(.reloading)
    _ = try driver.first(by: .step)
    try driver.answer(try #require(driver.machine.position.questions.first))
    #expect(driver.lines.suffix(2) == ["answered", "stoppedWaiting a s"])
    driver.comeBack()
    guard case .reload = driver.turn() else { throw Failure("no reload") }
    driver.give { _ = $0.reloaded(nil) }
    #expect(try driver.first(by: .step) == "answered !")
    #expect(driver.machine.position.waits.isEmpty)
  }

  /// - Parameter knowsPair: Whether the snapshot says that the question and the wait belong together.
  private func restored(_ machine: FlowMachine, knowsPair: Bool = true) throws -> FlowMachine {
    let names = GraphNames(machine.graph)
    var snapshot = try machine.snapshot(names, with: JSONCodec())
    if !knowsPair { for index in snapshot.main.waits.indices { snapshot.main.waits[index].pairedQuestion = nil } }
    return try FlowMachine(snapshot, of: "machine", names: names, codec: JSONCodec(), at: .zero)
  }
}

extension MachineDriver {
  private func persisted(_ prompt: Form) throws -> FlowMachine.PersistedPrompt {
    let token = machine.journal == .persisting ? RandomBits(high: 1, low: 2) : nil
    return FlowMachine.PersistedPrompt(
      prompt: PackedPrompt(try PackedValue(prompt, with: JSONCodec())), token: token)
  }

  /// The step in focus asks, and waits for a number.
  fileprivate mutating func first(
    only number: Int? = nil, within limit: Duration? = nil, by caller: CallingTask = .unknown, at now: Duration = .zero
  ) throws -> String {
    let (stay, prompt) = (Stay(visit), Form(text: "?"))
    let persisted = try persisted(prompt)
    let condition = number.map { number in SignalCondition { (value: Int) in value == number } }
    let paired = try give {
      try $0.first(
        of: prompt, key: nil, or: "s", as: Int.self, at: stay, matching: condition, within: limit,
        persisted: persisted, by: caller, at: now)
    }
    switch paired {
    case .answered(let replied): return "answered \(try StepBody.cast(replied.answer, to: String.self))"
    case .received(let value): return "received \(try StepBody.cast(value, to: Int.self))"
    case .overdue: return "overdue"
    case .withdrawn: return "withdrawn"
    case .opened(let question, let wait): return "opened \(question.id.number) \(wait)"
    }
  }

  fileprivate mutating func ask(key: String?, by caller: CallingTask = .step) throws -> FlowMachine.Asked {
    let (visit, prompt) = (visit, Form(text: "?"))
    let persisted = try persisted(prompt)
    return try give { try $0.ask(prompt, key: key, visit: visit, persisted: persisted, by: caller) }
  }
}

extension FlowMachine.Asked {
  fileprivate var text: String {
    if case .opened(let question) = self { "opened \(question.id.number)" } else { "replayed" }
  }
}

extension Reaction {
  /// The outcomes that the calling task waits for.
  fileprivate var waits: [String] {
    actions.compactMap { action in
      switch action {
      case .awaitAnswer: "answer"
      case .awaitSignal(let number): "signal \(number)"
      default: nil
      }
    }
  }

  /// The outcomes with which tasks are resumed, in order.
  fileprivate var resumed: [String] {
    actions.compactMap { action in
      switch action {
      case .resumeAsker(_, let outcome): "answer: \(outcome.text)"
      case .resumeWait(let number, let outcome): "signal \(number): \(outcome.text)"
      default: nil
      }
    }
  }
}

extension OneShot.Outcome {
  fileprivate var text: String {
    switch self {
    case .success(let replied as Replied): "\(replied.answer)"
    case .success(is TimeIsUp): "time"
    case .success(let value): "\(value)"
    case .failure(let error): "\(error)"
    case .cancelled: "cancelled"
    }
  }
}
