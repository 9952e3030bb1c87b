import ActorFlow
import Testing

/// Two prompts whose types have the same short name, and one whose type was renamed.
enum Billing {
  struct AddressForm: Prompt, Codable {
    typealias Answer = String
  }
  struct PostalForm: Prompt, Codable {
    typealias Answer = String
    static let promptName = "ActorFlowTests.Billing.AddressForm"
  }
}
enum Shipping {
  struct AddressForm: Prompt, Codable {
    typealias Answer = String
  }
}

@Suite("Names of prompts in the journal, on the machine") struct PromptNameTests {
  private struct PrivateForm: Prompt, Codable {
    typealias Answer = String
  }
  private struct NamedForm: Prompt, Codable {
    typealias Answer = String
    static let promptName = "named"
  }

  private let graph = Flow<String, String> { Step("a") { Asker() } }.graph
  private let visit = VisitID(1)

  /// - Parameter isQualified: Whether the flow is stored in a format with qualified names.
  private func machine(isQualified: Bool = true) throws -> FlowMachine {
    var machine = FlowMachine(flow: "f", journal: .persisting)
    machine.qualifiesKeys = isQualified
    try machine.launch(graph, with: "-")
    let node = try #require(graph.nodes.first)
    _ = machine.enter(node, instance: nil, payload: Payload("-"))
    return machine
  }

  /// Returns the machine as another process reads it back, in a format with qualified names.
  private func restored(_ machine: FlowMachine) throws -> FlowMachine {
    let names = GraphNames(graph)
    return try FlowMachine(
      try machine.snapshot(names, with: JSONCodec()), of: "f", names: names, codec: JSONCodec(), at: .zero)
  }

  /// Asks as the step's own task. Returns the answer if the journal has it.
  private func ask<P: Prompt & Codable>(
    _ prompt: P, key: String? = nil, on machine: inout FlowMachine
  ) throws -> (answer: String?, question: Question?) {
    let persisted = FlowMachine.PersistedPrompt(
      prompt: PackedPrompt(try PackedValue(prompt, with: JSONCodec())), token: RandomBits(high: 1, low: 2))
    switch try machine.ask(prompt, key: key, visit: visit, persisted: persisted, by: .step) {
    case .answered(let answer): return (try StepBody.cast(answer, to: String.self), nil)
    case .opened(let question): return (nil, question)
    default: throw Failure("the question has another outcome")
    }
  }

  private func answer<P: Prompt & Codable>(_ prompt: P, _ answer: String, on machine: inout FlowMachine) throws {
    let question = try #require(try ask(prompt, on: &machine).question)
    try machine.answer(question.id, with: answer, by: nil)
  }

  private func keys(of machine: FlowMachine) throws -> [String] {
    let focus = try machine.snapshot(GraphNames(graph), with: JSONCodec()).main.focus
    return focus.answers.map { "\($0.key.name.text)#\($0.key.number)" }
  }

  @Test("two types with the same short name are two prompts")
  func qualified() throws {
    var first = try machine()
    try answer(Billing.AddressForm(), "b", on: &first)
    try answer(Shipping.AddressForm(), "d", on: &first)
    #expect(
      try keys(of: first) == ["ActorFlowTests.Billing.AddressForm#1", "ActorFlowTests.Shipping.AddressForm#1"])
    var second = try restored(first)
    #expect(try ask(Shipping.AddressForm(), on: &second).answer == "d", "in any order")
    #expect(try ask(Billing.AddressForm(), on: &second).answer == "b")
  }

  @Test("the answer to a prompt whose type was renamed is found under its `promptName`")
  func renamed() throws {
    var first = try machine()
    try answer(Billing.AddressForm(), "b", on: &first)
    var second = try restored(first)
    #expect(try ask(Billing.PostalForm(), on: &second).answer == "b")
    #expect(try keys(of: second) == ["ActorFlowTests.Billing.AddressForm#1"])
  }

  @Test("answers that an earlier format journaled under short names are found in their order, and get their names")
  func earlier() throws {
    var first = try machine(isQualified: false)
    try answer(Billing.AddressForm(), "b", on: &first)
    try answer(Shipping.AddressForm(), "d", on: &first)
    try answer(Billing.AddressForm(), "b2", on: &first)
    #expect(try keys(of: first) == ["AddressForm#1", "AddressForm#2", "AddressForm#3"])
    var second = try restored(first)
    for _ in 1...2 {
      #expect(try ask(Billing.AddressForm(), on: &second).answer == "b")
      #expect(try ask(Shipping.AddressForm(), on: &second).answer == "d")
      #expect(try ask(Billing.AddressForm(), on: &second).answer == "b2")
      #expect(
        try keys(of: second) == [
          "ActorFlowTests.Billing.AddressForm#1", "ActorFlowTests.Billing.AddressForm#2",
          "ActorFlowTests.Shipping.AddressForm#1",
        ])
      second = try restored(second)
    }
  }

  @Test("a question that was open under its short name is the same question under its qualified one")
  func reopened() throws {
    var first = try machine(isQualified: false)
    try answer(Billing.AddressForm(), "b", on: &first)
    let open = try #require(try ask(Shipping.AddressForm(), on: &first).question)
    var second = try restored(first)
    #expect(try ask(Billing.AddressForm(), on: &second).answer == "b")
    #expect(try ask(Shipping.AddressForm(), on: &second).question?.id == open.id)
    try second.answer(open.id, with: "d", by: nil)
    var third = try restored(second)
    #expect(try ask(Billing.AddressForm(), on: &third).answer == "b")
    #expect(try ask(Shipping.AddressForm(), on: &third).answer == "d")
    #expect(try ask(Shipping.AddressForm(), on: &third).question?.id != open.id)
  }

  @Test("a flow of an earlier format goes on under short names, which hosts of an earlier version find")
  func unqualified() throws {
    var first = try machine(isQualified: false)
    try answer(NamedForm(), "n", on: &first)
    try answer(PrivateForm(), "p", on: &first)
    #expect(try keys(of: first) == ["NamedForm#1", "PrivateForm#1"])
    // A host that was raised and lowered again still finds what it has written.
    var raised = try restored(first)
    #expect(try ask(NamedForm(), on: &raised).answer == "n")
    #expect(try keys(of: raised) == ["PrivateForm#1", "named#1"])
    var lowered = try restored(raised)
    lowered.qualifiesKeys = false
    #expect(try ask(NamedForm(), on: &lowered).answer == "n")
    #expect(try ask(PrivateForm(), on: &lowered).answer == "p")
  }

  @Test("an answer under two names is not guessed at: the flow stands still until somebody decides")
  func twice() throws {
    var first = try machine(isQualified: false)
    try answer(Billing.AddressForm(), "short", on: &first)
    first.qualifiesKeys = true
    var other = try machine()
    try answer(Billing.AddressForm(), "qualified", on: &other)
    let names = GraphNames(graph)
    var snapshot = try first.snapshot(names, with: JSONCodec())
    snapshot.main.focus.answers += try other.snapshot(names, with: JSONCodec()).main.focus.answers
    var both = try FlowMachine(snapshot, of: "f", names: names, codec: JSONCodec(), at: .zero)
    let unfit = #expect(throws: UnfitJournal.self) { try ask(Billing.AddressForm(), on: &both) }
    #expect(unfit?.error.code == .unmigrated)
    #expect(unfit?.error.message.contains("\"AddressForm\", \"ActorFlowTests.Billing.AddressForm\"") == true)
  }

  @Test("a private type, whose name another process would not know, needs a name or a key, and nothing was asked")
  func unstable() throws {
    struct LocalForm: Prompt, Codable { typealias Answer = String }
    var machine = try machine()
    let sequence = machine.sequence
    for prompt in [PrivateForm(), LocalForm()] as [any Prompt & Codable] {
      let error = #expect(throws: FlowError.self) { try ask(prompt, on: &machine) }
      #expect(error?.code == .notStorable && error?.message.contains("promptName") == true)
    }
    #expect(machine.sequence == sequence)
    try answer(NamedForm(), "n", on: &machine)
    #expect(try ask(PrivateForm(), key: "private", on: &machine).question != nil)
  }

  @Test("in a flow that is not persisted every type will do")
  func inMemory() throws {
    var machine = FlowMachine(flow: "f")
    try machine.launch(graph, with: "-")
    _ = machine.enter(try #require(graph.nodes.first), instance: nil, payload: Payload("-"))
    #expect(try ask(PrivateForm(), on: &machine).question != nil)
  }
}
