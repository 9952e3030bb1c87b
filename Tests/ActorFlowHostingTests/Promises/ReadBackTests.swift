import ActorFlow
import ActorFlowTesting
import RandomPrograms
import Testing

@testable import ActorFlowHosting

/// Flows that are read back from the store at a moment that no request waits for: a flow that is suspended, is being left,
/// or fits no version any more.
@Suite("Flows that are read back", .timeLimit(.minutes(15))) struct ReadBackTests {
  private let log = Log()
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>

  init() { store = FaultyStore(MemoryFlowStore(clock: clock)) }

  private func host(keepHot: Duration = .zero) throws -> FlowHost {
    var options = FlowHost.Options()
    (options.keepHot, options.requestTime) = (keepHot, .zero)
    return try FlowHost(store: store, clock: clock, owner: "host", options: options)
  }

  private struct Other: Prompt, Codable {
    typealias Answer = String
    static let promptName = "test.other"
  }

  private actor Undone: FlowStep {
    let work: @Sendable (RollbackContext) async throws -> Void
    init(_ work: @escaping @Sendable (RollbackContext) async throws -> Void) { self.work = work }
    func proceed(_ input: String, context: StepContext) -> String { input }
    func backUp(context: RollbackContext) async throws { try await work(context) }
  }

  @Test("a flow that was suspended in the middle of its rollback goes on with it when it is abandoned once more")
  func suspendedRollback() async throws {
    let refund = Variable(Double.nan)
    let host = try host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("pay") { [log] in
          Undone { context in
            let refunded = try await context.once("refund") { _ in refund.value }
            log.add("refunded \(refunded)")
          }
        }
        Step("wait") { Asker() }
      })
    try await flows.start(id: "f", with: "-")
    let flow = host.flow("f")
    _ = try await flow.settled()
    _ = try? await flow.abandon()
    await host.isQuiet()
    #expect(try await flow.view().status == .suspended)
    refund.value = 2
    try await flow.abandon()
    #expect(try await flow.view().status == .abandoned)
    #expect(log.all.last == "refunded 2.0")
  }

  @Test("a step whose output cannot be stored is completed with another one, although the next step is named as failed")
  func completed() async throws {
    let host = try host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("rate") { (_: String, context: StepContext) in
          _ = try await context.ask(Form(text: "rate"))
          return Double.nan
        }
        Step("use") { (rate: Double, context: StepContext) in try await context.ask(Form(text: "\(rate)")) }
      })
    try await flows.start(id: "f", with: "-")
    let flow = host.flow("f")
    _ = try await flow.settled()
    try await flow.answer(Form.self, with: "1")
    await host.isQuiet()
    let view = try await flow.view()
    #expect(view.status == .suspended && view.steps == ["f/rate"])
    try await flow.complete("rate", output: "1.5".utf8, reason: "by hand")
    #expect(try await flow.settled().questions.first?.prompt(as: Form.self).text == "1.5")
  }

  @Test("a suspended flow whose branch was being undone when the process died is abandoned in a transaction")
  func abandonedInTransaction() async throws {
    let undoing = Gate()
    let flow = Flow<String, String>("f") {
      Parallel {
        Step("a") { (_: String, context: StepContext) -> String in
          _ = try await context.ask(Form(text: "a"))
          throw Boom()
        }
        Flow("deal") {
          Step("pay") { [log] in
            Undone { _ in
              await undoing.pass()
              log.add("undone")
            }
          }
          Step("sign") { (_: String, context: StepContext) -> String in
            _ = try await context.ask(Form(text: "sign"))
            throw Boom()
          }
        }
        .recover { _ in "none" }
      } join: {
        $0 + $1
      }
    }
    .onFailure(.suspend)
    let first = try host(keepHot: .seconds(60))
    try await first.register(flow).start(id: "f", with: "-")
    for step in ["sign", "a"] {
      var asked: StoredQuestion?
      while asked == nil {
        await Task.yield()
        asked = try await first.flow("f").view().questions.first { $0.step.name == step }
      }
      try await first.flow("f").answer(try #require(asked?.id), with: "1")
      if step == "sign" { await undoing.reached() }
    }
    while try await first.flow("f").view().status != .suspended { await Task.yield() }
    await first.die()
    let second = try host()
    try await second.register(flow)
    undoing.open()
    try await store.transaction { try await second.flow("f").abandon(in: $0) }
    #expect(try await second.flow("f").view().status == .abandoned)
  }

  @Test("a suspended flow stands still, also when the race beside the failed step is decided")
  func decidedRace() async throws {
    let (ends, fails) = (Gate(), Variable(true))
    let host = try host(keepHot: .seconds(60))
    let flows = try await host.register(
      Flow<String, String>("f") {
        Race {
          Step("a") { (_: String, context: StepContext) -> String in
            let answer = try await context.ask(Form(text: "a"))
            if fails.value { throw Boom() }
            return answer
          }
          Step("b") { (_: String) -> String in
            await ends.pass()
            return "b"
          }
        }
        Step("then") { [log] (winner: String, context: StepContext) -> String in
          log.add("then \(winner)")
          return try await context.ask(Form(text: winner))
        }
      }
      .onFailure(.suspend))
    try await flows.start(id: "f", with: "-")
    let flow = host.flow("f")
    while try await flow.view().questions.isEmpty { await Task.yield() }
    try await flow.answer(Form.self, with: "1")
    while try await flow.view().status != .suspended { await Task.yield() }
    ends.open()
    await host.isQuiet()
    let view = try await flow.view()
    #expect(view.status == .suspended && log.all.isEmpty, "\(view)")
    fails.value = false
    try await flow.retry()
    #expect(try await flow.settled().steps == ["f/then"])
    #expect(log.all.count == 1)
  }

  @Test("the stack of a flow that was abandoned and read back has each step once")
  func stackOfAbandoned() async throws {
    let (begun, ends) = (Gate(), Gate())
    let flow = Flow<String, String>("f") {
      Step("a") { (input: String) in input }
      Step("b") { (input: String) in
        begun.mark()
        await ends.pass()
        return input
      }
    }
    let first = try host()
    try await first.register(flow).start(id: "f", with: "-")
    await begun.reached()
    let abandoning = Task { try await first.flow("f").abandon(rollingBack: false) }
    while try await !first.flow("f").history().contains(where: { $0.what == "leaving" }) { await Task.yield() }
    await first.die()
    ends.open()
    _ = await abandoning.result
    let second = try host()
    try await second.register(flow)
    try await second.catchUp()
    let view = try await second.flow("f").view()
    #expect(view.status == .abandoned && view.stack == ["f/b", "f/a"], "\(view.stack)")
  }

  @Test("a note leaves a flow alone that waits for the other results of a quorum")
  func noted() async throws {
    let host = try host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        ForEach({ (_: String) in ["ann", "bob", "cy"] }) {
          Step("vote") { [log] (name: String, context: StepContext) -> String in
            log.add(name)
            return try await context.ask(Form(text: name))
          }
        } until: { votes, open in
          votes.count >= 2 || open == 0 ? .done(votes.joined()) : .goOn
        }
      })
    try await flows.start(id: "f", with: "-")
    let flow = host.flow("f")
    let question = try #require(try await flow.settled().questions.first)
    try await flow.answer(question.id, with: "yes")
    let before = try await flow.settled()
    await host.isQuiet()
    let calls = log.all.count
    try await flow.note("called the others")
    let after = try await flow.view()
    #expect(
      before.status == .waiting && after.status == .waiting && after.questions.map(\.id) == before.questions.map(\.id))
    await host.isQuiet()
    #expect(log.all.count == calls && after.revision == before.revision.next)
    #expect(try await flow.history().last?.what == "noted")
  }

  @Test("a flow that is marked as unmigrated while an effect runs has each history number once, and stays unmigrated")
  func unmigratedBesideEffect() async throws {
    let (paying, paid) = (Gate(), Gate())
    let isNew = Variable(false)
    let flow = Flow<String, String>("f") {
      Parallel {
        Step("a") { (_: String, context: StepContext) in
          if isNew.value {
            await paying.reached(2)
            return try await context.ask(Other())
          }
          let first = try await context.ask(Form(text: "first"))
          return try await first + context.ask(Form(text: "second"))
        }
        Step("b") { [log] (_: String, context: StepContext) in
          try await context.once("pay") { _ in
            await paying.pass()
            if isNew.value { await paid.pass() }
            log.add("paid")
            return "$"
          }
        }
      } join: {
        $0 + $1
      }
    }
    let first = try host()
    try await first.register(flow).start(id: "f", with: "-")
    while try await first.flow("f").view().questions.isEmpty { await Task.yield() }
    try await first.flow("f").answer(Form.self, with: "1")
    while try await first.flow("f").view().questions.isEmpty { await Task.yield() }
    await paying.reached()
    await first.die()
    paying.open()
    await first.isQuiet()
    isNew.value = true
    let second = try host()
    try await second.register(flow)
    let caughtUp = Task { try await second.catchUp() }
    while try await second.flow("f").view().status != .unmigrated { await Task.yield() }
    paid.open()
    _ = try await caughtUp.value
    await second.isQuiet()
    let view = try await second.flow("f").view()
    #expect(view.status == .unmigrated)
    let numbers = try await second.flow("f").history().map(\.sequence)
    #expect(numbers == Array(1...numbers.count), "\(numbers)")
    isNew.value = false
    let third = try host()
    try await third.register(flow)
    let question = try #require(try await third.flow("f").settled().questions.first)
    try await third.flow("f").answer(question.id, with: "2")
    #expect(try await third.flow("f").settled().status == .finished)
    let all = try await third.flow("f").history().map(\.sequence)
    #expect(all == Array(1...all.count), "\(all)")
  }
}
