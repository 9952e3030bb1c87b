import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A second version with other branches is deployed for some flows, and perhaps taken back, by hosts that die at each
/// call of their store in turn, beside another host that lives.
@Suite("Branches that move while hosts die", .timeLimit(.minutes(15))) struct BranchMoveDeathTests {
  private static let first = both(ask("a"), ask("b"))
  /// The first branch is lost, and the last one is new.
  private static let second = both(ask("b"), ask("c"))
  private static let there: [Move] = [.branches(of: "pay/parallel", from: [1, nil], forgettingSteps: true)]
  private static let back: [Move] = [.branches(of: "pay/parallel", from: [nil, 0], forgettingSteps: true)]

  /// The flows, each with the branch that is answered before the deploy.
  private static let flows: [(id: FlowID, answered: String)] = [("moves", "b"), ("lost", "a"), ("stays", "a")]

  private let clock = ManualWallClock()
  private let base: MemoryFlowStore

  init() { base = MemoryFlowStore(clock: clock) }

  /// A host that has the second version for the flows that are not to stay, or has taken it back.
  private func host(_ owner: String, on store: any FlowStore, isTakenBack: Bool = false) async throws -> FlowHost {
    let host = FlowHost(store: store, clock: clock, owner: owner)
    if isTakenBack {
      try await host.register(Self.first, from: 2, moves: Self.back)
    } else {
      try await host.register(Self.first)
      try await host.register(Self.second, version: 2, from: 1, moves: Self.there) { $0.labels["stays"] == nil }
    }
    return host
  }

  private func begin() async throws {
    let host = FlowHost(store: base, clock: clock, owner: "host")
    let flows = try await host.register(Self.first)
    for (id, answered) in Self.flows {
      try await flows.start(id: id, with: "", labels: id == "stays" ? ["stays": "yes"] : [:])
      try await answer(answered, of: id, at: host)
    }
    await host.isQuiet()
    await host.die()
  }

  private func answer(_ step: String, of id: FlowID, at host: FlowHost) async throws {
    let question = try await host.flow(id).settled().questions.first { $0.step.name == step }
    _ = try await host.flow(id).answer(try #require(question, "\(id): \(step)").id, json: "\"\(step)\"".utf8)
  }

  /// Answers what is asked, with the names of the steps, until the flow ends.
  private func finish(_ id: FlowID, at host: FlowHost) async throws -> FlowView {
    while true {
      let view = try await host.flow(id).settled()
      guard let question = view.questions.first else { return view }
      do { _ = try await host.flow(id).answer(question.id, json: "\"\(question.step.name)\"".utf8) } catch let error
        as FlowError where [.questionClosed, .flowEnded, .noSuchQuestion].contains(error.code)
      {
        // The view was of the flow before it moved.
        await Task.yield()
      }
    }
  }

  /// Plays a deploy by a host that dies at a call of its store. Returns whether it has died, and the moves of all flows.
  private func deploy(dyingAt call: Int, isTakenBack: Bool) async throws -> (hasDied: Bool, moves: Set<[String]>) {
    try await begin()
    let left = Lock(call)
    let mortal = FaultyStore(base) { made in
      left.withLock { left in
        left -= 1
        guard left < 0 else { return nil }
        // The last commit may reach the store without an acknowledgement.
        return left == -1 && call % 2 == 0 && made.operation == .commit ? .loseAcknowledgement : .fail(.unavailable)
      }
    }
    // What the host could not do is done by the next one.
    if let dying = try? await host("host", on: mortal) {
      for (id, _) in Self.flows { _ = try? await dying.flow(id).refresh(reason: "deployed", key: "deployed") }
      if left.withLock({ $0 >= 0 }) { await dying.isQuiet() }
      await dying.die()
    }
    let hasDied = left.withLock { $0 < 0 }
    let next = try await host("host", on: base, isTakenBack: isTakenBack)
    let other = try await host("other", on: base, isTakenBack: isTakenBack)
    // The host of the same name takes over what the dead one had.
    for host in [next, other] {
      try await host.catchUp()
      await host.isQuiet()
    }
    var all: Set<[String]> = []
    for (index, (id, _)) in Self.flows.enumerated() {
      let view = try await finish(id, at: index % 2 == 0 ? next : other)
      let moves = try await next.flow(id).history().compactMap(\.detail).filter { $0.contains("→") }
      all.insert(moves)
      let output = view.output.map { String(decoding: $0, as: UTF8.self) }
      let stays = id == "stays" || isTakenBack
      #expect(view.status == .finished && output == (stays ? #""a|b""# : #""b|c""#), "\(id), the call \(call)")
      #expect(view.version == (stays ? 1 : 2), "\(id), the call \(call)")
      let expected = id == "stays" ? [[]] : isTakenBack ? [[], Self.whole] : [["1 → 2"]]
      #expect(expected.contains(moves), "\(id), the call \(call): \(moves)")
    }
    await next.isQuiet()
    await other.isQuiet()
    await next.die()
    await other.die()
    return (hasDied, all)
  }

  private static let whole = ["1 → 2", "2 → 1"]

  @Test(
    "a deploy that gains and loses branches is made once for each flow that it takes, and can be taken back",
    arguments: [false, true])
  func deaths(isTakenBack: Bool) async throws {
    var (call, seen): (Int, Set<[String]>) = (0, [])
    while true {
      let played = try await BranchMoveDeathTests().deploy(dyingAt: call, isTakenBack: isTakenBack)
      seen.formUnion(played.moves)
      guard played.hasDied else { break }
      call += 1
    }
    #expect(call > 20 && (!isTakenBack || seen.contains(Self.whole)), "\(call): \(seen)")
  }
}
