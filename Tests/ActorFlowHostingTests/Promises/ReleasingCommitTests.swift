import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Commits that end the flow's lease, so that the host need not release it.
@Suite("Commits that release", .timeLimit(.minutes(15))) struct ReleasingCommitTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let faulty: FaultyStore<MemoryFlowStore>

  init() {
    store = MemoryFlowStore(clock: clock)
    faulty = FaultyStore(store)
  }

  private func ask(_ name: String) -> Ask<String, Form> { Ask(name) { (text: String) in Form(text: text) } }

  private var chain: Flow<String, String> {
    Flow("f") {
      ask("a")
      ask("b")
      ask("c")
    }
  }

  private var mixed: Flow<String, String> {
    Flow("f") {
      ask("a")
      Step("b") { Asker() }
    }
  }

  private func host(_ owner: String = "host", keepHot: Duration = .zero) throws -> FlowHost {
    var options = FlowHost.Options()
    options.keepHot = keepHot
    options.pollInterval = .seconds(3_600)
    return try FlowHost(store: faulty, clock: clock, owner: owner, options: options)
  }

  /// A host whose flow `x` waits at its first question, passivated.
  private func asking(_ flow: Flow<String, String>) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    let host = try host()
    let flows = try await host.register(flow)
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    return (host, flows)
  }

  private func question() async throws -> Question.ID {
    try #require(
      try await store.tasks(TaskQuery(), after: nil, limit: 1).tasks.first.flatMap { Question.ID($0.task.question) })
  }

  /// Returns the calls of an answer until the flow has left memory.
  private func calls(at host: FlowHost, _ text: String) async throws -> [StoreCall.Operation] {
    let before = faulty.calls.count
    try await host.flow("x").answer(question(), with: text)
    await host.isQuiet()
    return faulty.calls.dropFirst(before).map(\.operation)
  }

  private var isLeased: Bool { store.state.withLock { $0.leases["x"] != nil } }

  // MARK: - Counts

  @Test("an answer to an ask before another one is two store calls: one that leases and one that writes and releases")
  func chainOfAsks() async throws {
    let (host, flows) = try await asking(chain)
    #expect(try await calls(at: host, "1") == [.acquire, .commit])
    #expect(try await calls(at: host, "2") == [.acquire, .commit])
    #expect(!isLeased)
    #expect(try await calls(at: host, "3") == [.acquire, .commit, .commit], "the answer, then the end")
    #expect(!isLeased)
    #expect(try await flows.outcome(of: "x") == .finished("3"))
  }

  @Test("a step with code of its own keeps the lease until its code has ended, and the end of a flow releases")
  func steps() async throws {
    let (host, flows) = try await asking(mixed)
    #expect(try await calls(at: host, "1") == [.acquire, .commit, .commit, .release])
    #expect(try await calls(at: host, "2") == [.acquire, .commit, .commit])
    #expect(!isLeased)
    #expect(try await flows.outcome(of: "x") == .finished("12"))
  }

  @Test("of a flow that stays hot, an answer to an ask is one store call, and one to a step is two")
  func hot() async throws {
    let host = try host(keepHot: .seconds(60))
    try await host.register(
      Flow("f") {
        ask("a")
        ask("b")
        Step("c") { Asker() }
        Step("d") { Asker() }
      }
    ).start(id: "x", with: "-")
    for expected in [["a", "commit"], ["b", "commit", "commit"], ["c", "commit", "commit"]] {
      _ = try await host.flow("x").settled()
      let before = faulty.calls.count
      try await host.flow("x").answer(Form.self, with: "1")
      _ = try await host.flow("x").settled()
      let calls = faulty.calls.dropFirst(before).map { "\($0.operation)" }.filter { $0 != "load" }
      #expect(calls == Array(expected.dropFirst()), "\(expected[0])")
    }
    try await host.shutDown()
  }

  // MARK: - Others at the same time

  @Test("another host can take the flow at once, while the first one still handles the answer")
  func otherHost() async throws {
    let (host, _) = try await asking(chain)
    let other = FlowHost(store: store, clock: clock, owner: "other")
    try await other.register(chain)
    try await host.flow("x").answer(question(), with: "1")
    try await other.flow("x").answer(question(), with: "2")
    try await host.flow("x").answer(question(), with: "3")
    #expect(try await host.flow("x").settled().status == .finished)
    let history = try await host.flow("x").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    #expect(history.filter { $0.what == "answered" }.count == 3)
  }

  @Test("a caller that comes during the commit waits, and takes the flow again")
  func callerDuringCommit() async throws {
    let (host, _) = try await asking(chain)
    let gate = Gate()
    faulty.plan { $0.operation == .commit ? .delay { await gate.pass() } : nil }
    let first = try await question()
    async let answered = host.flow("x").answer(first, with: "1")
    await gate.reached(1)
    async let abandoned = host.flow("x").abandon(reason: "late")
    faulty.plan { _ in nil }
    gate.open()
    #expect(try await answered.questions.count == 1)
    #expect(try await abandoned.status == .abandoned)
    await host.isQuiet()
    #expect(!isLeased)
  }

  @Test("while somebody else uses the flow, the answer does not release it")
  func usedByOthers() async throws {
    let (host, _) = try await asking(chain)
    let flow = try await host.take("x")
    let before = faulty.calls.count
    try await host.flow("x").answer(question(), with: "1")
    await host.release(flow)
    await host.isQuiet()
    #expect(faulty.calls.dropFirst(before).map(\.operation) == [.commit, .release])
  }

  // MARK: - Failures

  @Test("a commit that fails leaves the flow and its lease as they were, and the answer can be given again")
  func refused() async throws {
    let (host, _) = try await asking(chain)
    let first = try await question()
    let commit = faulty.count(of: .commit) + 1
    faulty.plan { $0.operation == .commit && $0.numberOfOperation == commit ? .fail(.unavailable) : nil }
    await #expect(throws: FlowStoreError.self) { try await host.flow("x").answer(first, with: "1") }
    #expect(try await question() == first)
    try await host.flow("x").answer(first, with: "1")
    #expect(try await question() != first)
    await host.isQuiet()
    #expect(!isLeased)
  }

  /// Loses the reply to the next commit, and holds its repetition.
  private func loseNextReply(holdingAt gate: Gate) {
    let commit = faulty.count(of: .commit) + 1
    faulty.plan { call in
      guard call.operation == .commit else { return nil }
      if call.numberOfOperation == commit { return .loseAcknowledgement }
      return .delay { await gate.pass() }
    }
  }

  @Test("a commit whose reply is lost is repeated, and takes the lease from nobody who has got it meanwhile")
  func lostReply() async throws {
    let (host, _) = try await asking(chain)
    let other = FlowHost(store: store, clock: clock, owner: "other")
    try await other.register(chain)
    let (first, gate) = (try await question(), Gate())
    loseNextReply(holdingAt: gate)
    async let answered = host.flow("x").answer(first, with: "1", key: "k")
    await gate.reached(1)
    // The write is done, and the other host takes the flow before the repetition.
    let flow = try await other.take("x")
    #expect(isLeased)
    gate.open()
    #expect(try await answered.id == "x")
    await host.isQuiet()
    #expect(isLeased, "by the other host")
    await other.release(flow)
    await other.isQuiet()
    #expect(!isLeased)
    let history = try await host.flow("x").history()
    #expect(history.filter { $0.what == "answered" }.count == 1)
  }

  @Test("an answer whose reply is lost is found by its key, if another host has written the flow before the repetition")
  func lostReplyAndWritten() async throws {
    let (host, _) = try await asking(chain)
    let other = FlowHost(store: store, clock: clock, owner: "other")
    try await other.register(chain)
    let (first, gate) = (try await question(), Gate())
    loseNextReply(holdingAt: gate)
    async let answered = host.flow("x").answer(first, with: "1", key: "k")
    await gate.reached(1)
    try await other.flow("x").answer(question(), with: "2")
    gate.open()
    #expect(try await answered.id == "x")
    #expect(try await host.flow("x").history().filter { $0.what == "answered" }.count == 2)
    await host.isQuiet()
    await other.isQuiet()
    #expect(!isLeased)
  }

  @Test("a flow that this host claims before it has heard of the release is given back, and runs afterwards")
  func claimedMeanwhile() async throws {
    let host = try host()
    try await host.register(
      Flow("f") {
        ask("a")
        ask("b")
      }.timeout(.seconds(60))
    ).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let run = Task { try await host.run() }
    try await clock.waitForSleepers(2)
    // The commit reaches the store, and its reply comes only when the timer is due and the flow was claimed.
    let (gate, released, first) = (Gate(), Gate(), try await question())
    let commit = faulty.count(of: .commit) + 1
    faulty.plan { call in
      if call.operation == .release { return .holdReply { released.mark() } }
      guard call.operation == .commit else { return nil }
      if call.numberOfOperation == commit { return .loseAcknowledgement }
      return .delay { await gate.pass() }
    }
    async let answered = host.flow("x").answer(first, with: "1")
    await gate.reached(1)
    clock.advance(by: .seconds(61))
    await released.reached(1)
    #expect(!isLeased)
    gate.open()
    #expect(try await answered.id == "x")
    // The timer fires without a request.
    for try await entry in host.flow("x").news() where entry.what == "suspended" { break }
    #expect(try await host.flow("x").view().status == .suspended)
    run.cancel()
    try await run.value
  }
}
