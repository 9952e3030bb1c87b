package import ActorFlow
package import ActorFlowHosting
package import ActorFlowTesting

/// A program that a host runs. Another host may replace the host, as after a crash.
package final class HostArena: Arena {
  package static let id: FlowID = "flow"
  package let world: World
  package let clock: ManualWallClock
  private let current: Lock<FlowHost>
  private let requests = Lock(0)
  private let played = Lock<Set<Verb>>([])
  /// Whether a failed step suspends the flow, to be retried or abandoned. If not, the flow rolls back.
  package let suspendsOnFailure: Bool
  private let transactions: Transactions?
  /// Another running host of the same store, and the source of choices between the two.
  private let other: Other?
  /// The number of acknowledged requests of each kind, by the word of their entry in the history.
  private let acknowledged = Lock<[String: Int]>([:])

  /// The transactions in which an arena makes some of the requests.
  package final class Transactions: Sendable {
    let random: Lock<Chance>
    let begin: @Sendable () -> any TestTransaction

    package init(seed: UInt64, _ begin: @escaping @Sendable () -> any TestTransaction) {
      random = Lock(Chance(seed: seed))
      self.begin = begin
    }
  }

  package init(
    _ world: World, _ clock: ManualWallClock, _ host: FlowHost, beside other: (host: FlowHost, seed: UInt64)? = nil,
    suspendsOnFailure: Bool = false, in transactions: Transactions? = nil
  ) {
    self.other = other.map { Other($0.host, seed: $0.seed) }
    (self.world, self.clock, self.suspendsOnFailure) = (world, clock, suspendsOnFailure)
    self.transactions = transactions
    current = Lock(host)
  }

  /// Makes a request, some of them in a transaction that is committed, rolled back, settled or forgotten.
  private func request(
    _ request: (HostedFlow) async throws -> FlowView,
    inTransaction change: (HostedFlow, any TestTransaction) async throws -> PendingChange
  ) async -> String {
    let flow = host.flow(Self.id)
    guard let transactions, transactions.random.withLock({ $0.percent(25) }) else {
      return await outcome { _ = try await request(flow) }
    }
    note(.transaction)
    let transaction = transactions.begin()
    let (commits, settles, isLate, turns) = transactions.random.withLock { random in
      (random.percent(70), random.percent(80), random.percent(10), random.below(30))
    }
    return await outcome {
      var change: PendingChange? = try await change(flow, transaction)
      for _ in 0..<turns { await Task.yield() }
      if isLate { clock.advance(by: .seconds(11)) }
      // A lost reply is settled as well.
      _ = try? await transaction.end(committing: commits)
      if settles { _ = try await change?.settle() }
      change = nil
    }
  }

  private final class Other: Sendable {
    let host: FlowHost
    let random: Lock<Chance>

    init(_ host: FlowHost, seed: UInt64) {
      self.host = host
      random = Lock(Chance(seed: seed))
    }
  }

  /// The host of the next request: one of two at random if there is another.
  package var host: FlowHost {
    get {
      if let other, other.random.withLock({ $0.percent(50) }) { return other.host }
      return current.withLock { $0 }
    }
    set { current.withLock { $0 = newValue } }
  }

  /// The verbs that attackers have played, whether the host accepted or refused them.
  var verbs: Set<Verb> { played.withLock { $0 } }

  private func note(_ verb: Verb) { played.withLock { _ = $0.insert(verb) } }

  /// The key of a request, under which it may be repeated after a crash.
  package func newKey() -> String {
    requests.withLock { number in
      number += 1
      return "r\(number)"
    }
  }

  package var hasEnded: Bool {
    get async {
      guard let view = try? await host.flow(Self.id).view() else { return false }
      return switch view.status {
      case .finished, .failed, .abandoned, .cancelled, .unmigrated: true
      case .suspended: !suspendsOnFailure
      default: false
      }
    }
  }

  package var questions: [AskedQuestion] {
    get async {
      guard let view = try? await host.flow(Self.id).view() else { return [] }
      return view.questions.map { question in
        AskedQuestion(
          id: question.id, step: question.step.name, text: (try? question.prompt(as: Form.self))?.text ?? "?")
      }
    }
  }

  package func answer(_ question: Question.ID, with command: Command) async -> String {
    note(.answer)
    let key = newKey()
    return await request {
      try await $0.answer(question, with: command, by: .player, key: key)
    } inTransaction: {
      try await $0.answer(question, with: command, by: .player, key: key, in: $1)
    }
  }

  package func send(_ value: Int, to signal: String, key: String?) async -> String {
    note(.send)
    do { return "\(try await host.flow(Self.id).send(value, to: Signal<Int>(signal), key: key ?? newKey()))" } catch {
      return word(for: error)
    }
  }

  package func backUp(to step: String?) async -> String {
    note(.backUp)
    let key = newKey()
    return await request {
      try await $0.backUp(to: step.map { StepID($0) }, key: key)
    } inTransaction: {
      try await $0.backUp(to: step.map { StepID($0) }, key: key, in: $1)
    }
  }

  package func backUp(from question: Question.ID) async -> String {
    await outcome { try await host.flow(Self.id).backUp(from: question, key: newKey()) }
  }

  package func abandon(rollingBack: Bool) async -> String {
    note(.abandon)
    let key = newKey()
    return await request {
      try await $0.abandon(reason: "outside", rollingBack: rollingBack, key: key)
    } inTransaction: {
      try await $0.abandon(reason: "outside", rollingBack: rollingBack, key: key, in: $1)
    }
  }

  package func retry() async {
    guard let view = try? await host.flow(Self.id).view(), isSuspended(view) else { return }
    note(.retry)
    await acknowledging("retried") { try await $0.retry(reason: "again", by: .player, key: newKey()) }
  }

  package func complete(_ step: String, with number: Int, of program: Program) async -> String {
    guard let json = try? program.completion(of: step, with: Value(number, trail: "="), orAnswer: number) else {
      return "noSuchStep"
    }
    note(.complete)
    return await outcome {
      try await host.flow(Self.id).complete(StepID(step), output: json, reason: "outside", by: .player, key: newKey())
    }
  }

  package func enter(_ step: String, with number: Int, of program: Program) async -> String {
    guard let entering = try? program.entering(step, with: Value(number, trail: "^")) else { return "noSuchStep" }
    note(.enter)
    return await outcome {
      try await host.flow(Self.id).enter(
        StepID(step), input: entering.json, reason: "outside", by: .player, key: newKey())
    }
  }

  package func reassign(_ question: Question.ID) async {
    note(.reassign)
    _ = try? await host.flow(Self.id).reassign(
      question, to: ["p1", "player"], reason: "outside", by: .player, key: newKey())
  }

  package func edit() async {
    note(.editNothing)
    await acknowledging("edited") {
      try await $0.edit([.custom { _ in }], reason: "outside", by: .player, key: newKey())
    }
  }

  package func compensateAgain() async {
    guard world.callsAgain else { return }
    note(.compensateAgain)
    _ = try? await host.flow(Self.id).compensateAgain(reason: "outside", by: .player, key: newKey())
  }

  package func redact() async {
    note(.redact)
    guard let view = try? await host.flow(Self.id).redact(reason: "outside", by: .player) else { return }
    if !view.status.isTerminal { world.report("rule 2: a flow was redacted that is \(view.status)") }
  }

  package func refresh() async {
    note(.refresh)
    await acknowledging("refreshed") { try await $0.refresh(reason: "outside", by: .player, key: newKey()) }
  }

  /// Has the flow move to a newer version, of which there is none outside of a rolling deploy.
  package func move() async {
    note(.move)
    // Refused if the flow has ended, or if its host dies: the flow is as it was.
    _ = try? await host.flow(Self.id).move(reason: "outside", by: .player, key: newKey())
  }

  package func note() async {
    note(.note)
    await acknowledging("noted") { try await $0.note("seen", by: .player, key: newKey()) }
  }

  /// Makes a request, and counts it if it is acknowledged.
  private func acknowledging(_ word: String, _ request: (HostedFlow) async throws -> Void) async {
    do { try await request(host.flow(Self.id)) } catch { return }
    acknowledged.withLock { $0[word, default: 0] += 1 }
  }

  /// Checks that each acknowledged request is in the history once, each refused one is not, and no entry is missing.
  func checkAcknowledged(in history: [HistoryEntry]) throws(Violation) {
    for (word, count) in acknowledged.withLock({ $0 }) {
      try expectEqual(history.count { $0.what == word }, count, "how often the history says \(word)")
    }
    try expectEqual(history.map(\.sequence), Array(1...max(1, history.count)), "the numbers of the history")
  }

  private func isSuspended(_ view: FlowView) -> Bool { suspendsOnFailure && view.status == .suspended }

  package func cancelCaller() {}

  package func advance(by time: Duration) async { clock.advance(by: time) }
}

extension [HistoryEntry] {
  /// Whether the flow was rolled back to its end. What operators do after the end does not count: a retry of the
  /// `backUp`s that threw is no rollback of a flow whose effects were to stay.
  var isRolledBack: Bool {
    guard let end = lastIndex(where: { ["abandoned", "failed", "cancelled"].contains($0.what) }) else { return false }
    return self[end...].prefix { $0.what != "retried" }.contains { $0.what == "rolledBack" }
  }
}

extension HostTester {
  /// Registers a program with each host. A failed step rolls the flow back, as in memory, or suspends it.
  func deploy(
    _ program: Program, in world: World, suspendsOnFailure: Bool = false
  ) async throws -> DeployedFlow<Value, Value> {
    try await deploy { host in
      let session = world.newHostSession()
      let policy: FailurePolicy = suspendsOnFailure ? .suspend : .rollBack
      let first = try program.flow(in: session).onFailure(policy)
      let second = try program.flow(in: session.ofSecondVersion).onFailure(policy)
      let names = world.renamed.sorted().map { (StepID($0), StepID(world.secondName(of: $0))) }
      let signals = StoredTypes.signal(Signal<Int>("x")) + .signal(Signal<Int>("y"))
      switch world.release {
      case .first: return try await host.register(first, stores: signals)
      case .second(let admits):
        try await host.register(first, stores: signals)
        return try await host.register(
          second, version: 2, from: 1, moves: names.map { .rename($0, to: $1) }, where: { _ in admits },
          stores: signals)
      case .takenBack:
        try await host.register(second, version: 2, stores: signals)
        return try await host.register(first, from: 2, moves: names.map { .rename($1, to: $0) }, stores: signals)
      }
    }
  }
}
