import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("Moves of some flows only, and back", .timeLimit(.minutes(15))) struct ConditionalMoveTests {
  private let store = MemoryFlowStore()

  /// Asks, pays, and asks whether to ship.
  private func checkout(_ last: String) -> Asking {
    Flow("checkout") {
      Step("pay") { (input: String, context: StepContext) in
        let card = try await context.ask(Form(text: "card"))
        return try await context.once("charge") { _ in input + card }
      }
      ask(last)
    }
  }

  private let charge = StoredTypes.record("charge", String.self)
  private let moves: [Move] = [.rename("checkout/ship", to: "checkout/send")]

  /// Begins this many flows; those with an odd number pay.
  private func begin(_ count: Int) async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(checkout("ship"))
    for number in 0..<count {
      let id = FlowID("\(number)")
      try await flows.start(id: id, with: "-", labels: ["tenant": number < 4 ? "a" : "b"])
      if number % 2 == 1 { try await host.answerNext(id, "\"1\"") }
      _ = try await host.flow(id).settled()
    }
    await host.isQuiet()
  }

  /// Answers each flow once, and returns the versions that they then have: a flow moves with its next commit.
  private func versions(_ host: FlowHost, _ count: Int) async throws -> [Int] {
    var versions: [Int] = []
    for number in 0..<count {
      try await host.answerNext(FlowID("\(number)"), "\"1\"")
      versions.append(try await host.flow(FlowID("\(number)")).settled().version)
    }
    return versions
  }

  @Test("only flows without a record of a charge move; the others end on their version")
  func unpaid() async throws {
    try await begin(6)
    let host = FlowHost(store: store)
    let first = try await host.register(checkout("ship"), stores: charge)
    try await host.register(
      checkout("send"), version: 2, from: 1, moves: moves,
      where: { !$0.state.hasRecord(of: "pay", key: "charge") }, stores: charge)
    #expect(try await host.plan().counts == (3, 3, 0, 0))
    #expect(try await versions(host, 6) == [2, 1, 2, 1, 2, 1])
    #expect(try await first.outcome(of: "1") == .finished("-11"))
    // A flow that has moved may pay: it was asked about when it left its version.
    #expect(try await host.flow("0").view().questions.map(\.step.name) == ["send"])
    await host.isQuiet()
    #expect(try await host.plan().counts == (3, 0, 0, 0))
  }

  @Test("an operator moves many flows now: the history says who and why, and inboxes show the new version")
  func moved() async throws {
    try await begin(6)
    let host = FlowHost(store: store)
    try await host.register(checkout("ship"), stores: charge)
    try await host.register(
      checkout("send"), version: 2, from: 1, moves: moves,
      where: { !$0.state.hasRecord(of: "pay", key: "charge") }, stores: charge)
    let cleo = Principal(id: "cleo")
    try await host.flow("4").note("moved beforehand", by: cleo)
    await host.isQuiet()
    #expect(try await host.list(FlowQuery(definition: "checkout")).flows.map(\.version) == [1, 1, 1, 1, 2, 1])
    for _ in 0..<2 {
      let report = try await host.each(FlowQuery(definition: "checkout"), by: cleo) { flow in
        try await flow.refresh(reason: "the new carrier", key: "carrier")
      }
      #expect(report.isComplete && report.done.count == 6 && report.failed.isEmpty)
    }
    await host.isQuiet()
    #expect(try await host.list(FlowQuery(definition: "checkout")).flows.map(\.version) == [2, 1, 2, 1, 2, 1])
    let history = try await host.flow("0").history()
    #expect(history.count { $0.what == "moved" && $0.detail == "1 → 2" } == 1)
    let entry = try #require(history.last)
    #expect([entry.what, entry.by, entry.detail] == ["refreshed", "cleo", "the new carrier"])
    #expect(try await host.flow("0").view().questions.map(\.step.name) == ["pay"])
  }

  @Test("flows are chosen by their labels, without the host's own")
  func labels() async throws {
    try await begin(6)
    let host = FlowHost(store: store)
    try await host.register(checkout("ship"))
    try await host.register(checkout("send"), version: 2, from: 1, moves: moves) { $0.labels == ["tenant": "b"] }
    #expect(try await versions(host, 6) == [1, 1, 1, 1, 2, 2])
  }

  @Test("a flow that is not taken, and whose version is gone, is unmigrated until it is taken")
  func unmigrated() async throws {
    try await begin(2)
    let host = FlowHost(store: store)
    try await host.register(checkout("send"), version: 2, from: 1, moves: moves) { $0.version != 1 }
    let reason = "version 2 does not take it, because of its `where:`; register the old version, too"
    #expect(try await host.plan().groups.allSatisfy { $0.fate == .unmigrated(reason) })
    #expect(await code { try await host.flow("0").answer(Form.self, with: "y") } == .unmigrated)
    #expect(try await host.flow("0").view().failure == reason)
    let later = FlowHost(store: store)
    try await later.register(checkout("send"), version: 2, from: 1, moves: moves)
    #expect(try await later.list(FlowQuery(status: [.unmigrated])).flows.isEmpty)
  }

  @Test("a flow for which the condition throws stays, and the plan says why it cannot move")
  func throwing() async throws {
    try await begin(1)
    let host = FlowHost(store: store)
    try await host.register(checkout("send"), version: 2, from: 1, moves: moves) { _ in throw Boom() }
    let fates = try await host.plan().groups.map { "\($0.fate)" }
    #expect(fates.count == 1 && fates[0].contains("it cannot move to version 2: Boom"), "\(fates)")
    try await host.register(checkout("ship"))
    #expect(try await host.plan().counts == (1, 0, 0, 0))
  }

  @Test("a share is the same for ever, is evenly spread, and depends on the name of the draw")
  func shares() async throws {
    let seen = Log()
    try await begin(1)
    let host = FlowHost(store: store)
    try await host.register(checkout("send"), version: 2, from: 1, moves: moves) {
      seen.add("\($0.share(of: "v2"))")
      return true
    }
    _ = try await host.plan()
    #expect(seen.all.first == "\(MovingFlow.share(of: "v2", flow: "0"))")
    // Stored nowhere, so a change of the function would choose other flows in the middle of a rollout.
    #expect(MovingFlow.share(of: "v2", flow: "0") == 0.55098182513835)
    for draw in ["v2", "v3", ""] {
      let shares = (0..<10_000).map { MovingFlow.share(of: draw, flow: FlowID("order-\($0)")) }
      for tenth in 0..<10 {
        let count = shares.count { Int($0 * 10) == tenth }
        #expect((880...1_120).contains(count), "\(count) of 10,000 are in the range \(tenth) of \(draw)")
      }
    }
    let both = (0..<10_000).map { FlowID("order-\($0)") }
      .count { MovingFlow.share(of: "v2", flow: $0) < 0.5 && MovingFlow.share(of: "v3", flow: $0) < 0.5 }
    #expect((2_300...2_700).contains(both))
  }

  @Test("a deploy is taken back: flows of the newer version move to the older one")
  func back() async throws {
    try await begin(1)
    let second = FlowHost(store: store)
    try await second.register(checkout("send"), version: 2, from: 1, moves: moves)
    #expect(try await versions(second, 1) == [2])
    await second.isQuiet()
    let first = FlowHost(store: store)
    let flows = try await first.register(
      checkout("ship"), from: 2, moves: [.rename("checkout/send", to: "checkout/ship")], stores: charge)
    #expect(try await first.plan().counts == (0, 1, 0, 0))
    #expect(try await versions(first, 1) == [1])
    #expect(try await flows.outcome(of: "0") == .finished("-11"))
  }

  @Test("versions that would move flows in a circle are refused, with the way, and so is a `where:` without `from:`")
  func circles() async throws {
    let host = FlowHost(store: store)
    try await host.register(checkout("a"), version: 2, from: 1)
    try await host.register(checkout("b"), version: 3, from: 2)
    let error = await #expect(throws: FlowError.self) { try await host.register(checkout("c"), version: 1, from: 3) }
    #expect(error?.message.contains("in a circle, from version 1 to 2 to 3 to 1") == true, "\(error?.message ?? "")")
    #expect(await code { try await host.register(checkout("c"), version: 4, from: 4) } == .badDefinition)
    #expect(await code { try await host.register(checkout("c"), version: 5, where: { _ in true }) } == .badDefinition)
    try await host.register(checkout("c"), version: 4, from: 3)
  }
}
