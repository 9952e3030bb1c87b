import Testing

@testable import ActorFlow

private struct Vote: ReassignablePrompt, Codable {
  typealias Answer = String
  static let promptName = "Vote"
  var text: String
  var assignees: [String]
}

/// An operator assigns a question to other people.
@Suite("Reassignment on the machine") struct ReassignmentMachineTests {
  private struct Driver {
    var driver: MachineDriver

    init() throws {
      driver = try MachineDriver(Flow { Step("a") { Asker() } }, journal: .persisting)
      driver.enter(0)
    }

    mutating func ask(_ text: String = "v") throws -> Question {
      let visit = driver.visit
      let asked = try driver.give { machine in
        let prompt = Vote(text: text, assignees: ["ann"])
        return try machine.ask(prompt, key: nil, visit: visit, persisted: try Self.persisted(prompt))
      }
      guard case .opened(let question) = asked else { throw Failure("not opened") }
      return question
    }

    mutating func update(_ text: String) throws {
      let visit = driver.visit
      _ = try driver.give { machine in
        let prompt = Vote(text: text, assignees: ["ann"])
        return try machine.update(prompt, visit: visit, persisted: try Self.persisted(prompt))
      }
    }

    mutating func reassign(_ question: Question, to people: String...) throws {
      try driver.give { try $0.reassign(question.id, to: people) }
    }

    /// The text, the people and the revision that are shown.
    var shown: String {
      let open = driver.machine.position.questions.first
      guard let open, let vote = open.prompt as? Vote else { return "-" }
      return "\(vote.text) for \(vote.assignees.joined(separator: " ")), \(open.revision)"
    }

    static func persisted(_ prompt: Vote) throws -> FlowMachine.PersistedPrompt {
      FlowMachine.PersistedPrompt(prompt: PackedPrompt(try PackedValue(prompt, with: JSONCodec())))
    }
  }

  @Test("the prompt shows the new people in its next revision, and every update keeps them")
  func updates() throws {
    var driver = try Driver()
    let question = try driver.ask()
    #expect(driver.shown == "v for ann, 1")
    try driver.reassign(question, to: "bob", "eve")
    #expect(driver.shown == "v for bob eve, 2" && driver.driver.lines.last?.hasPrefix("updated") == true)
    try driver.update("w")
    #expect(driver.shown == "w for bob eve, 3")
    try driver.reassign(question, to: "zoe")
    #expect(driver.shown == "w for zoe, 4")
  }

  @Test("an assignment that was made from an earlier revision is refused, and nothing has changed")
  func stale() throws {
    var driver = try Driver()
    let question = try driver.ask()
    try driver.driver.give { try $0.reassign(question.id, to: ["bob"], revision: 1) }
    #expect(
      code { try driver.driver.give { try $0.reassign(question.id, to: ["eve"], revision: 1) } } == .staleRevision)
    #expect(driver.shown == "v for bob, 2")
    try driver.driver.give { try $0.reassign(question.id, to: ["eve"], revision: 2) }
    #expect(driver.shown == "v for eve, 3")
  }

  @Test("a later question has the people of its own prompt")
  func later() throws {
    var driver = try Driver()
    let question = try driver.ask()
    try driver.reassign(question, to: "bob")
    try driver.driver.answer(question)
    #expect(code { try driver.reassign(question, to: "eve") } != nil)
    _ = try driver.ask("next")
    #expect(driver.shown == "next for ann, 1")
  }

  @Test("a prompt that cannot be assigned is refused, and nothing has changed")
  func refused() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let question = try driver.ask()
    driver.forget()
    #expect(code { try driver.give { try $0.reassign(question.id, to: ["bob"]) } } == .wrongPromptType)
    #expect(driver.lines.isEmpty && driver.machine.position.questions.first?.revision == 1)
  }

  @Test("a snapshot has the step's prompt and the people, and the step that asks again is shown with them")
  func stored() throws {
    var driver = try Driver()
    let question = try driver.ask()
    try driver.reassign(question, to: "bob")
    let names = GraphNames(driver.driver.graph)
    let snapshot = try driver.driver.machine.snapshot(names, with: JSONCodec())
    let packed = try #require(snapshot.main.question)
    #expect(packed.assignees == ["bob"])
    #expect(String(decoding: packed.prompt.bytes, as: UTF8.self).contains("ann"))
    for isUpdated in [false, true] {
      driver.driver.machine = try FlowMachine(snapshot, of: "machine", names: names, codec: JSONCodec(), at: .zero)
      let again = try driver.ask(isUpdated ? "changed" : "v")
      #expect(again.id.number == question.id.number)
      #expect(driver.shown == (isUpdated ? "changed for bob, 3" : "v for bob, 2"))
      #expect(try driver.driver.machine.snapshot(names, with: JSONCodec()).main.question?.assignees == ["bob"])
    }
  }
}
