import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Asks, and fails when it has got the answer.
private actor Failing: FlowStep {
  private let log: Log
  init(_ log: Log) { self.log = log }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    _ = try await context.ask(Form(text: input))
    throw Boom()
  }
  func backUp(context: RollbackContext) { log.add("undo \(context.step.name)") }
}

@Suite("Hosted flows that fail", .timeLimit(.minutes(15))) struct SuspendedFlowTests {
  private let log = Log()

  private var flow: Flow<String, String> {
    Flow("f") { [log] in
      Step("first") { Asker(log) }
      Step("second") { Failing(log) }
    }
  }

  @Test("a failed flow rolls back where the definition says so, also when a timeout around all steps has left none")
  func timeout() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow.timeout(.seconds(60)).onFailure(.rollBack)).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.advance(by: .seconds(61))
      #expect(try await tester.history(of: "f").last?.what == "rolledBack")
      #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo second", "undo first"])
    }
  }

  @Test("a suspended flow stays suspended whatever is due, and is passivated")
  func timers() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow.timeout(.seconds(60)).expires(afterIdle: .seconds(30))).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.answer(Form.self, of: "f", with: "b")
      try await tester.advance(by: .seconds(61))
      #expect(try await tester.view(of: "f").status == .suspended)
      #expect(log.all.filter { $0.hasPrefix("undo") } == [])
      try await tester.abandon("f")
      #expect(try await tester.view(of: "f").status == .abandoned)
      #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo second", "undo first"])
    }
  }

  @Test("a timer that became due during the suspension fires when the flow is retried")
  func dueAfterRetry() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow.timeout(.seconds(60))).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.answer(Form.self, of: "f", with: "b")
      try await tester.advance(by: .seconds(61))
      try await tester.retry("f")
      #expect(try await tester.failure(of: "f").contains(".timeout"))
      #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo second", "undo first"])
    }
  }

  @Test(
    "a retry or a note that comes while an abandon is being committed calls no backUp twice", arguments: [false, true])
  func besideAbandon(retries: Bool) async throws {
    let (store, gate) = (FaultyStore(MemoryFlowStore()), Gate())
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: "-")
    for answer in ["a", "b"] {
      _ = try await host.flow("f").settled()
      try await host.flow("f").answer(Form.self, with: answer)
    }
    #expect(try await host.flow("f").settled().status == .suspended)
    await host.isQuiet()
    store.plan { $0.operation == .commit ? .holdReply(until: gate.pass) : nil }
    async let abandoned = host.flow("f").abandon()
    await gate.reached()
    async let refusal = code {
      _ = try await retries ? host.flow("f").retry() : host.flow("f").note("called")
    }
    // As it is, the other request waits for the commit, and nothing else tells that it has come that far.
    for _ in 0..<1_000 { await Task.yield() }
    gate.open()
    #expect(try await abandoned.status == .abandoned)
    #expect(await refusal == (retries ? .notSuspended : nil))
    #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo second", "undo first"])
    #expect(try await host.flow("f").history().filter { $0.what == "noted" }.count == (retries ? 0 : 1))
  }

  @Test("a refresh after which a branch fails does not wait for the questions of the others")
  func refreshedAndFailed() async throws {
    let host = FlowHost(store: MemoryFlowStore(), clock: ManualWallClock())
    let flow = Flow<String, String>("f") { [log] in
      Parallel {
        Step("a") { Asker(log) }
        Step("b") { Failing(log) }
      } join: {
        $0 + $1
      }
    }
    try await host.register(flow).start(id: "f", with: "-")
    let questions = try await host.flow("f").settled().questions
    let question = try #require(questions.first { $0.step.name == "b" }?.id)
    try await host.flow("f").answer(question, with: "b")
    #expect(try await host.flow("f").settled().status == .suspended)
    await host.isQuiet()
    // The last part of a refresh, as if the branch had failed just before.
    #expect(await host.askedAgain("f") == nil)
    // The branch gets the same answer, and fails again.
    try await host.flow("f").retry()
    #expect(try await host.flow("f").settled().status == .suspended)
  }

  @Test("a flow can be abandoned at the moment it fails")
  func atOnce() async throws {
    for round in 0..<200 {
      try await testHost(exhaustive: false) { tester in
        try await tester.deploy(flow).start(id: "f", with: "-")
        try await tester.answer(Form.self, of: "f", with: "a")
        let question = try await tester.question(Form.self, of: "f").id
        let host = tester.host
        async let answered: Void = {
          _ = try? await host.flow("f").answer(question, with: "b")
        }()
        async let abandoned: Void = {
          for _ in 0..<round { await Task.yield() }
          _ = try await host.flow("f").abandon()
        }()
        await answered
        try await abandoned
        try await tester.settle()
        #expect(try await tester.view(of: "f").status == .abandoned)
      }
    }
  }

  @Test("a suspension waits for the backUp of a branch, which runs once")
  func compensating() async throws {
    let gate = Gate()
    let flow = Flow<String, String>("f") { [log] in
      Parallel {
        Step<String, String>("a") { Failing(log) }
        Flow<String, String> {
          Step("pay") { HoldingStep(log, gate) }
          Step("deal") { (_: String) -> String in throw Boom() }
        }.recover { _ in "recovered" }
      } join: {
        $0 + $1
      }
    }
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(flow).hosted
      let host = tester.host
      try await flows.start(id: "f", with: "-")
      await gate.reached()
      while try await host.flow("f").view().questions.isEmpty { await Task.yield() }
      try await host.flow("f").answer(Form.self, with: "b")
      while !(try await host.flow("f").history()).contains(where: { $0.what == "suspended" }) { await Task.yield() }
      gate.open()
      try await tester.settle()
      #expect(try await tester.view(of: "f").status == .suspended)
      #expect(gate.arrivals == 1)
      try await tester.retry("f")
      try await tester.abandon("f")
      #expect(gate.arrivals == 1, "a compensated step is not compensated again")
    }
  }
}
