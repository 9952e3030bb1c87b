import ActorFlow
import Testing

/// The machine's side of passivation: one reload, input by input.
@Suite final class ReloadingMachineTests {
  private let visit = VisitID(1)
  private var machine = FlowMachine(flow: "f", journal: .reloading)

  init() throws {
    let graph = Flow { Step("shipping", ShippingStep.init) }.graph
    try machine.launch(graph, with: "cart")
    let node = try #require(graph.nodes.first)
    let entered = machine.enter(node, instance: nil, payload: Payload("cart"))
    #expect(entered?.visit.id == visit)
  }

  /// Asks, answers, and ends the walk: a new instance is due.
  private func answerFirst(key: String? = nil) throws {
    let question = try #require(try open(AddressForm(), key: key))
    let (_, reaction) = try machine.react { try $0.answer(question.id, with: "a", by: nil) }
    let goesOn = machine.returned()
    #expect(reaction.cancelsWalk && !goesOn)
    guard case .reload = machine.turn() else {
      Issue.record("no reload")
      return
    }
  }

  /// Gives the machine the new instance; returns whether the visit continues.
  private func reloaded() -> Bool { machine.reloaded(nil) != nil }

  /// The question that was opened; nil if it was answered from the journal.
  private func open(_ prompt: any Prompt, key: String? = nil) throws -> Question? {
    switch try machine.ask(prompt, key: key, visit: visit) {
    case .opened(let question): return question
    case .answered(let answer):
      #expect(answer as? String == "a")
      return nil
    case .withdrawn, .overdue:
      Issue.record("given up")
      return nil
    }
  }

  @Test("a replayed question is answered from the journal, the next one is opened", arguments: [nil, "key"])
  func replay(_ key: String?) throws {
    try answerFirst(key: key)
    #expect(reloaded())
    #expect(try open(AddressForm(), key: key) == nil)
    #expect(try open(CardForm()) != nil)
  }

  @Test("each prompt type is counted separately, and names never match types")
  func keys() throws {
    try answerFirst()
    #expect(reloaded())
    #expect(try open(CardForm(), key: "AddressForm") != nil)
  }

  @Test("a name answered in this attempt is refused, its first use in a replay is not")
  func duplicate() throws {
    try answerFirst(key: "key")
    #expect(reloaded())
    #expect(try open(AddressForm(), key: "key") == nil)
    let error = #expect(throws: FlowError.self) { try self.open(AddressForm(), key: "key") }
    #expect(error?.code == .duplicateKey)
  }

  @Test("a question that was given up is given up in a replay, and its name may be used again")
  func withdrawn() throws {
    let first = try #require(try open(AddressForm(), key: "key"))
    machine.withdraw(first.id.number)
    try answerFirst(key: "key")
    #expect(reloaded())
    guard case .withdrawn = try machine.ask(AddressForm(), key: "key", visit: visit) else {
      Issue.record("the question came back")
      return
    }
    #expect(try open(AddressForm(), key: "key") == nil)
  }

  @Test("while a reload is under way the flow runs, asks nothing, and can be backed up or abandoned")
  func position() throws {
    let question = try #require(try open(AddressForm()))
    let (_, answering) = try machine.react { try $0.answer(question.id, with: "a", by: nil) }
    #expect(answering.event != nil && machine.position.status == .running)
    #expect(machine.position.questions.isEmpty)
    #expect(!machine.isSettled)
    let (_, leaving) = try machine.react { try $0.abandon(reason: "", rollBack: true, since: .zero) }
    #expect(!leaving.cancelsWalk, "the reload has cancelled the walk")
    #expect(leaving.event != nil)
  }

  @Test("effects of an earlier attempt are compensated, also when a leave comes before the replay begins")
  func leaveBeforeReplay() throws {
    try answerFirst()
    #expect(reloaded())
    let (_, leaving) = try machine.react { try $0.abandon(reason: "", rollBack: true, since: .zero) }
    let isNotBegun = machine.notBegun(visit)
    #expect(leaving.cancelsWalk && isNotBegun)
    guard case .again = machine.turn() else {
      Issue.record("the ending was not announced")
      return
    }
    guard case .compensate = machine.turn() else {
      Issue.record("the place was dropped without its `backUp`")
      return
    }
  }

  @Test("a leave during the creation of the new instance keeps the old one for `backUp`")
  func leaveWhileMaking() throws {
    try answerFirst()
    machine.cancel(since: .zero)
    #expect(!reloaded())
    guard case .again = machine.turn(), case .compensate(_, .cancelled) = machine.turn() else {
      Issue.record("the place was not compensated")
      return
    }
  }
}

extension Reaction {
  fileprivate var cancelsWalk: Bool { actions.contains { if case .cancelWalk = $0 { true } else { false } } }
}
