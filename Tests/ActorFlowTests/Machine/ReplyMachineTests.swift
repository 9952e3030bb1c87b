import Testing

@testable import ActorFlow

@Suite("Replies on the machine") struct ReplyMachineTests {
  private let ann = Principal(id: "ann", roles: ["manager"])

  private func machine(_ journal: FlowMachine.Journal) throws -> MachineDriver {
    var driver = try MachineDriver(Flow { Step("a") { Asker() } }, journal: journal)
    driver.enter(0)
    return driver
  }

  private func ask(_ driver: inout MachineDriver, reply: Bool = true) throws -> FlowMachine.Asked {
    let visit = driver.visit
    return try driver.give { try $0.ask(Form(text: "?"), key: nil, visit: visit, wantsReply: reply, at: .seconds(2)) }
  }

  private func question(_ driver: inout MachineDriver, reply: Bool = true) throws -> Question {
    guard case .opened(let question) = try ask(&driver, reply: reply) else { throw Failure("replayed") }
    return question
  }

  /// The value that the asker was resumed with.
  private func outcome(_ driver: MachineDriver) -> (any Sendable)? {
    driver.latest.actions.compactMap { action -> (any Sendable)? in
      if case .resumeAsker(_, .success(let value)) = action { value } else { nil }
    }.first
  }

  @Test("an asker that wants a reply gets answer, principal, time, revision and question")
  func facts() throws {
    var driver = try machine(.off)
    let question = try question(&driver)
    let visit = driver.visit
    _ = try driver.give { try $0.update(Form(text: "again"), visit: visit) }
    try driver.give { try $0.answer(question.id, with: "!", by: ann, at: .seconds(5)) }
    let replied = try #require(outcome(driver) as? Replied)
    #expect(replied.answer as? String == "!")
    #expect(replied.question == question.id)
    #expect(replied.facts == AnswerFacts(by: ann, at: .seconds(5), revision: 2, number: 1, token: nil))
  }

  @Test("an asker that wants no reply gets the answer alone")
  func answerOnly() throws {
    var driver = try machine(.off)
    let question = try question(&driver, reply: false)
    try driver.give { try $0.answer(question.id, with: "!", by: ann, at: .seconds(5)) }
    #expect(outcome(driver) as? String == "!")
  }

  @Test("a replay gets the facts of the first run, whether that asked for them or not", arguments: [false, true])
  func replayed(first: Bool) throws {
    var driver = try machine(.reloading)
    let question = try question(&driver, reply: first)
    try driver.give { try $0.answer(question.id, with: "!", by: ann, at: .seconds(5)) }
    let goesOn = driver.give { $0.returned() }
    #expect(!goesOn)
    guard case .reload = driver.give({ $0.turn() }) else { throw Failure("no reload") }
    _ = driver.give { $0.reloaded(nil) }
    guard case .answered(let value) = try ask(&driver) else { throw Failure("asked again") }
    let replied = try #require(value as? Replied)
    #expect(replied.facts == AnswerFacts(by: ann, at: .seconds(5), revision: 1, number: 1, token: nil))
    #expect(replied.question == question.id && replied.answer as? String == "!")
  }

  @Test("an answer that was stored without facts has none but the answer")
  func older() throws {
    var driver = try machine(.reloading)
    let key = JournalKey(name: .type(Form.promptName), number: 1)
    driver.give { $0.remember(.answered("!"), as: key, on: .main) }
    guard case .answered(let value) = try ask(&driver) else { throw Failure("asked again") }
    let replied = try #require(value as? Replied)
    #expect(replied.answer as? String == "!")
    #expect(replied.facts == AnswerFacts(by: nil, at: .zero, revision: 0, number: 0, token: nil))
  }
}
