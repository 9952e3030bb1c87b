import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import RandomPrograms
import Testing

/// Races of questions and signals: many flows at once, on hosts that crash at random commits. The first outcome stays
/// decided, later questions and waits get only what is sent to them, and a waiting flow is passivated.
///
/// `ACTORFLOW_ATTACK_ROUNDS` sets how many rounds of eight flows are played (25), `ACTORFLOW_SEED` replays one
/// sequence.
@Suite("Attack: races whose losing side is given up", .timeLimit(.minutes(ProgramSettings.minutes)))
struct GivenUpAttackTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["ACTORFLOW_ATTACK_ROUNDS"].flatMap { UInt64($0) } ?? 25

  @Test("no race is decided a second time, in whatever order its tasks arrive and end")
  func attack() async throws {
    var found: [String: Int] = [:]
    var first: String?
    for seed in Chance.seed..<(Chance.seed + Self.rounds) {
      let chance = Chance(seed: seed)
      await withTaskGroup(of: String?.self) { group in
        for number in 0..<8 {
          let race = RandomRace(seed: seed << 8 + UInt64(number), number: number, chance)
          group.addTask { await race.play() }
        }
        for await finding in group {
          guard let finding else { continue }
          found[String(finding.prefix { $0 != ":" }), default: 0] += 1
          first = first ?? "\(finding), ACTORFLOW_SEED=\(seed)"
        }
      }
    }
    #expect(found.isEmpty, "\(found) of \(Self.rounds * 8); the first is \(first ?? "-")")
  }
}

/// A flow, its store, and the hosts that run it.
private struct RandomRace {
  let id: FlowID
  let chance: Chance
  /// Whether the question is asked before the wait begins, and whether it is answered.
  let asksFirst, answers: Bool
  let hasLimit, fails: Bool
  /// The turns in which each child lets other tasks go first, and whether it stops when it is cancelled meanwhile.
  let pauses: [Int]
  let stops: Bool
  /// The numbers of commits after which each host crashes.
  let deaths: [Int]
  /// Whether a signal arrives while the second question is open; it is meant for the wait after that question.
  let sendsEarly: Bool
  static let go = Signal<String>("go")

  init(seed: UInt64, number: Int, _ shared: Chance) {
    let own = Chance(seed: seed)
    id = FlowID("race-\(number)")
    chance = shared
    (asksFirst, answers) = (own.below(2) == 0, own.below(2) == 0)
    (hasLimit, fails) = (own.below(3) == 0, own.below(3) == 0)
    pauses = [own.below(4) * own.below(8), own.below(4) * own.below(8)]
    stops = own.below(2) == 0
    deaths = (0..<own.below(3)).map { _ in 1 + own.below(9) }
    sendsEarly = own.below(2) == 0
  }

  private func pause(_ turns: Int) async throws {
    for _ in 0..<turns {
      await Task.yield()
      if stops { try Task.checkCancellation() }
    }
  }

  private var flow: Flow<String, String> {
    let failures = Lock(fails ? 1 : 0)
    return Flow("race") {
      Step("step") { (_: String, context: StepContext) in
        let first = try await withThrowingTaskGroup(of: String.self) { group in
          let asks: @Sendable @concurrent () async throws -> String = {
            try await pause(pauses[0])
            return try await context.ask(Form(text: "race"))
          }
          let waits: @Sendable @concurrent () async throws -> String = {
            try await pause(pauses[1])
            guard hasLimit else { return try await context.wait(for: Self.go) }
            return try await context.wait(for: Self.go, within: .seconds(1_000)) ?? "nothing"
          }
          if asksFirst { group.addTask(operation: asks) } else { group.addTask(operation: waits) }
          if asksFirst { group.addTask(operation: waits) } else { group.addTask(operation: asks) }
          defer { group.cancelAll() }
          return try await group.next() ?? "-"
        }
        let mayFail = failures.withLock { left in
          defer { left -= 1 }
          return left > 0
        }
        if mayFail { throw Boom() }
        let second = try await context.ask(Form(text: "then"))
        return "\(first), then \(second), \(try await context.wait(for: Self.go))"
      }
    }
  }

  /// Returns a finding that begins with its kind, or nil if all is well.
  func play() async -> String? {
    let store = CrashingStore(crashingAfter: deaths)
    let definition = flow
    do {
      while true {
        let host = FlowHost(store: store.next(), owner: "host")
        let finding = await patiently { try await play(definition, on: host, store) }
        await host.die()
        switch finding {
        case nil: return "hangs: \(self)"
        case .success(let finding)?: return finding
        case .failure(let error)?: guard error is FlowStoreError else { throw error }
        }
      }
    } catch { return "error: \(error) in \(self)" }
  }

  /// Returns nil if the flow does not return.
  private func patiently<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? {
    let result = Lock<Result<Value, any Error>?>(nil)
    let task = Task {
      do {
        let value = try await body()
        result.withLock { $0 = .success(value) }
      } catch { result.withLock { $0 = .failure(error) } }
    }
    var limit = PollLimit(turns: 300_000)
    while limit.allowsAnother() {
      if let result = result.withLock({ $0 }) { return result }
      await Task.yield()
    }
    task.cancel()
    return nil
  }

  private func play(_ flow: Flow<String, String>, on host: FlowHost, _ store: CrashingStore) async throws -> String? {
    let flows = try await host.register(flow)
    try await flows.start(id: id, with: "-")
    for _ in 0..<40 {
      let view = try await host.whenIdle(id, unless: { store.hasCrashed })
      try store.requireRunning()
      switch view.status {
      case .finished:
        let outcome = try await flows.outcome(of: id)
        let expected = "\(answers ? "answered" : "received"), then second, last"
        return outcome == .finished(expected) ? nil : "wrong: \(outcome) instead of \(expected), \(self)"
      case .suspended:
        guard view.failure?.contains("Boom") == true else { return "died: \(view.failure ?? ""), \(self)" }
        try await host.flow(id).retry()
      case .runnable: return "runnable: \(view.questions.count) open, \(view.signals), \(self)"
      default: try await act(on: view, host)
      }
    }
    return "endless: \(self)"
  }

  private func act(on view: FlowView, _ host: FlowHost) async throws {
    let texts = try view.questions.map { (try $0.prompt(as: Form.self).text, $0.id) }
    do {
      if let (text, question) = texts.first {
        switch text {
        case "race" where answers: try await host.flow(id).answer(question, with: "answered", key: "race")
        case "race": try await host.flow(id).send("received", to: Self.go, key: "race")
        default:
          if sendsEarly { try await host.flow(id).send("last", to: Self.go, key: "last") }
          try await host.flow(id).answer(question, with: "second", key: "then")
        }
      } else {
        try await host.flow(id).send("last", to: Self.go, key: "last")
      }
    } catch let error as FlowError where error.code == .questionClosed || error.code == .suspended {}
  }
}
