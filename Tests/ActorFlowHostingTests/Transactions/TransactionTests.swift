import ActorFlow
import ActorFlowTesting
import RandomPrograms
import Testing

@testable import ActorFlowHosting

/// Changes of flows in a transaction of the caller's.
@Suite("Changes in a transaction", .timeLimit(.minutes(15))) struct TransactionTests {
  private let log = Log()
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>
  private let host: FlowHost
  private static let paid = Signal<Int>("paid")

  init() {
    store = FaultyStore(MemoryFlowStore(clock: clock))
    host = FlowHost(store: store, clock: clock, owner: "host")
  }

  private func registered() async throws -> RegisteredFlow<String, String> {
    try await host.register(
      Flow("order") { [log] in
        Step("first") { Asker(log) }
        Step("second") { (input: String, context: StepContext) in try await context.ask(Form(text: input)) }
        Step("third") { (input: String, context: StepContext) in
          "\(input) \(try await context.wait(for: Self.paid))"
        }
      })
  }

  private func begun() async throws -> HostedFlow {
    try await registered().start(id: "o", with: "-")
    _ = try await host.flow("o").settled()
    return host.flow("o")
  }

  @Test("a flow is started with the transaction, and not before")
  func start() async throws {
    let flows = try await registered()
    let notes = try await store.transaction { transaction in
      transaction.note("order")
      let change = try await flows.start(id: "o", with: "-", in: transaction)
      #expect(change.view.status == .runnable)
      #expect(try await store.load("o") == nil && log.all.isEmpty)
      return transaction.notes
    }
    #expect(notes == ["order"])
    #expect(try await host.flow("o").settled().questions.count == 1)
    // Once more, the start is found done.
    let again = try await store.transaction { try await flows.start(id: "o", with: "-", in: $0) }
    guard case .committed = try await again.settle() else {
      Issue.record("a start that is repeated counts as settled")
      return
    }
  }

  @Test("a transaction that is rolled back starts nothing, and leaves the id free")
  func startRolledBack() async throws {
    let flows = try await registered()
    await #expect(throws: Boom.self) {
      try await store.transaction { transaction in
        try await flows.start(id: "o", with: "-", in: transaction)
        throw Boom()
      }
    }
    #expect(try await store.load("o") == nil && log.all.isEmpty)
    try await flows.start(id: "o", with: "other")
    #expect(try await host.flow("o").settled().questions.count == 1)
  }

  @Test("nothing runs, is announced or shown before the transaction is committed", arguments: [true, false])
  func answer(commits: Bool) async throws {
    let flow = try await begun()
    var events = flow.events.makeAsyncIterator()
    let transaction = MemoryTransaction(on: store)
    let change = try await flow.answer(Form.self, with: "1", key: "k", in: transaction)
    #expect(change.view.steps == ["order/first"] && change.view.questions.isEmpty)
    let before = try await flow.view()
    #expect(before.questions.count == 1)
    try await transaction.end(committing: commits)
    switch try await change.settle() {
    case .committed(let view):
      #expect(commits && view.revision > before.revision)
      guard case .answered? = await events.next()?.change else {
        Issue.record("the answer is announced when it is stored")
        return
      }
      #expect(try await flow.settled().steps == ["order/second"])
    case .rolledBack:
      #expect(!commits)
      #expect(try await flow.view().revision == before.revision)
      // The same answer under the same key is a new one.
      try await flow.answer(Form.self, with: "1", key: "k")
      #expect(try await flow.settled().steps == ["order/second"])
    }
    #expect(try await flow.history().filter { $0.what == "answered" }.count == 1)
  }

  @Test("a signal, a back and an abandon are stored with the transaction")
  func otherVerbs() async throws {
    let flow = try await begun()
    try await flow.answer(Form.self, with: "1")
    _ = try await flow.settled()
    try await store.transaction { try await flow.backUp(in: $0) }
    #expect(try await flow.settled().steps == ["order/first"])
    try await flow.answer(Form.self, with: "1")
    _ = try await flow.settled()
    try await store.transaction { try await flow.send(7, to: Self.paid, key: "s", in: $0) }
    #expect(try await flow.history().contains { $0.what == "received" || $0.what == "sent" })
    // A signal that has come changes nothing.
    try await store.transaction { try await flow.send(7, to: Self.paid, key: "s", in: $0) }
    let undone = log.all.filter { $0.hasPrefix("undo") }.count
    try await store.transaction { transaction in
      try await flow.abandon(reason: "late", in: transaction)
      #expect(log.all.filter { $0.hasPrefix("undo") }.count == undone)
    }
    #expect(try await flow.view().status == .abandoned)
    #expect(log.all.filter { $0.hasPrefix("undo") }.count == undone + 1)
    await #expect(throws: FlowError.self) {
      try await store.transaction { try await flow.send(8, to: Self.paid, key: "t", in: $0) }
    }
  }

  @Test(
    "a flow that is suspended is abandoned in a transaction, whether it is in memory or not", arguments: [true, false])
  func abandonSuspended(isHot: Bool) async throws {
    var options = FlowHost.Options()
    options.keepHot = isHot ? .seconds(60) : .zero
    options.requestTime = .zero
    let host = try FlowHost(store: store, clock: clock, owner: "host", options: options)
    let flows = try await host.register(
      Flow<String, String>("failing") {
        Step("first") { [log] in Asker(log) }
        Step("second") { (_: String) -> String in throw Boom() }
      }.onFailure(.suspend))
    try await flows.start(id: "f", with: "-")
    let flow = host.flow("f")
    _ = try await flow.settled()
    try await flow.answer(Form.self, with: "1")
    #expect(try await flow.settled().status == .suspended)
    if !isHot { try await host.emptied() }
    try await store.transaction { try await flow.abandon(reason: "late", in: $0) }
    #expect(try await flow.view().status == .abandoned)
    #expect(log.all.last?.hasPrefix("undo") == true)
  }

  @Test("an answer that is refused leaves the transaction as it is")
  func refused() async throws {
    let flow = try await begun()
    let view = try await store.transaction { transaction in
      await #expect(throws: Refused.self) { try await flow.answer(Form.self, with: "", in: transaction) }
      return try await flow.answer(Form.self, with: "1", in: transaction).view
    }
    #expect(view.questions.isEmpty)
    #expect(try await flow.settled().steps == ["order/second"])
  }

  @Test("a reply to COMMIT that is lost is found out, whatever it was", arguments: [true, false])
  func lostReply(isCommitted: Bool) async throws {
    let flow = try await begun()
    await #expect(throws: FlowStoreError.self) {
      try await store.transaction { transaction in
        try await flow.answer(Form.self, with: "1", in: transaction)
        let isFirst = Variable(true)
        store.plan { call in
          guard call.operation == .commit, isFirst.value else { return nil }
          isFirst.value = false
          return isCommitted ? .loseAcknowledgement : .fail(.outcomeUnknown)
        }
      }
    }
    let steps = try await flow.settled().steps
    #expect(steps == (isCommitted ? ["order/second"] : ["order/first"]))
    #expect(try await flow.history().filter { $0.what == "answered" }.count == (isCommitted ? 1 : 0))
  }

  @Test(
    "a change that nothing settles is given up, and a poll finds its flow", arguments: [true, false], [true, false])
  func forgotten(dropsHandle: Bool, commits: Bool) async throws {
    let flow = try await begun()
    await host.isQuiet()
    let transaction = MemoryTransaction(on: store)
    var change: PendingChange? = try await flow.answer(Form.self, with: "1", in: transaction)
    if dropsHandle {
      #expect(change != nil)
      change = nil
    } else {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(10))
    }
    await host.isQuiet()
    try await transaction.end(committing: commits)
    if !commits { try await flow.answer(Form.self, with: "1") }
    // A change that is settled late says what has become of it.
    switch try await change?.settle() {
    case .committed: #expect(commits)
    case .rolledBack: #expect(!commits)
    case nil: _ = try await host.catchUp()
    }
    _ = try await host.catchUp()
    #expect(try await flow.settled().steps == ["order/second"])
    #expect(try await flow.history().filter { $0.what == "answered" }.count == 1)
  }

  @Test("other requests wait for a change that is pending, and come after it")
  func waiting() async throws {
    let flow = try await begun()
    let transaction = MemoryTransaction(on: store)
    let change = try await flow.answer(Form.self, with: "1", in: transaction)
    async let late = code { try await host.flow("o").answer(Form.self, with: "2") }
    async let reason = host.flow("o").note("called")
    for _ in 0..<100 { await Task.yield() }
    #expect(try await store.store.load("o")?.revision == flow.view().revision)
    try await transaction.end(committing: true)
    try await change.settle()
    _ = try await reason
    let code = await late
    #expect(code == nil || code == .questionClosed || code == .noSuchQuestion)
    #expect(try await flow.history().filter { $0.what == "answered" }.first?.sequence ?? 0 > 0)
  }

  @Test("a transaction changes a flow once, and a request without it does not wait for it")
  func twice() async throws {
    let flows = try await registered()
    try await flows.start(id: "o", with: "-")
    _ = try await host.flow("o").settled()
    let flow = host.flow("o")
    try await store.transaction { transaction in
      try await flow.answer(Form.self, with: "1", in: transaction)
      #expect(await code { try await flow.backUp(in: transaction) } == .inTransaction)
      #expect(await code { try await flow.abandon() } == .inTransaction)
      // Another flow has nothing to do with the transaction.
      try await flows.start(id: "p", with: "-")
    }
    #expect(try await flow.settled().steps == ["order/second"])
    #expect(try await host.flow("p").settled().questions.count == 1)
  }

  @Test("several flows change with one transaction")
  func several() async throws {
    let flows = try await registered()
    try await flows.start(id: "o", with: "-")
    _ = try await host.flow("o").settled()
    let flow = host.flow("o")
    await #expect(throws: Boom.self) {
      try await store.transaction { transaction in
        try await flow.answer(Form.self, with: "1", in: transaction)
        try await flows.start(id: "p", with: "-", in: transaction)
        throw Boom()
      }
    }
    #expect(try await flow.view().questions.count == 1)
    #expect(try await store.load("p") == nil)
    try await store.transaction { transaction in
      try await flow.answer(Form.self, with: "1", in: transaction)
      try await flows.start(id: "p", with: "-", in: transaction)
    }
    #expect(try await flow.settled().steps == ["order/second"])
    #expect(try await host.flow("p").settled().questions.count == 1)
  }

  @Test("a list shows a flow as it was before a change that is pending")
  func listed() async throws {
    let flow = try await begun()
    let question = try await flow.view().questions.map(\.id.description)
    let transaction = MemoryTransaction(on: store)
    let change = try await flow.answer(Form.self, with: "1", in: transaction)
    #expect(try await host.tasks(limit: 10).tasks.map(\.task.question) == question)
    try await transaction.end(committing: true)
    try await change.settle()
    let next = try await flow.settled().questions.map(\.id.description)
    #expect(next != question && next.count == 1)
    #expect(try await host.tasks(limit: 10).tasks.map(\.task.question) == next)
  }

  @Test("a step that has got one of two things that it waits for does not hold up a change")
  func oneOfTwo() async throws {
    let flows = try await host.register(
      Flow<String, String>("both") {
        Step("both") { (input: String, context: StepContext) in
          async let number = context.wait(for: Self.paid)
          async let text = context.ask(Form(text: input))
          return try await "\(text) \(number)"
        }
      })
    try await flows.start(id: "b", with: "-")
    let flow = host.flow("b")
    _ = try await flow.settled()
    _ = try await flow.send(1, to: Self.paid, key: "k")
    try await store.transaction { try await flow.answer(Form.self, with: "1", in: $0) }
    #expect(try await flow.settled().status == .finished)
  }

  @Test("a change of a flow that does not come to rest is refused with `moving` after the request time")
  func moving() async throws {
    let (begun, end) = (AsyncEvent(), AsyncEvent())
    var options = FlowHost.Options()
    options.requestTime = .zero
    let host = try FlowHost(store: store, clock: clock, owner: "impatient", options: options)
    let flows = try await host.register(
      Flow<String, String>("busy") {
        Step("busy") { (input: String) in
          begun.signal()
          await end.wait()
          return input
        }
      })
    try await flows.start(id: "b", with: "-")
    let flow = host.flow("b")
    await begun.wait()
    let transaction = MemoryTransaction(on: store)
    #expect(await code { try await flow.abandon(in: transaction) } == .moving)
    try await transaction.end(committing: true)
    end.signal()
    #expect(try await flow.settled().status == .finished)
  }

  @Test("a transaction of another store is refused before anything happens")
  func otherStore() async throws {
    let flow = try await begun()
    let other = FaultyStore(MemoryFlowStore())
    let code = await code { try await other.transaction { try await flow.answer(Form.self, with: "1", in: $0) } }
    #expect(code == .badOptions)
    #expect(try await flow.view().questions.count == 1)
  }
}
