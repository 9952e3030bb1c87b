@testable import ActorFlow
import Testing

/// Questions that take many answers, on the machine alone.
@Suite struct RenderingMachineTests {
  private final class UnusedReceiver: ActionReceiver {
    func receive(_ action: any Sendable, to question: Question, attempt: ActionAttempt, cause: (any CommitCause)?) async
      -> ActionOutcome
    {
      .closed
    }
    func giveUp(_ attempt: ActionAttempt) async {}
  }

  /// A machine whose first step has shown a rendering.
  private func showing(_ policies: BackUpPolicy...) throws -> (MachineDriver, Question) {
    var driver = try MachineDriver(policies)
    driver.enter(0)
    let visit = driver.visit
    let question = try driver.give { try $0.show(Form(text: "1"), to: UnusedReceiver(), visit: visit) }
    return (driver, question)
  }

  @Test("a rendering is a question: it is asked, updated, and closed by hiding it")
  func shown() throws {
    var (driver, question) = try showing(.automatic)
    let visit = driver.visit
    #expect(try driver.machine.openQuestion(takingActions: question.id).receiver != nil)
    try driver.give { try $0.acknowledge(visit: visit) }
    try driver.give { try $0.rerender(Form(text: "2"), visit: visit) }
    #expect(driver.machine.position.questions.map(\.revision) == [2])
    driver.give { $0.hide(visit: visit) }
    driver.give { $0.hide(visit: visit) }
    #expect(driver.latest.event == nil && driver.latest.actions.isEmpty)
    #expect(driver.lines == ["launched", "moved -→a", "asked a", "updated a 2", "withdrawn"])
    #expect(throws: FlowError.self) { try driver.machine.openQuestion(takingActions: question.id) }
  }

  @Test("a step that has made its output is executing, although its question is still shown")
  func output() throws {
    for isUpdated in [false, true] {
      var (driver, _) = try showing(.automatic)
      let visit = driver.visit
      try driver.give { try $0.acknowledge(visit: visit, tree: RenderPersistence(tree: PackedTree())) }
      #expect(driver.machine.canPassivate)
      let made = RenderPersistence(tree: PackedTree(), output: "made")
      if isUpdated {
        try driver.give { try $0.rerender(Form(text: "2"), visit: visit, tree: made) }
      } else {
        try driver.give { try $0.acknowledge(visit: visit, tree: made) }
      }
      #expect(!driver.machine.isSettled && !driver.machine.canPassivate)
      #expect(driver.machine.position.questions.count == 1)
    }
  }

  @Test("an ordinary question takes no actions")
  func ordinary() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let question = try driver.ask()
    #expect(try driver.machine.openQuestion(takingActions: question.id).receiver == nil)
  }

  @Test("a visit with a rendering has asked: a back leads to it")
  func hasAsked() throws {
    var (driver, _) = try showing(.automatic, .automatic)
    let visit = driver.visit
    driver.give { $0.hide(visit: visit) }
    driver.enter(1)
    #expect(driver.machine.position.canBackUp)
  }

  @Test("a visit has one open question, a rendering or an ordinary one")
  func oneQuestion() throws {
    var (driver, _) = try showing(.automatic)
    let visit = driver.visit
    let second = #expect(throws: FlowError.self) { try driver.ask() }
    #expect(second?.code == .alreadyAsking)
    let third = #expect(throws: FlowError.self) {
      try driver.give { try $0.show(Form(text: ""), to: UnusedReceiver(), visit: visit) }
    }
    #expect(third?.code == .alreadyAsking)
  }

  @Test("while the visit is being left no action is accepted, and its question is closed")
  func leaving() throws {
    var (driver, question) = try showing(.automatic)
    let visit = driver.visit
    try driver.abandon()
    let error = #expect(throws: FlowError.self) { try driver.machine.openQuestion(takingActions: question.id) }
    #expect(error?.code == .questionClosed)
    #expect(throws: CancellationError.self) { try driver.give { try $0.acknowledge(visit: visit) } }
    #expect(throws: CancellationError.self) { try driver.give { try $0.rerender(Form(text: "2"), visit: visit) } }
    driver.give { $0.hide(visit: visit) }
    #expect(driver.latest.event == nil)
  }

  @Test("the receiver of the answers is handed out to be released with the question")
  func released() throws {
    var (driver, _) = try showing(.automatic)
    let visit = driver.visit
    driver.give { $0.hide(visit: visit) }
    #expect(driver.latest.discarded.contains { ($0 as? Asking)?.receiver is UnusedReceiver })
  }

  @Test("an answer to a rendering restarts an idle time")
  func expiry() throws {
    var machine = FlowMachine(flow: "idle")
    let flow = Flow<String, String> { Step("a") { Asker() } }.expires(afterIdle: .seconds(10))
    try machine.launch(flow.graph, with: "")
    var payload = Payload("")
    guard case .step(let node) = try flow.graph.advance(from: 0, &payload) else { throw Failure("no step") }
    machine.watch(payload.scopes, on: .main, at: .zero)
    _ = machine.enter(node, instance: nil, payload: payload)
    let visit = try #require(machine.position.stack.top?.id)
    _ = try machine.show(Form(text: ""), to: UnusedReceiver(), visit: visit, at: .seconds(1))
    #expect(machine.nextTimer == .seconds(11))
    try machine.acknowledge(visit: visit, at: .seconds(5))
    #expect(machine.nextTimer == .seconds(15))
    try machine.rerender(Form(text: "3"), visit: visit, at: .seconds(7))
    #expect(machine.nextTimer == .seconds(15))
    try machine.rerender(Form(text: "4"), visit: visit, origin: .answer(by: nil), at: .seconds(7))
    #expect(machine.nextTimer == .seconds(17))
  }

  @Test("the principal of an action counts as the latest answerer; an effect changes nothing")
  func answerers() throws {
    var machine = FlowMachine(flow: "machine")
    let flow = Flow<String, String> { Step("a") { Asker() } }
    try machine.launch(flow.graph, with: "", by: Principal(id: "ann"))
    var payload = Payload("")
    guard case .step(let node) = try flow.graph.advance(from: 0, &payload) else { throw Failure("no step") }
    _ = machine.enter(node, instance: nil, payload: payload)
    let visit = try #require(machine.position.stack.top?.id)
    _ = try machine.show(Form(text: ""), to: UnusedReceiver(), visit: visit)
    try machine.rerender(Form(text: "1"), visit: visit, origin: .answer(by: Answerer(Principal(id: "bob"))))
    try machine.rerender(Form(text: "2"), visit: visit)
    #expect(machine.participants?.startedBy?.id == "ann" && machine.participants?.answeredBy?.id == "bob")
    try machine.acknowledge(visit: visit, origin: .answer(by: nil))
    #expect(machine.participants?.answeredBy == nil)
  }
}
