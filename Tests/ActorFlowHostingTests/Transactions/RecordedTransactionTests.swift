import ActorFlow
import ActorFlowTesting
import RandomPrograms
import Testing

@testable import ActorFlowHosting

/// Work of `once` in a transaction with its record.
@Suite("Work in a transaction", .timeLimit(.minutes(15))) struct RecordedTransactionTests {
  /// What is written in transactions beside flows, as a table would hold it.
  private let table = Log()
  private let works = Log()
  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>

  init() { store = FaultyStore(MemoryFlowStore(clock: clock)) }

  /// A step that asks, writes a row in a transaction, and asks again.
  private func flow(_ fails: Variable<Int> = Variable(0)) -> Flow<String, String> {
    Flow("order") { [store, table, works] in
      Step("pay") { (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: "first"))
        let number = try await context.once("invoice", in: store) { transaction, key in
          works.add(key)
          if fails.value > 0 {
            fails.value -= 1
            throw FlowStoreError(.conflict, "another transaction was in the way")
          }
          transaction.note("row of \(answer)")
          transaction.whenCommitted { table.add("row of \(answer)") }
          return 17
        }
        return "\(number) " + (try await context.ask(Form(text: "second")))
      }
    }
  }

  private func host(_ fails: Variable<Int> = Variable(0)) async throws -> FlowHost {
    let host = FlowHost(store: store, clock: clock, owner: "host")
    try await host.register(flow(fails))
    return host
  }

  private func begin(_ host: FlowHost) async throws -> HostedFlow {
    _ = try await host.start("order", id: "o", json: "\"-\"".utf8)
    _ = try await host.flow("o").settled()
    return host.flow("o")
  }

  @Test("the work is done once, and replayed from its record")
  func once() async throws {
    let host = try await host()
    let flow = try await begin(host)
    try await flow.answer(Form.self, with: "1")
    #expect(try await flow.settled().questions.first?.prompt(as: Form.self).text == "second")
    try await flow.answer(Form.self, with: "2")
    #expect(try await flow.settled().status == .finished)
    #expect(table.all == ["row of 1"] && works.all.count == 1)
  }

  @Test("the work runs again, under the same key, while another transaction is in the way")
  func inTheWay() async throws {
    let flow = try await begin(try await host(Variable(3)))
    try await flow.answer(Form.self, with: "1")
    #expect(try await flow.settled().questions.first?.prompt(as: Form.self).text == "second")
    #expect(table.all == ["row of 1"] && works.all.count == 4 && Set(works.all).count == 1)
  }

  @Test("a step whose transactions never succeed fails, and a retry goes on")
  func alwaysInTheWay() async throws {
    let fails = Variable(12)
    let flow = try await begin(try await host(fails))
    try await flow.answer(Form.self, with: "1")
    #expect(try await flow.settled().status == .suspended)
    #expect(table.all.isEmpty && works.all.count == 12)
    try await flow.retry()
    #expect(try await flow.settled().questions.first?.prompt(as: Form.self).text == "second")
    #expect(table.all == ["row of 1"])
  }

  @Test("a reply to COMMIT that is lost leaves no doubt", arguments: [true, false])
  func lostReply(isCommitted: Bool) async throws {
    let host = try await host()
    let flow = try await begin(host)
    let isFirst = Variable(true)
    store.plan { [works] call in
      guard call.operation == .commit, !works.all.isEmpty, isFirst.value else { return nil }
      isFirst.value = false
      return isCommitted ? .loseAcknowledgement : .fail(.outcomeUnknown)
    }
    try await flow.answer(Form.self, with: "1")
    _ = try await flow.settled()
    if !isCommitted { try await flow.retry() }
    #expect(try await flow.settled().questions.first?.prompt(as: Form.self).text == "second")
    #expect(table.all == ["row of 1"] && works.all.count == (isCommitted ? 1 : 2))
  }

  @Test("a host that dies at any commit leaves one row and one record")
  func deaths() async throws {
    for last in 1... {
      let test = RecordedTransactionTests()
      let host = try await test.host()
      let flow = try await test.begin(host)
      await host.isQuiet()
      let known = test.store.count(of: .commit)
      test.store.plan { call in
        call.operation == .commit && call.numberOfOperation > known + last ? .fail(.unavailable) : nil
      }
      _ = try? await flow.answer(Form.self, with: "1")
      await host.isQuiet()
      let isDead = test.store.count(of: .commit) > known + last
      test.store.plan { _ in nil }
      let next = try await test.host()
      let view = try await next.flow("o").settled(within: .seconds(600))
      if try view.questions.first?.prompt(as: Form.self).text == "first" {
        try await next.answerNext("o", "\"1\"")
      } else {
        _ = try await next.catchUp()
      }
      #expect(try await next.flow("o").settled().questions.first?.prompt(as: Form.self).text == "second")
      #expect(test.table.all == ["row of 1"])
      guard isDead else { break }
    }
  }

  @Test("a result that cannot be stored fails the step, and its work is rolled back")
  func tooLarge() async throws {
    let host = FlowHost(store: store, clock: clock, owner: "host")
    let flow = Flow<String, Int>("order") { [store, table] in
      Step("pay") { (_: String, context: StepContext) in
        try await context.once("invoice", in: store) { transaction, _ in
          transaction.whenCommitted { table.add("row") }
          return String(repeating: "x", count: FlowSnapshot.maximumBytes)
        }.count
      }
    }
    try await host.register(flow).start(id: "o", with: "-")
    let view = try await host.flow("o").settled()
    #expect(view.status == .suspended && table.all.isEmpty)
  }

  @Test("a store that is not the host's fails the step")
  func otherStore() async throws {
    let host = FlowHost(store: FaultyStore(MemoryFlowStore()), clock: clock, owner: "host")
    try await host.register(flow())
    let flow = try await begin(host)
    try await flow.answer(Form.self, with: "1")
    let view = try await flow.settled()
    #expect(view.status == .suspended && view.failure?.contains("host's store") == true && table.all.isEmpty)
  }

  @Test("a flow in memory and a step outside a flow do the work in a transaction, too")
  func withoutHost() async throws {
    let flow = Flow<String, Int>("f") { [store, table] in
      Step("s") { (_: String, context: StepContext) in
        let first = try await context.once("k", in: store) { transaction, _ in
          transaction.whenCommitted { table.add("row of a flow") }
          return 1
        }
        return first + (try await context.once("k", in: store) { _, _ in 2 })
      }
    }
    #expect(try await FlowCoordinator().run(flow, with: "-") == 2)
    let value = try await StepContext.standalone.once("k", in: store) { [table] transaction, _ in
      transaction.whenCommitted { table.add("row") }
      return 1
    }
    #expect(value == 1 && table.all == ["row of a flow", "row"])
    await #expect(throws: Boom.self) {
      try await StepContext.standalone.once("k", in: store) { transaction, _ in throw Boom() }
    }
  }
}
