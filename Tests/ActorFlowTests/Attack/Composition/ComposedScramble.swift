import ActorFlowTesting

@testable import ActorFlow

/// Several attackers at once on a composed flow whose branches race each other: the scheduler decides who wins, so only
/// invariants that hold in any order are checked.
struct ComposedScramble: Sendable {
  let plan: ComposedPlan
  let stage = ComposedStage(yields: true)
  let clock = ManualClock()
  let coordinator: FlowCoordinator
  private let isOver = Flag()

  /// - Parameter commits: With a commit hook that suspends, so that inputs wait for one another.
  init(seed: UInt64, commits: Bool) {
    var generator = ComposedPlanGenerator(seed: seed, isFree: true)
    plan = generator.plan()
    var settings = CoordinatorSettings()
    settings.clock = clock
    settings.eventLog = 100_000
    if commits { settings.commit = { _ in await Task.yield() } }
    coordinator = FlowCoordinator(id: "flow", settings: settings)
  }

  func run(seed: UInt64) async throws {
    var random = SeededGenerator(seed: ~seed)
    let flow = plan.flow(on: stage)
    let run = Task { [self] () async -> String in
      defer { isOver.raise() }
      do {
        _ = try await coordinator.run(flow, with: "in")
        return "finished"
      } catch { return composedWord(for: error) }
    }
    let patience = random.below(60)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let seed = random.next()
        group.addTask { await attack(seed, run, patience: patience) }
      }
    }
    let result = await run.value
    // Cancelled before it began: nothing was run, nothing is published.
    if await coordinator.position.status == .idle { return try demandEqual(result, "cancelled", "the result") }
    try await check(result)
  }

  // MARK: The attackers

  private func attack(_ seed: UInt64, _ run: Task<String, Never>, patience: Int) async {
    var random = SeededGenerator(seed: seed)
    var count = 0
    while !isOver.isRaised {
      count += 1
      // After some turns the attackers stop, and then the flow is ended.
      switch count > 400 ? 89 : count > patience ? random.below(60) : random.below(100) {
      case ..<40:
        for question in await coordinator.position.questions {
          _ = await outcome { try await coordinator.answer(question.id, with: "a", revision: question.revision) }
          if random.chance(50) { break }
        }
      case ..<50:
        let key = random.chance(30) ? "k\(random.below(3))" : nil
        let signal = Signal<String>(random.chance(50) ? "x" : "y")
        _ = await outcome { _ = try await coordinator.send("v", to: signal, key: key) }
      case ..<60: clock.advance(by: .seconds(random.below(100)))
      case ..<70: await impatiently { try await $0.backUp() }
      case ..<80:
        guard let question = await coordinator.position.questions.randomElement(using: &random) else { continue }
        await impatiently { try await $0.backUp(from: question.id) }
      case ..<88:
        guard let name = plan.steps.randomElement(using: &random)?.name else { continue }
        await impatiently { try await $0.backUp(to: StepID(name)) }
      case ..<90: _ = await outcome { try await coordinator.abandon(reason: "why") }
      case ..<91: _ = await outcome { try await coordinator.abandon(reason: "why", rollingBack: random.chance(50)) }
      case ..<92: run.cancel()
      default: _ = await outcome { try await coordinator.backUp() }
      }
      await Task.yield()
    }
  }

  /// Makes a request and does not wait.
  private func impatiently(_ verb: @escaping @Sendable (FlowCoordinator) async throws -> Void) async {
    let request = Task { [coordinator] in await outcome { try await verb(coordinator) } }
    request.cancel()
    _ = await request.value
  }

  // MARK: Invariants

  private func check(_ result: String) async throws {
    if let violation = stage.violations.first { throw Finding(violation) }
    let events = await allEvents(of: coordinator)
    var fold = ComposedFold()
    for event in events { try fold.take(event) }
    let ledger = try ComposedLedger(stage.lines, tracks: plan.tracks)
    guard let last = events.last else { throw Finding("there are no events") }
    // A place that a settling step has made final is not compensated.
    if case .rolledBack = last.change, !plan.steps.contains(where: { $0.policy == .settling }) {
      try demand(ledger.entered.isEmpty, "\(ledger.entered.values.map(\.key)) were never undone")
    }
    switch last.position.status {
    case .ended(.finished): try demandEqual(result, "finished", "the result")
    case .ended(.abandoned): try demandEqual(result, "abandoned", "the result")
    case .ended(.cancelled): try demandEqual(result, "cancelled", "the result")
    case .ended(.failed):
      let words = ["s", "timedOut", "cannotBackUp", "ambiguousBackUp", "moving"]
      try demand(words.contains { result.hasPrefix($0) }, "the result of a failed run: \(result)")
    default: throw Finding("the run has not ended: \(last.change)")
    }
    let position = last.position
    try demand(
      position.questions.isEmpty && position.waits.isEmpty && position.branches.isEmpty && !position.canBackUp,
      "something is open at the end: \(position)")
    let rest = await coordinator.leftovers
    try demand(rest.isEmpty, "something is left: \(rest)")
    try await nothingLeft("\(stage.livingInstances) steps are still alive") { stage.livingInstances == 0 }
  }
}
