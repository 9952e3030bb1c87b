import Testing

@testable import ActorFlow

@Suite("A refused answer names what is open now") struct OpenQuestionsTests: AskingFlows {
  private func refusal(_ body: () throws -> Void) throws -> FlowError {
    try #require(#expect(throws: FlowError.self) { try body() })
  }

  private struct Review: Prompt { typealias Answer = Bool }

  /// The open questions of an error: each step's name and its question's number and revision.
  private func open(_ error: FlowError) -> [String] {
    error.openQuestions.map { "\($0.step.name) \($0.id.number) \($0.revision)" }
  }

  @Test("an answered question is closed, and the one that followed is named; an invented one as well")
  func closed() throws {
    var driver = try TrackDriver(Flow { two("a", "b") })
    let first = try driver.ask("a")
    try driver.answer(first)
    #expect(open(try refusal { try driver.answer(first) }).isEmpty, "the step works, so nothing is open")
    try driver.make(at: "a")
    let second = try driver.ask("b")
    let closed = try refusal { try driver.answer(first) }
    #expect(closed.code == .questionClosed && open(closed) == ["b 2 1"])
    #expect(closed.openQuestions.first?.id == second)
    let invented = Question.ID(flow: "machine", run: 1, number: 99)
    let unknown = try refusal { try driver.answer(invented) }
    #expect(unknown.code == .noSuchQuestion && open(unknown) == ["b 2 1"])
    let ofType = try refusal { _ = try driver.machine.openQuestion(of: Review.self) }
    #expect(ofType.code == .noSuchQuestion && open(ofType) == ["b 2 1"])
    try driver.answer(second)
    try driver.make(at: "b")
    let ended = try refusal { try driver.answer(second) }
    #expect(ended.code == .flowEnded && ended.openQuestions.isEmpty)
  }

  @Test("a stale revision names the question with its new one; a question closed meanwhile is refused as closed")
  func stale() throws {
    var driver = try TrackDriver(Flow { two("a", "b") })
    let question = try driver.ask("a")
    let visit = try #require(driver.position.stack.top?.id)
    try driver.give { _ = try $0.update(Form(text: "new"), visit: visit) }
    let stale = try driver.machine.staleness(of: 1, for: question)
    #expect(stale.code == .staleRevision && open(stale) == ["a 1 2"] && stale.step == "a")
    try driver.answer(question)
    try driver.make(at: "a")
    try driver.ask("b")
    let closed = try refusal { _ = try driver.machine.staleness(of: 1, for: question) }
    #expect(closed.code == .questionClosed && open(closed) == ["b 2 1"])
  }

  @Test("several branches: each open question is named, in the order of the branches")
  func branches() throws {
    var driver = try forked(past: "a")
    let old = Question.ID(flow: "machine", run: 1, number: 1)
    try driver.ask("y1")
    try driver.ask("x1")
    #expect(open(try refusal { try driver.answer(old) }) == ["x1 3 1", "y1 2 1"])
  }

  @Test("a question whose time is over is not named, whether or not its timer has fired")
  func late() throws {
    var driver = try TrackDriver(Flow { both(step("a"), step("b")) })
    let first = try driver.ask("a", within: AskDeadline(due: .seconds(10), reminder: nil))
    let second = try driver.ask("b")
    driver.now = .seconds(10)
    let late = try refusal { try driver.answer(first) }
    #expect(late.code == .questionClosed && open(late) == ["b 2 1"])
    try driver.answer(second)
    #expect(open(try refusal { try driver.answer(second) }).isEmpty)
    driver.now = .seconds(9)
    #expect(open(try refusal { try driver.answer(second) }) == ["a 1 1"])
  }

  @Test("while the flow is being left, nothing is open")
  func leaving() throws {
    var driver = try TrackDriver(Flow { two("a", "b") })
    try driver.pass("a")
    let question = try driver.ask("b")
    try driver.backUp()
    let error = try refusal { try driver.answer(question) }
    #expect(error.code == .questionClosed && error.openQuestions.isEmpty)
  }

  @Test("a step that was left out of the refusal of a question keeps its own: the asker gave up, its sibling did not")
  func besides() throws {
    var driver = try TrackDriver(Flow { both(step("a"), step("b")) })
    let first = try driver.ask("a")
    try driver.ask("b")
    #expect(driver.machine.questionsToAnswer(at: .zero, besides: first).map(\.step.name) == ["b"])
  }

  @Test("an error keeps its open questions when its place is added, and the ids have no secret digits")
  func kept() throws {
    let token = try #require(RandomBits(String(repeating: "a", count: 32)))
    let id = Question.ID(flow: "f", run: 1, number: 2, token: token)
    let open = OpenQuestion(step: "s", id: id, revision: 3)
    #expect(open.id == Question.ID(flow: "f", run: 1, number: 2))
    let error = FlowError(.questionClosed, "closed").listing([open]).located(in: "f", at: "s")
    #expect(error.openQuestions == [open] && error.flow == "f")
    #expect(!"\(error) \(error.openQuestions)".contains("aaaa"))
    #expect(FlowError(.questionClosed, "closed").openQuestions.isEmpty)
  }
}
