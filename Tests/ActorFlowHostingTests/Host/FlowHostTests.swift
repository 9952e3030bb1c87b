import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Hosted flows") struct FlowHostTests {
  private let store = MemoryFlowStore()
  private let log = Log()

  private var flow: Flow<String, String> {
    Flow("order") {
      Step("a") { Asker(log) }
      Step("b") { Asker(log) }
    }
  }

  private func host() -> FlowHost { FlowHost(store: store) }

  @Test("a flow is started, answered and finished, and its outcome stays")
  func startToEnd() async throws {
    let host = host()
    let orders = try await host.register(flow)
    let begun = try await orders.start(id: "o1", with: "-")
    #expect(begun.definition == "order" && begun.version == 1)
    let asked = try await host.flow("o1").settled()
    #expect(asked.status == .waiting && asked.steps == ["order/a"])
    #expect(try asked.questions.first?.prompt(as: Form.self).text == "-")
    try await host.flow("o1").answer(Form.self, with: "1")
    let next = try await host.flow("o1").settled()
    #expect(next.steps == ["order/b"] && next.stack == ["order/b", "order/a"])
    #expect(try await orders.outcome(of: "o1") == .open)
    try await host.flow("o1").answer(Form.self, with: "2")
    #expect(try await host.flow("o1").settled().status == .finished)
    #expect(try await orders.outcome(of: "o1") == .finished("-12"))
    #expect(await code { try await host.flow("o1").answer(Form.self, with: "2") } == .flowEnded)
    let history = try await host.flow("o1").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    #expect(
      history.map(\.what) == ["launched", "moved", "asked", "answered", "moved", "asked", "answered", "finished"])
  }

  @Test("a second start with the same input changes nothing; with another input it is refused")
  func startedTwice() async throws {
    let host = host()
    let orders = try await host.register(flow)
    try await orders.start(id: "o1", with: "-")
    _ = try await host.flow("o1").settled()
    let again = try await orders.start(id: "o1", with: "-")
    #expect(again.status == .waiting)
    #expect(await code { try await orders.start(id: "o1", with: "+") } == .alreadyStarted)
    let others = try await host.register(Flow<String, String>("other") { Step("a") { Asker() } })
    #expect(await code { try await others.start(id: "o1", with: "-") } == .alreadyStarted)
  }

  @Test("a waiting flow has no step and no task; it is activated with the same question")
  func passivated() async throws {
    let host = host()
    let orders = try await host.register(flow)
    try await orders.start(id: "o1", with: "-")
    let first = try await host.flow("o1").settled()
    await host.isQuiet()
    #expect(log.all == ["made"])
    let view = try await host.answerNext("o1", "\"1\"")
    #expect(view.steps == ["order/b"])
    #expect(log.all == ["made", "made", "made"])
    #expect(first.questions.map(\.id) != view.questions.map(\.id))
  }

  @Test("JSON is decoded by the question's type; invalid JSON is refused, and the flow is unchanged")
  func json() async throws {
    let host = host()
    let orders = try await host.register(
      Flow("order") {
        Step("approve") { (amount: Int, context: StepContext) in
          try await context.ask(Approval(amount: amount, assignees: ["ann"], due: nil)).isApproved
        }
      })
    try await orders.start(id: "o1", with: 5)
    try await orders.start(id: "o2", with: 5)
    let view = try await host.flow("o1").settled()
    let question = try #require(view.questions.first)
    let foreign = try #require(try await host.flow("o2").settled().questions.first?.id)
    let (ann, bob) = (Principal(id: "ann"), Principal(id: "bob"))
    #expect(question.assignees == ["ann"])
    #expect(await code { try await host.flow("o1").answer(question.id, json: "{".utf8, by: ann) } == .wrongAnswerType)
    #expect(await code { try await host.flow("o1").answer(question.id, json: "3".utf8, by: ann) } == .wrongAnswerType)
    #expect(await code { try await host.flow("o1").answer(question.id, with: 3, by: ann) } == .wrongAnswerType)
    #expect(
      await code { try await host.flow("o1").answer(foreign, json: "{}".utf8, by: ann) } == .noSuchQuestion)
    #expect(await code { try await host.flow("nobody").answer(question.id, json: "{}".utf8) } == .noSuchFlow)
    let huge = [UInt8](repeating: 32, count: 1 << 20) + Array("{}".utf8)
    #expect(await code { try await host.flow("o1").answer(question.id, json: huge, by: ann) } == .tooLarge)
    let valid = "{\"isApproved\":true}".utf8
    await #expect(throws: Refused()) { try await host.flow("o1").answer(question.id, json: valid, by: bob) }
    #expect(try await host.flow("o1").view().revision == view.revision)
    let guessed = Question.ID(flow: "o1", run: 1, number: 1)
    #expect(await code { try await host.flow("o1").answer(guessed, json: valid, by: ann) } == .noSuchQuestion)
    try await host.flow("o1").answer(question.id, json: valid, by: ann)
    _ = try await host.flow("o1").settled()
    #expect(try await orders.outcome(of: "o1") == .finished(true))
    #expect(try await host.flow("o1").history().first { $0.what == "answered" }?.by == "ann")
  }

  @Test("of two answerers only one decides; the same request sent again gets the first result")
  func keys() async throws {
    let host = host()
    let orders = try await host.register(flow)
    try await orders.start(id: "o1", with: "-")
    let question = try #require(try await host.flow("o1").settled().questions.first?.id)
    try await host.flow("o1").answer(question, with: "1", key: "k")
    try await host.flow("o1").answer(question, with: "1", key: "k")
    #expect(await code { try await host.flow("o1").answer(question, with: "2", key: "k") } == .keyReused)
    #expect(await code { try await host.flow("o1").answer(question, with: "1", key: "l") } == .questionClosed)
    #expect(await code { try await host.flow("o1").answer(question, with: "1") } == .questionClosed)
    #expect(try await host.flow("o1").settled().steps == ["order/b"])
  }

  @Test("another host on the store continues after this one was stopped")
  func restarted() async throws {
    let first = self.host()
    let orders = try await first.register(flow)
    try await orders.start(id: "o1", with: "-")
    try await first.answerNext("o1", "\"1\"")
    let second = host()
    let again = try await second.register(flow)
    try await second.answerNext("o1", "\"2\"")
    #expect(try await again.outcome(of: "o1") == .finished("-12"))
  }

  @Test("a step that fails suspends the flow, which is then retried or abandoned")
  func failing() async throws {
    let host = host()
    let fails = Lock(true)
    let orders = try await host.register(
      Flow("order") {
        Step("a") { Asker(log) }
        Step("b") { (input: String, context: StepContext) in
          if fails.withLock({ $0 }) { throw Boom() }
          return input + "!"
        }
      })
    for id in ["o1", "o2"] as [FlowID] {
      try await orders.start(id: id, with: "-")
      let view = try await host.answerNext(id, "\"1\"")
      #expect(view.status == .suspended && view.failure == "Boom()")
    }
    #expect(try await orders.outcome(of: "o1") == .suspended("Boom()"))
    #expect(await code { try await host.flow("o1").backUp() } == .suspended)
    let view = try await host.flow("o2").abandon(reason: "enough", by: Principal(id: "ann"))
    #expect(view.status == .abandoned && view.reason == "enough")
    #expect(log.all.last == "undo a")
    #expect(try await host.flow("o2").history().last { $0.what == "leaving" }?.by == "ann")
    try await host.flow("o1").retry()
    #expect(try await host.flow("o1").settled().status == .suspended)
    fails.withLock { $0 = false }
    try await host.flow("o1").retry()
    _ = try await host.flow("o1").settled()
    #expect(try await orders.outcome(of: "o1") == .finished("-1!"))
    #expect(await code { try await host.flow("o1").retry() } == .flowEnded)
    let history = try await host.flow("o1").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    #expect(history.suffix(6).map(\.what) == ["moved", "suspended", "retried", "suspended", "retried", "finished"])
  }

  @Test("a flow backs up, and is deleted")
  func backUpAndDelete() async throws {
    let host = host()
    let orders = try await host.register(flow)
    try await orders.start(id: "o1", with: "-")
    try await host.answerNext("o1", "\"1\"")
    try await host.flow("o1").backUp()
    #expect(try await host.flow("o1").settled().steps == ["order/a"])
    #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo b", "undo a"])
    #expect(await code { try await host.flow("o1").backUp() } == .cannotBackUp)
    try await host.flow("o1").delete()
    #expect(await code { try await host.flow("o1").view() } == .noSuchFlow)
    try await orders.start(id: "o1", with: "+")
    #expect(try await host.flow("o1").settled().status == .waiting)
  }

  @Test("every read of an unknown id reports that there is no such flow")
  func missing() async throws {
    let host = host()
    let orders = try await host.register(flow)
    #expect(await code { try await host.flow("o1").view() } == .noSuchFlow)
    #expect(await code { try await host.flow("o1").settled() } == .noSuchFlow)
    #expect(await code { try await host.flow("o1").history() } == .noSuchFlow)
    #expect(await code { try await host.flow("o1").history(after: 3) } == .noSuchFlow)
    #expect(await code { try await orders.outcome(of: "o1") } == .noSuchFlow)
    try await orders.start(id: "o1", with: "-")
    _ = try await host.flow("o1").settled()
    let last = try await host.flow("o1").history().last?.sequence ?? 0
    #expect(try await host.flow("o1").history(after: last + 1).isEmpty)
    try await host.flow("o1").delete()
    #expect(await code { try await host.flow("o1").history() } == .noSuchFlow)
  }

  @Test("register lists every reason why a flow cannot be hosted")
  func refused() async throws {
    struct Opaque: Sendable {}
    let host = host()
    let error = await #expect(throws: FlowError.self) {
      try await host.register(
        Flow {
          Step("a") { (_: String, _: StepContext) in Opaque() }
          Step("b") { (_: Opaque, _: StepContext) in 1 }
        })
    }
    #expect(error?.code == .badDefinition)
    for part in ["has no name", "a: the output Opaque", "b: the input Opaque"] {
      #expect(error?.message.contains(part) == true, "\(part)")
    }
    try await host.register(flow)
    #expect(await code { try await host.register(flow) } == .badDefinition)
    let twice = await #expect(throws: FlowError.self) {
      try await host.register(
        Flow("twice") {
          Step("s") { Asker() }
          Step("s") { Asker() }
        })
    }
    #expect(twice?.message.contains("two steps are called \"twice/s\"") == true)
  }

  @Test("a changed definition needs another version while flows of the old one are open")
  func changed() async throws {
    let first = self.host()
    try await first.register(flow).start(id: "o1", with: "-")
    await first.isQuiet()
    let changed = Flow<String, String>("order") { Step("a") { Asker() } }
    let host = host()
    #expect(await code { try await host.register(changed) } == .badDefinition)
    try await host.register(flow)
    try await host.register(changed, version: 2)
    #expect(try await host.flow("o1").settled().version == 1)
  }
}

extension FlowHost {
  /// Waits until no flow is in memory.
  func isQuiet() async {
    while let flow = live.values.first { await flow.isGone() }
  }
}
