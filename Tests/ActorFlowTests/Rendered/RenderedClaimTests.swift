import ActorFlowTesting
import Testing

@testable import ActorFlow

/// An answer that was overtaken three times keeps other actions out while it is validated once more.
@Suite("Rendered steps: overtaken answers") struct RenderedClaimTests {
  /// A board whose answer `slow` is overtaken three times; the fourth time `last` arrives before it is valid.
  private struct Claimed {
    let reached = Checkpoint()
    /// Passed when an effect `a` is about to send an action that must wait.
    let sending = Checkpoint()
    var script = BoardScript(first: BoardState(effects: ["a"]))

    init(last: @escaping @Sendable () async throws -> Void) {
      let count = Count()
      script.check = { [reached] view, action in
        guard action == .add("slow") else { return }
        if count.next() <= 3 {
          #expect(await view.sink(.add("t")))
        } else {
          reached.mark()
          try await last()
        }
      }
      script.work = { [reached, sending] _, sink in
        await reached.reached()
        sending.mark()
        await sink(.add("e"))
      }
    }

    /// Starts the answer, and returns when it keeps others out.
    func begin(_ flow: Launched<String>) async throws -> Task<Void, any Error> {
      let id = try #require(try await flow.coordinator.settled().questions.first?.id)
      let slow = Task { try await flow.coordinator.answer(id, with: BoardAction.add("slow")) }
      await reached.reached()
      await sending.reached()
      return slow
    }
  }

  @Test("an answer is accepted although the rendering changes faster than it is validated: in the end others wait")
  func others() async throws {
    let gate = Checkpoint()
    var claimed = Claimed { await gate.pass() }
    claimed.script.first = BoardState()
    let flow = launch(.board(claimed.script), with: "")
    _ = try await flow.coordinator.settled()
    let sink = try #require(await flow.board?.sink)
    claimed.sending.mark()
    let slow = try await claimed.begin(flow)
    async let other = sink(.add("u"))
    gate.open()
    try await slow.value
    #expect(await other)
    #expect(await flow.board?.line == "tttslowu")
    try await flow.act(.out(""))
    _ = await flow.result
  }

  @Test("other actions continue when the last validation refuses")
  func refused() async throws {
    let claimed = Claimed { throw Failure("no") }
    let flow = launch(.board(claimed.script), with: "")
    let slow = try await claimed.begin(flow)
    #expect(await error(of: slow) as? Failure == Failure("no"))
    try await flow.act(.add("u"), .out("x"))
    #expect(try await flow.result.get() == "x")
  }

  private static let leaves: [(String, @Sendable (Launched<String>) async throws -> Void)] = [
    ("abandon", { try await $0.coordinator.abandon() }),
    ("back", { try await $0.coordinator.backUp() }),
    ("cancel", { flow in flow.run.cancel() }),
  ]

  /// A flow around the board, so that a back has a target.
  private func flow(_ script: BoardScript) -> Flow<String, String> {
    Flow {
      Step("before") { Asker() }
      Flow<String, String>.board(script)
    }
  }

  @Test(
    "a leave does not wait for a validation, even if an effect waits in its sink for that validation",
    arguments: 0..<leaves.count, [false, true])
  func leave(_ number: Int, commits: Bool) async throws {
    let gate = Checkpoint()
    let claimed = Claimed { await gate.pass() }
    let flow = commits ? CommitHook().launch(flow(claimed.script)) : launch(flow(claimed.script), with: "")
    try await flow.answer("x")
    let slow = try await claimed.begin(flow)
    try await Self.leaves[number].1(flow)
    if number == 1 { try await flow.coordinator.abandon() }
    _ = await flow.result
    gate.open()
    let error = await error(of: slow) as? FlowError
    #expect(error?.code == .questionClosed || error?.code == .flowEnded)
  }

  @Test("a validation that leaves the flow runs to its end", arguments: [false, true])
  func abandonsItself(commits: Bool) async throws {
    let coordinator = Handover<FlowCoordinator>()
    let claimed = Claimed { try await coordinator.value()?.abandon() }
    let flow = commits ? CommitHook().launch(.board(claimed.script)) : launch(.board(claimed.script), with: "")
    coordinator.give(flow.coordinator)
    let slow = try await claimed.begin(flow)
    #expect(await flow.code == .abandoned)
    #expect((await error(of: slow) as? FlowError)?.code == .flowEnded)
  }

  @Test("a timeout does not wait for a validation")
  func timesOut() async throws {
    let (gate, clock) = (Checkpoint(), ManualClock())
    let claimed = Claimed { await gate.pass() }
    let flow = launch(
      Flow {
        Step("board") { (name: String) in Board(name: name, script: claimed.script) }.timeout(.seconds(10))
      }, with: "", on: FlowCoordinator(clock: clock))
    let slow = try await claimed.begin(flow)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(await flow.code == .timedOut)
    gate.open()
    _ = await slow.result
  }

  @Test("another attempt of a step that fails meanwhile begins at once, and accepts actions")
  func retried() async throws {
    let (gate, failing) = (Checkpoint(), Checkpoint())
    var claimed = Claimed { await gate.pass() }
    claimed.script.first = BoardState(effects: ["a", "b"])
    let work = claimed.script.work
    let attempts = Count()
    claimed.script.work = { key, sink in
      if key == "a" { return try await work(key, sink) }
      await failing.pass()
      if attempts.next() == 1 { throw Failure("effect") }
    }
    let script = claimed.script
    let flow = launch(
      Flow { Step("board") { (name: String) in Board(name: name, script: script) }.retry(2) }, with: "")
    let slow = try await claimed.begin(flow)
    failing.open()
    _ = await event("caught board retry, attempt 2", of: flow.coordinator)
    try await flow.act(.add("u"))
    gate.open()
    #expect((await error(of: slow) as? FlowError)?.code == .questionClosed)
    try await flow.act(.out("x"))
    #expect(try await flow.result.get() == "x")
  }

  // MARK: - Without a task

  @Test("a claim is granted after three times, to one answer at a time, and kept until it ends")
  func policy() {
    var turns = ActionTurns()
    var attempts = [ActionAttempt.first(), .first()]
    for _ in 0..<2 { attempts = attempts.map { turns.overtake($0) } }
    #expect(attempts.allSatisfy { $0.claim == nil })
    attempts = attempts.map { turns.overtake($0) }
    #expect(attempts.map(\.claim) == [1, nil])
    #expect(turns.admits(1) && !turns.admits(nil) && !turns.begin(nil))
    #expect(turns.overtake(attempts[0]).claim == 1)
    _ = turns.endClaim(1)
    #expect(turns.admits(nil) && turns.overtake(attempts[1]).claim == 2)
    _ = turns.endClaim(1)  // has ended long ago
    #expect(!turns.admits(nil))
    _ = turns.endClaim()
    #expect(turns.admits(nil))
  }
}
