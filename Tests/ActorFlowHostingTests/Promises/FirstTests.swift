import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Hosted steps that ask a question and wait for a signal, of which the first outcome counts.
@Suite("Hosted: the first of an answer and a signal", .timeLimit(.minutes(15))) struct FirstTests {
  private static let results = Signal<String>("results")
  private let log = Log()

  /// Waits twice for the bank, and charges once.
  private var flow: Flow<String, String> {
    Flow("pay") {
      Step("bank") { [log] (_: String, context: StepContext) in
        let first = try await context.first(
          of: Form(text: "1"), or: Self.results, matching: { $0.hasPrefix("1") }, within: .seconds(600))
        let receipt = try await context.once("charge") { _ in
          log.add("charge")
          return "r"
        }
        let second = try await context.first(of: Form(text: "2"), or: Self.results, within: .seconds(600))
        return "\(Self.text(first)) \(receipt) \(Self.text(second))"
      }
    }
  }

  private static func text(_ first: First<Reply<String>, String>?) -> String {
    switch first {
    case .answered(let reply)?: "\(reply.answer) by \(reply.by?.id ?? "-") to \(reply.question.number)"
    case .received(let value)?: value
    case nil: "late"
    }
  }

  private func page(_ tester: HostTester) async throws -> (questions: [String], signals: [String]) {
    let view = try await tester.view(of: "f")
    return (view.questions.map(\.id.debugDescription), view.signals)
  }

  @Test("each outcome, on a flow that is passivated each time; both come back with their identities")
  func outcomes() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-")
      try await tester.settle()
      var page = try await page(tester)
      #expect(page.questions == ["f/1/1"] && page.signals == ["results"])
      let old = try #require(try await tester.view(of: "f").questions.first)
      #expect(try await tester.host.flow("f").send("2 late", to: Self.results, key: "a") == .accepted)
      try await tester.settle()
      page = try await self.page(tester)
      #expect(page.questions == ["f/1/1"] && page.signals == ["results"], "it is for another one")
      _ = try await tester.host.flow("f").answer(old.id, with: "yes", by: Principal(id: "ann"))
      try await tester.settle()
      #expect(await code { try await tester.host.flow("f").answer(old.id, with: "no") } == .flowEnded)
      #expect(try await flows.outcome(of: "f") == .finished("yes by ann to 1 r 2 late"))
      #expect(log.all == ["charge"])
      let history = try await tester.history(of: "f").map(\.what)
      #expect(
        history == ["launched", "moved", "asked", "waiting", "sent", "answered", "stoppedWaiting", "finished"])
    }
  }

  @Test("the time limit counts on while the flow is passivated, and across a crash")
  func limits() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-")
      try await tester.settle()
      try await tester.advance(by: .seconds(400))
      try await tester.crash()
      try await tester.advance(by: .seconds(200))
      #expect(try await page(tester).questions == ["f/1/2"], "the first is late")
      try await tester.advance(by: .seconds(599))
      #expect(try await page(tester).signals == ["results"])
      try await tester.advance(by: .seconds(1))
      #expect(try await flows.outcome(of: "f") == .finished("late r late"))
      #expect(log.all == ["charge"])
    }
  }

  @Test("a stale answer and a signal that lost are told so, and the losing signal is buffered")
  func losers() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-")
      try await tester.settle()
      let first = try #require(try await tester.view(of: "f").questions.first)
      #expect(try await tester.host.flow("f").send("1 paid", to: Self.results, key: "a") == .accepted)
      try await tester.settle()
      let error = await #expect(throws: FlowError.self) {
        try await tester.host.flow("f").answer(first.id, with: "yes")
      }
      #expect(error?.code == .questionClosed && error?.openQuestions.map(\.id.number) == [2])
      let second = try #require(try await tester.view(of: "f").questions.first)
      let host = tester.host
      async let answered = code { try await host.flow("f").answer(second.id, with: "yes") }
      async let sent = host.flow("f").send("2 paid", to: Self.results, key: "b")
      let refusal = await answered
      let delivery = try await sent
      try await tester.settle()
      switch try await flows.outcome(of: "f") {
      case .finished("1 paid r 2 paid"): #expect(refusal != nil && delivery == .accepted)
      case .finished("1 paid r yes by - to 2"): #expect(refusal == nil)
      case let other: Issue.record("\(other)")
      }
    }
  }
}
