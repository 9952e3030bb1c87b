import ActorFlow

/// Everything at once: puppets on autopilot, and several attackers that answer, back up, abandon, update, watch and
/// cancel at random. The scheduler decides the order, so only invariants that hold in any order are checked.
struct Scramble: Sendable {
  let plan: Plan
  let stage: Stage
  let flow: Flow<String, String>
  let coordinator: FlowCoordinator
  let isOver = Flag()

  /// - Parameter commits: With a commit hook that suspends, so that inputs wait for one another.
  init(seed: UInt64, commits: Bool) {
    var random = SeededGenerator(seed: seed)
    plan = Plan.random(&random)
    stage = Stage(autopilot: Autopilot(seed: random.next()))
    flow = plan.flow(on: stage)
    var settings = CoordinatorSettings()
    settings.eventLog = 100_000
    if commits { settings.commit = { _ in await Task.yield() } }
    coordinator = FlowCoordinator(id: "flow", settings: settings)
  }

  func run(seed: UInt64) async throws {
    var random = SeededGenerator(seed: ~seed)
    let running = Task { [self] in
      defer { isOver.raise() }
      return await outcome { _ = try await coordinator.run(flow, with: "in") }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let seed = random.next()
        group.addTask { await attack(seed, running) }
      }
    }
    let result = await running.value
    // Cancelled before it began: nothing was run, nothing is published.
    if await coordinator.position.status == .idle { return try demandEqual(result, "CancellationError", "the result") }
    try check(result, await allEvents(of: coordinator))
    try await nothingLeft("\(stage.livingInstances) steps are still alive") { stage.livingInstances == 0 }
  }

  // MARK: The attackers

  private func attack(_ seed: UInt64, _ running: Task<String, Never>) async {
    var random = SeededGenerator(seed: seed)
    var count = 0
    while !isOver.isRaised {
      count += 1
      // After some turns the attackers stop, so that the flow ends.
      switch count > 40 ? 0 : random.below(100) {
      case ..<50: await answerAll()
      case ..<70: _ = await outcome { try await coordinator.backUp() }
      case ..<76: await impatiently { try await $0.backUp(to: "a") }
      case ..<78: await impatiently { try await $0.abandon(reason: "race") }
      case ..<79: _ = await outcome { try await coordinator.abandon(reason: "race", rollingBack: random.chance(50)) }
      case ..<80: running.cancel()
      case ..<90: await update()
      default: await watch(random.below(8))
      }
      await Task.yield()
    }
  }

  private func answerAll() async {
    for question in await coordinator.position.questions {
      _ = await outcome { try await coordinator.answer(question.id, with: "t", revision: question.revision) }
    }
  }

  /// Makes a request and does not wait.
  private func impatiently(_ verb: @escaping @Sendable (FlowCoordinator) async throws -> Void) async {
    let request = Task { [coordinator] in await outcome { try await verb(coordinator) } }
    request.cancel()
    _ = await request.value
  }

  /// A context of any visit, most likely one that is over.
  private func update() async {
    guard let context = stage.contexts.last else { return }
    _ = await outcome { try await context.update(Form(text: "race")) }
  }

  /// Reads some events and stops.
  private func watch(_ count: Int) async {
    let reading = Task { [events = coordinator.events.prefix(count)] in for await _ in events {} }
    for _ in 0..<count { await Task.yield() }
    reading.cancel()
    await reading.value
  }

  // MARK: Invariants

  private func check(_ result: String, _ events: [NavigationEvent]) throws {
    if let violation = stage.violations.first { throw Finding(violation) }
    let settling = zip(flow.steps, plan.steps).filter { $0.1.policy == .settling }.map(\.0)
    try Fold.whole(events, settling: Set(settling))
    try Ledger(stage.lines).check(plan, paths: flow.steps, last: events.last)
    switch events.last?.position.status {
    case .ended(.finished): try demandEqual(result, "ok", "the result of a finished run")
    case .ended(.abandoned): try demandEqual(result, "abandoned", "the result of an abandoned run")
    case .ended(.cancelled): try demandEqual(result, "CancellationError", "the result of a cancelled run")
    case .ended(.failed): try demand(["Boom", "stepFailed"].contains(result), "the result of a failed run: \(result)")
    default: throw Finding("the run has not ended")
    }
    if case .rolledBack? = events.last?.change, plan.compensatesEverything {
      try demand(stage.world.isEmpty, "\(stage.world) were never undone")
    }
  }
}

extension Plan {
  fileprivate var compensatesEverything: Bool {
    steps.allSatisfy { $0.kind != .closure && $0.policy != .settling && $0.backUp == .works }
  }
}
