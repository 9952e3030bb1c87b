import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

/// Spring Web Flow's promises for persisted executions.
@Suite("Spring Web Flow: persisted executions", .timeLimit(.minutes(15))) struct WebFlowScenarios {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private func host() -> FlowHost { FlowHost(store: store, clock: clock) }

  private var shop: Flow<String, String> {
    Flow("shop") {
      Step("name") { Asker(log) }
      Step("address") { Asker(log) }
    }
  }

  private func question(_ host: FlowHost, _ id: FlowID) async throws -> StoredQuestion {
    try #require(try await host.flow(id).settled().questions.first)
  }

  @Test("WF-02 a refresh shows the same question under the same key, and runs nothing")
  func refresh() async throws {
    let host = host()
    try await host.register(shop).start(id: "s", with: "-")
    let shown = try await question(host, "s")
    await host.isQuiet()
    let (made, revision) = (log.all, try await host.flow("s").view().revision)
    for _ in 1...3 {
      let again = try await question(host, "s")
      #expect(again.id == shown.id && again.revision == shown.revision)
      #expect(try again.prompt(as: Form.self).text == "-")
    }
    #expect(log.all == made)
    #expect(try await host.flow("s").view().revision == revision)
  }

  @Test("WF-03 a back and a new submit continue from the earlier step with its data; later steps are superseded")
  func submittedAgain() async throws {
    let host = host()
    let flows = try await host.register(shop)
    try await flows.start(id: "s", with: "-")
    let first = try await question(host, "s")
    try await host.flow("s").answer(first.id, with: "one")
    let second = try await question(host, "s")
    try await host.flow("s").backUp()
    let third = try await question(host, "s")
    #expect(try third.prompt(as: Form.self).text == "-", "with the data of the first")
    #expect(third.id != first.id)
    for old in [first.id, second.id] {
      #expect(await code { try await host.flow("s").answer(old, with: "late") } == .questionClosed)
    }
    try await host.flow("s").answer(third.id, with: "three")
    try await host.flow("s").answer(try await question(host, "s").id, with: "four")
    _ = try await host.flow("s").settled()
    #expect(try await flows.outcome(of: "s") == .finished("-threefour"))
  }

  @Test("WF-07 a failure after a final step leaves a flow that can be retried, not a locked one")
  func notLockedOut() async throws {
    let host = host()
    let isBroken = Flag(true)
    let flows = try await host.register(
      Flow<String, String>("shop") {
        Step("order") { Asker() }.onBackUp(.settling)
        Step("ship") { (input: String, _: StepContext) in
          if isBroken.value { throw Boom() }
          return input + "."
        }
      })
    try await flows.start(id: "s", with: "-")
    try await host.answerNext("s", #""a""#)
    let view = try await host.flow("s").settled()
    #expect(view.status == .suspended && view.steps == ["shop/ship"])
    isBroken.set(false)
    try await host.flow("s").retry()
    _ = try await host.flow("s").settled()
    #expect(try await flows.outcome(of: "s") == .finished("-a."))
  }

  /// Returns the error with which an answer is refused.
  private func refusal(
    of question: Question.ID, at host: FlowHost, of id: FlowID = "s", revision: Int? = nil
  ) async throws -> FlowError {
    try #require(
      await #expect(throws: FlowError.self) {
        try await host.flow(id).answer(question, with: "late", revision: revision)
      })
  }

  @Test("WF-09 a stale key is refused with the current one, without its secret digits, also by a host that has to load")
  func redirected() async throws {
    let first = host()
    try await first.register(shop).start(id: "s", with: "-")
    let old = try await question(first, "s")
    try await first.flow("s").answer(old.id, with: "one")
    let shown = try await question(first, "s")
    await first.isQuiet()
    // The first host has the flow, perhaps passivated; the second has never had it.
    let second = host()
    try await second.register(shop)
    for host in [first, second, host()] {
      if host !== first, host !== second { try await host.register(shop) }
      let error = try await refusal(of: old.id, at: host)
      #expect(error.code == .questionClosed)
      let open = try #require(error.openQuestions.first)
      #expect(error.openQuestions.count == 1 && open.step == shown.step && open.revision == shown.revision)
      #expect(open.id.number == shown.id.number && open.id != shown.id, "the digits are for those who may answer")
      #expect(error.page?.questions.map(\.id) == [shown.id], "the page can be answered")
      #expect(!"\(open.id) \(error)".contains("~"))
      #expect(try JSONDecoder().decode(OpenQuestion.self, from: JSONEncoder().encode(open)) == open)
      // The id without its digits finds the question in the view, and does not answer it.
      #expect(try await host.flow("s").view().questions.contains { $0.id.number == open.id.number })
      #expect(try await refusal(of: open.id, at: host).code == .noSuchQuestion)
      await host.isQuiet()
    }
    let json = await #expect(throws: FlowError.self) {
      try await second.flow("s").answer(old.id, json: #""late""#.utf8)
    }
    #expect(json?.openQuestions.map(\.id.number) == [shown.id.number])
    #expect(json?.page?.questions.map(\.id) == [shown.id])
    let back = await #expect(throws: FlowError.self) { try await second.flow("s").backUp(from: old.id) }
    #expect(back?.page?.questions.map(\.id) == [shown.id])
    let stale = try await refusal(of: shown.id, at: second, revision: 7)
    #expect(stale.code == .staleRevision && stale.openQuestions.map(\.revision) == [1])
    #expect(stale.page?.questions.map(\.revision) == [1])
    try await second.register(Flow("other") { Step("x") { Asker(log) } }).start(id: "t", with: "-")
    let foreign = try await refusal(of: try await question(second, "t").id, at: second)
    #expect(foreign.code == .noSuchQuestion && foreign.openQuestions.map(\.step) == [shown.step])
    #expect(foreign.page == nil, "it was never a question of this flow")
    try await second.flow("s").answer(shown.id, with: "two")
    _ = try await second.flow("s").settled()
    let ended = try await refusal(of: shown.id, at: second)
    #expect(ended.openQuestions.isEmpty && ended.page?.status == .finished)
  }

  @Test("WF-14 no key can be derived from another one")
  func keysAreNotGuessed() async throws {
    let host = host()
    try await host.register(shop).start(id: "s", with: "-")
    let key = try await question(host, "s").id
    let text = "\(key)"
    let token = try #require(text.split(separator: "~").last)
    #expect(token.count == 32)
    let guesses = [
      "s/1/1", text.replacingOccurrences(of: token, with: String(repeating: "0", count: 32)),
      String(text.dropLast()) + (text.hasSuffix("0") ? "1" : "0"),
    ]
    for guess in guesses {
      let made = try #require(Question.ID(guess))
      let refusal = await code { try await host.flow("s").answer(made, with: "x") }
      #expect(refusal == .noSuchQuestion, "\(guess)")
    }
    #expect(try await question(host, "s").id == key)
    try await host.flow("s").answer(key, with: "one")
    #expect(!"\(try await question(host, "s").id)".contains(token))
  }

  @Test("WF-24 an answer that cannot be decoded is refused with the reason, and nothing moves")
  func unreadable() async throws {
    let host = host()
    try await host.register(
      Flow<String, String>("shop") {
        Step("approve") { (input: String, context: StepContext) in
          let prompt = Approval(amount: 7, assignees: ["ann"])
          return input + "\(try await context.ask(prompt).isApproved)"
        }
      }
    ).start(id: "s", with: "-")
    let shown = try await question(host, "s")
    let ann = Principal(id: "ann")
    for json in [#"{"isApproved":"perhaps"}"#, "{}", "no JSON"] {
      let error = await #expect(throws: FlowError.self) {
        try await host.flow("s").answer(shown.id, json: json.utf8, by: ann)
      }
      #expect(error?.code == .wrongAnswerType && error?.underlyingErrors.first is DecodingError)
    }
    let again = try await question(host, "s")
    #expect(again.id == shown.id && again.revision == shown.revision && again.json == shown.json)
  }

  @Test("WF-25 fields that the answer does not have are ignored")
  func otherFields() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("shop") {
        Step("approve") { (input: String, context: StepContext) in
          let prompt = Approval(amount: 7, assignees: ["ann"])
          return input + "\(try await context.ask(prompt).isApproved)"
        }
      })
    try await flows.start(id: "s", with: "-")
    let id = try await question(host, "s").id
    try await host.flow("s").answer(
      id, json: #"{"isApproved":true,"amount":1,"assignees":["eve"]}"#.utf8, by: Principal(id: "ann"))
    _ = try await host.flow("s").settled()
    #expect(try await flows.outcome(of: "s") == .finished("-true"))
  }
}

/// A flag that a test sets.
private final class Flag: Sendable {
  private let state: Lock<Bool>
  init(_ value: Bool) { state = Lock(value) }
  var value: Bool { state.withLock { $0 } }
  func set(_ value: Bool) { state.withLock { $0 = value } }
}
