import ActorFlow
import Testing

/// Questions and waits that a step gave up, as seen by the attempts that replay its visit.
@Suite("Given-up questions and waits on the machine") struct GivenUpMachineTests {
  private var machine = FlowMachine(flow: "f", journal: .reloading)
  private let stay = Stay(VisitID(1))

  init() throws {
    let graph = Flow<String, String> { Step("a") { Asker() } }.graph
    try machine.launch(graph, with: "-")
    let node = try #require(graph.nodes.first)
    #expect(machine.enter(node, instance: nil, payload: Payload("-"))?.visit.id == stay.visit)
  }

  private mutating func wait(byChild: Bool, until due: Duration? = nil) throws -> FlowMachine.Waited {
    try machine.wait(for: "s", as: Int.self, at: stay, until: due, by: byChild ? .child : .step)
  }

  private mutating func number(byChild: Bool, until due: Duration? = nil) throws -> Int {
    guard case .waiting(let number) = try wait(byChild: byChild, until: due) else {
      throw Failure("it does not wait")
    }
    return number
  }

  private mutating func ask(byChild: Bool) throws -> Question? {
    guard
      case .opened(let question) = try machine.ask(
        Form(text: ""), key: nil, visit: stay.visit, by: byChild ? .child : .step)
    else { return nil }
    return question
  }

  /// Answers, and begins the visit's next attempt.
  private mutating func answer(_ question: Question?) throws {
    try machine.answer(try #require(question).id, with: "!", by: nil)
    for wait in machine.openWaits(on: .main) { machine.stopWaiting(wait, isGivenUp: true) }
    _ = machine.returned()
    guard case .reload = machine.turn() else { throw Failure("no reload") }
    _ = machine.reloaded(nil)
  }

  @Test("a wait that lost against an answer is given up in every replay, with a limit or without", arguments: [nil, 9])
  mutating func lost(_ limit: Int?) throws {
    let due = limit.map { Duration.seconds($0) }
    _ = try number(byChild: true, until: due)
    try answer(ask(byChild: true))
    #expect(try ask(byChild: true) == nil)
    machine.stopWaiting(try number(byChild: true, until: due), isGivenUp: true)
    try answer(ask(byChild: false))
    guard case .withdrawn = try wait(byChild: true, until: due) else { throw Failure("it has another outcome") }
    #expect(machine.position.waits.isEmpty)
    guard case .buffered = try machine.send(1, to: "s", key: nil) else { throw Failure("it takes a signal") }
    #expect(try ask(byChild: true) == nil)
    guard case .received(let value) = try wait(byChild: false) else { throw Failure("the next one takes none") }
    #expect(value as? Int == 1)
  }

  @Test("the step's own task skips what a child gave up, whether or not the child arrives again")
  mutating func own() throws {
    try answer(ask(byChild: true))
    #expect(try ask(byChild: true) == nil)
    machine.stopWaiting(try number(byChild: true), isGivenUp: true)
    guard case .buffered = try machine.send(7, to: "s", key: nil), case .received = try wait(byChild: false) else {
      throw Failure("the own wait gets nothing")
    }
    try answer(ask(byChild: false))
    guard case .received(let value) = try wait(byChild: false) else {
      throw Failure("it is not the step's own wait")
    }
    #expect(value as? Int == 7)
  }

  /// Lets a child receive a signal, wait again and lose against an answer, in the first part of a step.
  private mutating func playFirstPart() throws {
    let question = try ask(byChild: true)
    _ = try number(byChild: true)
    _ = try machine.send(1, to: "s", key: nil)
    try answer(question)
    #expect(try ask(byChild: true) == nil)
    guard case .received = try wait(byChild: true) else { throw Failure("the signal is another one's") }
    machine.stopWaiting(try number(byChild: true), isGivenUp: true)
  }

  @Test("a child of a later part passes over what a child of an earlier part gave up and does not come back to")
  mutating func laterPart() throws {
    try playFirstPart()
    try answer(ask(byChild: false))
    #expect(try ask(byChild: true) == nil)
    #expect(try ask(byChild: false) == nil)
    guard case .received = try wait(byChild: true) else { throw Failure("the first signal is another one's") }
    _ = try number(byChild: true)
    guard case .received = try machine.send(2, to: "s", key: nil) else { throw Failure("it does not wait") }
  }

  @Test("an effect of the step's own task ends a part as well")
  mutating func laterPartAfterEffect() throws {
    try playFirstPart()
    try pay()
    try answer(ask(byChild: true))
    #expect(try ask(byChild: true) == nil)
    guard case .received = try wait(byChild: true) else { throw Failure("the first signal is another one's") }
    guard case .withdrawn = try wait(byChild: true) else { throw Failure("the effect has not come yet") }
    try pay()
    #expect(try ask(byChild: true) == nil)
    try answer(ask(byChild: false))
    #expect(try ask(byChild: true) == nil)
    guard case .received = try wait(byChild: true) else { throw Failure("the first signal is another one's") }
    try pay()
    _ = try number(byChild: true)
  }

  private mutating func pay() throws {
    let scope = RecordScope(stay, isRollback: false)
    let begun = try machine.beginOnce("pay", scope: scope, type: Int.self, by: .step) { KeyBits(high: 1, low: 2) }
    if case .run = begun { machine.endOnce("pay", scope: scope, value: 1, by: .step) }
  }

  @Test("while a child has something open, nothing that was given up is settled")
  mutating func notSettled() throws {
    try playFirstPart()
    _ = try machine.wait(for: "other", as: Int.self, at: stay, until: nil, by: .child)
    try answer(ask(byChild: false))
    #expect(try ask(byChild: true) == nil)
    #expect(try ask(byChild: false) == nil)
    guard case .received = try wait(byChild: true) else { throw Failure("the first signal is another one's") }
    guard case .withdrawn = try wait(byChild: true) else { throw Failure("it is another one's wait") }
  }

  @Test("a task that is cancelled before it begins uses up its key, and leaves nothing open")
  mutating func cancelledBefore() throws {
    try answer(ask(byChild: true))
    #expect(try ask(byChild: true) == nil)
    guard case .givenUp = try machine.passOver(waitFor: "s", at: stay, hasLimit: false, by: .child),
      case .givenUp = try machine.passOver(Form(text: ""), key: nil, visit: stay.visit, by: .child)
    else { throw Failure("something was open") }
    #expect(machine.position.waits.isEmpty && machine.position.questions.isEmpty)
    try answer(ask(byChild: false))
    // Now both arrive before they are cancelled.
    #expect(try ask(byChild: true) == nil)
    guard case .withdrawn = try wait(byChild: true) else { throw Failure("the wait came back") }
    guard case .withdrawn = try machine.ask(Form(text: ""), key: nil, visit: stay.visit, by: .child) else {
      throw Failure("it got the answer to another question")
    }
    #expect(try ask(byChild: false) == nil)
  }

  @Test("a cancelled task gets the known outcome")
  mutating func known() throws {
    try answer(ask(byChild: true))
    guard case .known = try machine.passOver(Form(text: ""), key: nil, visit: stay.visit, by: .child) else {
      throw Failure("it is given up")
    }
    #expect(try ask(byChild: true) == nil)
  }

  @Test("a task that repeats a given-up question or wait is held until its step is over, and released once")
  mutating func held() throws {
    try answer(ask(byChild: true))
    #expect(try ask(byChild: true) == nil)
    _ = try machine.passOver(waitFor: "s", at: stay, hasLimit: false, by: .child)
    _ = try machine.passOver(Form(text: ""), key: nil, visit: stay.visit, by: .child)
    try answer(ask(byChild: false))
    #expect(try ask(byChild: true) == nil)
    _ = machine.react { _ in }
    let stay = stay
    let (waited, holding) = try machine.react {
      try $0.wait(for: "s", as: Int.self, at: stay, until: nil, by: .child)
    }
    guard case .withdrawn = waited, case .hold(.main)? = holding.actions.first else { throw Failure("it is not held") }
    let released = machine.react { $0.returned() }.1.actions
    guard released.count == 1, case .releaseHeld(.main) = released[0] else { throw Failure("it is not released") }
    #expect(machine.react { $0.returned() }.1.actions.isEmpty)
  }
}
