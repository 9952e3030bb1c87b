import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Flows that are deleted", .timeLimit(.minutes(15))) struct DeletingTests {
  private struct Keyed: BodyCodec {
    let key: UInt8
    func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { [key] + body }
    func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
      guard body.first == key else { throw Boom() }
      return Array(body.dropFirst())
    }
  }

  private let flow = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  private func host(_ store: any FlowStore, key: UInt8 = 1) throws -> FlowHost {
    var options = FlowHost.Options()
    options.codec = Keyed(key: key)
    return try FlowHost(store: store, options: options)
  }

  private func expectGone(_ host: FlowHost, _ id: FlowID) async throws {
    #expect(await code { try await host.flow(id).view() } == .noSuchFlow)
    #expect(await code { try await host.flow(id).delete() } == .noSuchFlow)
    #expect(await code { try await host.flow(id).history() } == .noSuchFlow)
    #expect(try await host.list().flows.isEmpty)
  }

  @Test("a flow is deleted by a host that has no definition of it, only another version, or cannot read it")
  func unknown() async throws {
    let folder = try Folder()
    for store in [MemoryFlowStore(), try await folder.open()] as [any FlowStore] {
      for trouble in ["definition", "version", "codec", "unmigrated"] {
        let first = try host(store)
        try await first.register(flow).start(id: "x", with: "-")
        _ = try await first.flow("x").settled()
        await first.isQuiet()
        let next = try host(store, key: trouble == "codec" ? 2 : 1)
        switch trouble {
        case "version": try await next.register(flow, version: 2)
        case "codec": try await next.register(flow)
        case "unmigrated":
          try await next.register(flow, version: 2, from: 1, where: { _ in false })
          #expect(await code { try await next.flow("x").answer(Form.self, with: "1") } == .unmigrated)
        default: break
        }
        try await next.flow("x").delete()
        try await expectGone(next, "x")
        // Nothing of the flow is left that would keep another one from using its id.
        try await first.register(flow, version: 3).start(id: "x", with: "again")
        try await first.answerNext("x", "\"1\"")
        try await first.flow("x").delete()
      }
    }
  }

  @Test("observers learn that a flow was removed: by whom it was deleted and why, or that it was purged")
  func observed() async throws {
    let (witness, clock) = (Witness(), ManualWallClock())
    let host = try FlowHost(store: MemoryFlowStore(clock: clock), clock: clock, options: .observed(by: witness))
    let flows = try await host.register(flow)
    for id in ["deleted", "purged", "live"] as [FlowID] {
      try await flows.start(id: id, with: "-")
      _ = try await host.flow(id).settled()
    }
    try await host.flow("deleted", by: Principal(id: "ann")).delete()
    try await host.flow("live", by: Principal(id: "ann")).delete(reason: "a test", by: Principal(id: "bob"))
    try await host.flow("purged").abandon()
    await host.isQuiet()
    clock.advance(by: .seconds(60))
    try await host.purge(endedBefore: clock.now)
    #expect(witness.words(of: "deleted").filter { $0.hasPrefix("removed") } == ["removed by ann"])
    #expect(witness.words(of: "live").filter { $0.hasPrefix("removed") } == ["removed by bob: a test"])
    #expect(witness.words(of: "purged").last == "removed by -")
    #expect(witness.events.last?.definition == "f" && witness.events.last?.version == 1)
  }

  @Test("a reason that is too long, or that a database cannot store, is refused, and nothing is removed")
  func badReason() async throws {
    let host = try host(MemoryFlowStore())
    try await host.register(flow).start(id: "x", with: "-")
    let long = String(repeating: "a", count: 1_025)
    #expect(await code { try await host.flow("x").delete(reason: long) } == .tooLarge)
    #expect(await code { try await host.flow("x").delete(reason: "\0") } == .notStorable)
    try await host.flow("x").delete(reason: String(long.dropLast()))
    try await expectGone(host, "x")
  }

  @Test("the guard is asked for the principal of the deletion, or else for that of the handle")
  func asksForTheirPrincipal() async throws {
    var options = FlowHost.Options()
    options.access = { verb, principal, _ in
      if verb == .delete, principal?.id != "ann" { throw Boom() }
    }
    let host = try FlowHost(store: MemoryFlowStore(), options: options)
    try await host.register(flow).start(id: "x", with: "-")
    let (ann, bob) = (Principal(id: "ann"), Principal(id: "bob"))
    await #expect(throws: Boom.self) { try await host.flow("x").delete() }
    await #expect(throws: Boom.self) { try await host.flow("x", by: ann).delete(by: bob) }
    try await host.flow("x", by: bob).delete(by: ann)
    #expect(await code { try await host.flow("x").view() } == .noSuchFlow)
  }

  @Test("a flow that is written while it is deleted is deleted all the same")
  func written() async throws {
    let clock = ManualWallClock()
    let store = MemoryFlowStore(clock: clock)
    let gate = Gate()
    let slow = FaultyStore(store) { call in
      call.operation == .delete && call.numberOfOperation == 1 ? .delay { await gate.pass() } : nil
    }
    let host = FlowHost(store: slow)
    try await host.register(flow).start(id: "x", with: "-")
    let other = FlowHost(store: store)
    try await other.register(flow)
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    async let deleted: Void = host.flow("x").delete()
    await gate.reached(1)
    // The host stalls until its beat is overdue.
    clock.advance(by: .seconds(31))
    try await other.answerNext("x", "\"1\"")
    await other.isQuiet()
    gate.open()
    try await deleted
    try await expectGone(host, "x")
  }

  @Test("a request to a flow that is being deleted succeeds, or fails because there is no such flow")
  func races() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(flow)
    for round in 0..<300 {
      let id = FlowID("r\(round)")
      try await flows.start(id: id, with: "-")
      let question = try #require(try await host.flow(id).settled().questions.first?.id)
      let requests: [@Sendable () async throws -> Void] = [
        { try await host.flow(id).answer(question, with: "1", key: "1") },
        { try await host.flow(id).answer(question, with: "2", key: "2") },
        { try await host.flow(id).answer(Form.self, with: "3") },
        { try await host.flow(id).send(1, to: Signal<Int>("s"), key: "s") },
        { try await host.flow(id).backUp() },
        { if round % 2 == 0 { try await host.flow(id).abandon() } },
        { _ = try await host.flow(id).settled() },
        { try await host.flow(id).delete() },
      ]
      await withTaskGroup { group in
        for request in requests { group.addTask { await Self.expectCode(request) } }
      }
      #expect(await code { try await host.flow(id).view() } == .noSuchFlow)
    }
    await host.isQuiet()
  }

  private static func expectCode(_ request: () async throws -> Void) async {
    do { try await request() } catch {
      let codes: [FlowError.Code] = [
        .noSuchFlow, .questionClosed, .noSuchQuestion, .flowEnded, .cannotBackUp, .moving, .ending,
      ]
      #expect((error as? FlowError).map { codes.contains($0.code) } == true, "\(error)")
    }
  }
}
