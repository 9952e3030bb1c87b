import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Purging", .timeLimit(.minutes(15))) struct PurgingTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// A flow that asks, and fails for the answer `boom`. Its `backUp` fails for the input `stuck`.
  private let flow = Flow<String, String>("f") {
    Step("undone") { Undone() }
    Step("ask") { (input: String, context: StepContext) in
      let answer = try await context.ask(Form(text: input))
      if answer == "boom" { throw Boom() }
      return answer
    }
  }
  .onFailure(.rollBack)

  private func host(_ options: FlowHost.Options = .init()) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    let host = try FlowHost(store: store, clock: clock, options: options)
    return (host, try await host.register(flow))
  }

  private func ended(
    _ id: FlowID, _ host: FlowHost, _ flows: RegisteredFlow<String, String>, with input: String = "-",
    by answer: String
  ) async throws {
    try await flows.start(id: id, with: input)
    try await host.answerNext(id, "\"\(answer)\"")
    await host.isQuiet()
  }

  @Test("flows that have ended before the time are removed with their histories, and no others")
  func ended() async throws {
    let (host, flows) = try await host()
    try await ended("finished", host, flows, by: "yes")
    try await ended("failed", host, flows, by: "boom")
    try await flows.start(id: "open", with: "-")
    _ = try await host.flow("open").settled()
    await host.isQuiet()
    clock.advance(by: .seconds(60))
    let time = clock.now
    clock.advance(by: .seconds(60))
    try await ended("later", host, flows, by: "yes")
    let report = try await host.purge(endedBefore: time)
    #expect(Set(report.purged) == ["finished", "failed"] && report.kept.isEmpty && report.isComplete)
    #expect(try await host.list().flows.map(\.id.description).sorted() == ["later", "open"])
    #expect(try await store.history(of: "finished", after: 0, limit: 9).isEmpty)
    // The id is free again, and nothing of the purge holds it.
    try await ended("finished", host, flows, by: "again")
  }

  @Test("a query and a limit say what is removed; a report that is not complete says so")
  func limited() async throws {
    let (host, flows) = try await host()
    for number in 0..<5 { try await ended(FlowID("\(number)"), host, flows, by: number == 0 ? "boom" : "yes") }
    clock.advance(by: .seconds(1))
    let none = try await host.purge(FlowQuery(definition: "other"), endedBefore: clock.now)
    #expect(none.purged.isEmpty && none.isComplete)
    #expect(try await host.purge(FlowQuery(status: [.waiting]), endedBefore: clock.now).purged.isEmpty)
    let some = try await host.purge(FlowQuery(status: [.finished]), endedBefore: clock.now, limit: 3)
    #expect(some.purged.count == 3 && !some.isComplete)
    let rest = try await host.purge(FlowQuery(status: [.finished]), endedBefore: clock.now, limit: 3)
    #expect(rest.purged.count == 1 && rest.isComplete)
    #expect(try await host.list().flows.map(\.id) == ["0"])
  }

  @Test("a flow with a failed backUp, and one that cannot be read, are kept and named")
  func kept() async throws {
    let (host, flows) = try await host()
    try await ended("stuck", host, flows, with: "stuck", by: "boom")
    try await ended("damaged", host, flows, by: "yes")
    var snapshot = try #require(try await store.load("damaged")).snapshot
    let revision = try #require(try await store.load("damaged")).revision
    snapshot.body = [1, 2, 3]
    _ = try await store.commit(FlowWrite(snapshot, to: "damaged", expecting: revision))
    clock.advance(by: .seconds(1))
    let report = try await host.purge(endedBefore: clock.now)
    #expect(report.purged.isEmpty && Set(report.kept.keys) == ["stuck", "damaged"])
    #expect((report.kept["stuck"] as? FlowError)?.code == .rollbackFailed)
    #expect(report.kept["damaged"] is FlowStoreError)
    #expect(await code { try await host.flow("stuck").purge(endedBefore: clock.now) } == .rollbackFailed)
    let error = await #expect(throws: FlowStoreError.self) {
      try await host.flow("damaged").purge(endedBefore: clock.now)
    }
    #expect(error?.code == .corrupted)
    #expect(try await host.list().flows.count == 2)
    #expect(store.state.withLock { $0.leases["stuck"] } == nil)
  }

  @Test("a row that lists a failed flow as suspended is removed, and a suspended flow is not")
  func oldRows() async throws {
    let (host, flows) = try await host()
    try await ended("failed", host, flows, by: "boom")
    let found = try #require(try await store.load("failed"))
    var snapshot = found.snapshot
    #expect(snapshot.status == .failed)
    snapshot.status = .suspended
    _ = try await store.commit(FlowWrite(snapshot, to: "failed", expecting: found.revision))
    let suspending = Flow<String, String>("s") { Step("a") { (_: String, _: StepContext) -> String in throw Boom() } }
    try await host.register(suspending).start(id: "suspended", with: "-")
    _ = try await host.flow("suspended").settled()
    await host.isQuiet()
    clock.advance(by: .seconds(1))
    #expect(try await host.purge(FlowQuery(status: [.finished]), endedBefore: clock.now).purged.isEmpty)
    let report = try await host.purge(endedBefore: clock.now)
    #expect(report.purged == ["failed"] && report.kept.isEmpty)
    #expect(try await host.list().flows.map(\.id) == ["suspended"])
  }

  @Test("one flow is purged if it has ended before the time, and observers learn by whom and why")
  func one() async throws {
    let witness = Witness()
    let (host, flows) = try await host(.observed(by: witness))
    try await ended("x", host, flows, by: "yes")
    clock.advance(by: .seconds(60))
    let time = clock.now
    clock.advance(by: .seconds(60))
    try await ended("later", host, flows, by: "yes")
    try await flows.start(id: "open", with: "-")
    _ = try await host.flow("open").settled()
    for id in ["later", "open"] as [FlowID] {
      #expect(await code { try await host.flow(id).purge(endedBefore: time) } == .notEnded)
    }
    let long = String(repeating: "a", count: 1_025)
    #expect(await code { try await host.flow("x").purge(endedBefore: time, reason: long) } == .tooLarge)
    try await host.flow("x", by: Principal(id: "ann")).purge(endedBefore: time, reason: "a year old")
    #expect(witness.words(of: "x").filter { $0.hasPrefix("removed") } == ["removed by ann: a year old"])
    #expect(try await store.history(of: "x", after: 0, limit: 9).isEmpty)
    #expect(await code { try await host.flow("x").purge(endedBefore: time) } == .noSuchFlow)
    // A flow that was started anew under the id is another one.
    try await flows.start(id: "x", with: "again")
    await host.isQuiet()
    #expect(await code { try await host.flow("x").purge(endedBefore: time) } == .notEnded)
    #expect(try await host.list().flows.map(\.id.description).sorted() == ["later", "open", "x"])
  }

  @Test("the guard is asked for the principal of a purge, as for a deletion")
  func asksForTheirPrincipal() async throws {
    var options = FlowHost.Options()
    options.access = { verb, principal, _ in
      if verb == .delete, principal?.id != "ann" { throw Boom() }
    }
    let (host, flows) = try await host(options)
    try await ended("x", host, flows, by: "yes")
    clock.advance(by: .seconds(1))
    await #expect(throws: Boom.self) { try await host.flow("x").purge(endedBefore: clock.now) }
    try await host.flow("x").purge(endedBefore: clock.now, by: Principal(id: "ann"))
    #expect(await code { try await host.flow("x").view() } == .noSuchFlow)
  }

  @Test("a flow that has ended and is in memory is named by a purge of many, and a purge of it alone removes it")
  func inMemory() async throws {
    let gate = Gate()
    let slow = FaultyStore(store) { call in
      call.operation == .release ? .delay { await gate.pass() } : nil
    }
    let (first, flows) = try await host()
    try await ended("x", first, flows, by: "yes")
    clock.advance(by: .seconds(1))
    let host = FlowHost(store: slow, clock: clock)
    try await host.register(flow)
    // The flow is in memory until its lease is released.
    async let late = code { try await host.flow("x").answer(Form.self, with: "late") }
    await gate.reached(1)
    let report = try await host.purge(endedBefore: clock.now)
    #expect(report.purged.isEmpty && (report.kept["x"] as? FlowStoreError)?.code == .leased)
    async let purged: Void = host.flow("x").purge(endedBefore: clock.now)
    gate.open()
    try await purged
    #expect(await late == .flowEnded)
    #expect(try await host.list().flows.isEmpty)
  }

  @Test("a purged flow is remembered as a deleted one is")
  func remembered() async throws {
    var options = FlowHost.Options()
    options.rememberEnded = .seconds(3_600)
    let (host, flows) = try await host(options)
    try await ended("x", host, flows, by: "yes")
    clock.advance(by: .seconds(1))
    #expect(try await host.purge(endedBefore: clock.now).purged == ["x"])
    #expect(await code { try await flows.start(id: "x", with: "-") } == .alreadyStarted)
  }
}

/// Fails to undo the input `stuck`.
private actor Undone: FlowStep {
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("input") { _ in input }
  }

  func backUp(context: RollbackContext) async throws {
    if case .done("stuck") = await context.record("input", as: String.self) { throw Boom() }
  }
}
