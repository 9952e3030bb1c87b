import ActorFlowTesting
import Testing

@testable import ActorFlow

/// Random composed flows that crash at random commits.
@Suite("Persisted flows: random crashes") struct ComposedRestartTests {
  @Test(
    "after any number of crashes, a random flow has the same ending, compensations and event numbers",
    .timeLimit(.minutes(Attack.minutes)), arguments: [false, true])
  func dies(commitsFail: Bool) async {
    await attack(Attack.seeds(Attack.scaled(60))) { seed in
      let flow = ComposedRestart(seed: seed)
      do { try await flow.play(commitsFail: commitsFail) } catch {
        throw Finding("\(error)\n  plan: \(flow.plan.text)")
      }
    }
  }
}

private struct Lost: Error {}

/// A random plan, and a world that acts on it in the same way after every restart.
private struct ComposedRestart {
  let seed: UInt64
  let plan: ComposedPlan

  init(seed: UInt64) {
    self.seed = seed
    var generator = ComposedPlanGenerator(seed: seed)
    // The failing attempt must not depend on the number of crashes.
    plan = ComposedPlan(pieces: generator.plan().pieces.map { $0.replacingFailures(by: seed % 3 == 0 ? nil : .once) })
  }

  struct Life: Sendable {
    let outcome: String
    let commits: [FlowRecorder.Commit]
    let undone: [String]
  }

  func play(commitsFail: Bool) async throws {
    var random = SeededGenerator(seed: ~seed)
    let whole = try await record(from: nil)
    for _ in 0..<4 {
      var past: [FlowRecorder.Commit] = []
      var undone: [String] = []
      var recorded = whole
      var path: [Int] = []
      // A run that is cut off at a commit, then the next one; the last run reaches its end.
      var from: FlowRecorder.Commit?
      for number in 1...3 {
        let alive = recorded.commits.indices.filter { recorded.commits[$0].snapshot.ending == nil }
        if let index = alive.randomElement(using: &random) {
          from = recorded.commits[index]
          path.append(index)
          past += recorded.commits[...index]
          undone += recorded.undone.prefix(recorded.commits[index].traced)
        }
        guard let commit = from else { break }
        let fails = commitsFail && number < 3 ? SharedGenerator(seed: random.next()) : nil
        do { recorded = try await record(from: commit, failing: fails) } catch {
          throw Finding("taken up at \(path): \(error)")
        }
      }
      let where_ = "taken up at \(path) after \(past.last?.lines ?? [])"
      try demandEqual(recorded.outcome, whole.outcome, "\(where_), the outcome")
      try demandEqual(Set(undone + recorded.undone), Set(whole.undone), "\(where_), what was undone")
      let events = (past + recorded.commits).flatMap(\.events)
      try demandEqual(events.map(\.sequence), Array(1...max(1, events.count)), "\(where_), the events' numbers")
      try demandEqual(
        events.last?.change.composedLine, whole.commits.last?.events.last?.change.composedLine,
        "\(where_), the last event")
    }
  }

  private func record(from commit: FlowRecorder.Commit?, failing random: SharedGenerator? = nil) async throws -> Life {
    let stage = ComposedStage()
    let recorder = FlowRecorder(plan.flow(on: stage).onFailure(.rollBack), at: commit?.elapsed ?? .zero) {
      stage.undone.count
    }
    let allows: @Sendable (MachineSnapshot) async throws -> Void = { _ in
      if random?.chance(4) == true { throw Lost() }
    }
    let run: PersistedRun
    if let commit {
      run = try recorder.resume(commit.snapshot, allows)
    } else {
      run = try await recorder.start(with: "in")
    }
    do {
      try await run.play { run, position in
        // Not committed, or the run has stopped because an input of a step was not committed.
        do { try await Self.act(run, position) } catch is Lost {} catch let error as FlowError
          where random != nil && error.code == .flowEnded
        {}
      }
    } catch {
      await run.passivate()
      throw error
    }
    return Life(outcome: await run.word, commits: recorder.all, undone: stage.undone)
  }

  private static func act(_ run: PersistedRun, _ position: Position) async throws {
    let asked = position.questions.compactMap { question in (question.prompt as? Form).map { (question, $0.text) } }
    if let (question, _) = asked.min(by: { $0.1 < $1.1 }) {
      try await run.coordinator.answer(question.id, with: "a")
    } else if let wait = position.waits.min(by: { $0.step.path < $1.step.path }) {
      _ = try await run.coordinator.send("v", to: Signal<String>(wait.signal))
    } else {
      try await run.fireNextTimer()
    }
  }
}

extension ComposedStage {
  /// The names of the compensated steps.
  fileprivate var undone: [String] {
    lines.compactMap { line in
      guard case .backUp(let key, _) = line else { return nil }
      return String(key.prefix { $0 != "<" })
    }
  }
}

extension PersistedRun {
  /// The outcome of the flow, as a word.
  fileprivate var word: String {
    get async {
      switch await result {
      case .success(let output): output
      case .failure(let error): composedWord(for: error)
      }
    }
  }
}

extension Piece {
  /// Returns the piece with steps that always fail, or that take another action instead of failing.
  fileprivate func replacingFailures(by other: ComposedPlan.Action?) -> Piece {
    switch self {
    case .step(let step):
      let actions = step.actions.map { action in
        if case .fail = action { other ?? .fail(times: .max) } else { action }
      }
      return .step(
        ComposedPlan.Step(
          name: step.name, actions: actions, policy: step.policy, backUpFails: step.backUpFails, track: step.track))
    case .fork(let fork, let bodies):
      return .fork(fork, bodies.map { $0.map { $0.replacingFailures(by: other) } })
    case .loop(let name, let rounds, let body):
      return .loop(name, rounds: rounds, body.map { $0.replacingFailures(by: other) })
    case .choice(let bodies): return .choice(bodies.map { $0.map { $0.replacingFailures(by: other) } })
    case .scope(let scope, let body): return .scope(scope, body.map { $0.replacingFailures(by: other) })
    }
  }
}
