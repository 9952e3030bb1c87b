@testable import ActorFlow

/// Plays one random sequence, in the library and in the reference, one operation at a time. After each operation it
/// waits until the flow has stopped where the reference says, and compares the observable state.
struct Driver {
  enum Operation: Sendable {
    case command(Command)
    case answer(Answer)
    case update, giveUp
    case backUp(to: String?, isPatient: Bool)
    case abandon(rollsBack: Bool, isPatient: Bool)
    case cancelCaller
    case settle
    case subscribe, drop
    case useOldContext(Verb)
  }

  enum Answer: Sendable { case right, twice, byType, wrongType, refused, stale, late, foreign, unknown }

  enum Verb: Sendable { case ask, update, once, backUp, abandon }

  struct Subscriber {
    var numbers: Task<[Int], Never>
    /// The number of events it gets, if that is known: those of the run that has ended.
    var count: Int?
    var isDropped = false
  }

  let plan: Plan
  let stage = Stage()
  let flow: Flow<String, String>
  let coordinator = FlowCoordinator(id: "flow", eventLog: 10_000)
  var random: SeededGenerator
  var reference: Reference

  var run: Task<String, Never>?
  var played: [String] = []
  var asked: [Question.ID] = []
  var waiting: [Task<String, Never>] = []
  var subscribers: [Subscriber] = []
  var outputs = 0
  var linesBefore = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    plan = Plan.random(&random)
    flow = plan.flow(on: stage)
    reference = Reference(plan, paths: flow.steps.map(\.path))
  }

  /// Plays one sequence to its end and looks for leftovers.
  static func play(seed: UInt64) async throws {
    var driver = Driver(seed: seed)
    weak let coordinator = driver.coordinator
    do {
      try await driver.playRuns()
    } catch {
      driver.run?.cancel()
      throw Finding(
        "\(error)\nsteps: \(driver.plan.steps)\nplayed:\n  \(driver.played.joined(separator: "\n  "))")
    }
    driver = Driver(seed: seed)
    try await nothingLeft("the coordinator is still alive") { coordinator == nil }
  }

  private mutating func playRuns() async throws {
    if random.chance(10) { try await playSome(2) }
    try await playRun()
    if random.chance(20) {
      try await playSome(2)
      try await playRun()
    }
    if random.chance(20) { try await playSome(3) }
    try await checkWaiting()
    try await nothingLeft("\(stage.livingInstances) steps are still alive") { stage.livingInstances == 0 }
  }

  private mutating func playRun() async throws {
    await launch()
    try await compare()
    try await playSome(5 + random.below(25))
    while reference.ending == nil { try await play(nextOfProgress()) }
    try await finish()
  }

  private mutating func playSome(_ count: Int) async throws {
    for _ in 0..<count { try await play(next()) }
  }

  private mutating func launch() async {
    let input = "in\(reference.run)"
    played.append("run \(input)")
    linesBefore = stage.lines.count
    reference.launch(input)
    run = Task { [coordinator, flow, stage] in
      defer { stage.end() }
      do { return "returned \(try await coordinator.run(flow, with: input))" } catch let error as FlowError {
        return "threw \(error.code == .abandoned ? "abandoned \(error.message)" : "\(error.code)")"
      } catch { return "threw \(word(for: error))" }
    }
  }

  // MARK: Comparing

  mutating func play(_ operation: Operation) async throws {
    played.append("\(operation)  at \(reference.at)")
    try await perform(operation)
    try await compare()
  }

  private mutating func compare() async throws {
    do { try await stage.arrival(reference.arrivals) } catch {
      throw Finding("hangs: expected to stop at \(reference.at), stopped last at \(stage.spot as Any)")
    }
    try demandEqual(stage.arrivals, reference.arrivals, "how often the flow has stopped; now at \(stage.spot as Any)")
    if reference.at == .asking {
      let questions = try await coordinator.settled().questions.map(\.id)
      for question in questions where asked.last != question { asked.append(question) }
    }
    try demandEqual(describe(await coordinator.position), reference.position, "the position")
    if let violation = stage.violations.first { throw Finding(violation) }
  }

  private mutating func finish() async throws {
    try demandEqual(await run?.value, reference.result, "what `run` returned or threw")
    try await checkWaiting()
    var events: [NavigationEvent] = []
    for await event in coordinator.events { events.append(event) }
    let expected = Array(reference.events[reference.eventsBefore...])
    try demandSameLines(events.map(describe), expected, "event")
    try demandSameLines(stage.lines.map { "\($0)" }, reference.lines.map { "\($0)" }, "line of the trace")
    try demandEqual(stage.world, reference.world, "what has happened in the world")
    let settling = zip(flow.steps, plan.steps).filter { $0.1.policy == .settling }.map(\.0)
    try Fold.whole(events, settling: Set(settling))
    try Ledger(stage.lines[linesBefore...]).check(plan, paths: flow.steps, last: events.last)
    for subscriber in subscribers {
      let numbers = await subscriber.numbers.value
      let count = subscriber.isDropped ? numbers.count : subscriber.count ?? events.count
      try demand(numbers.elementsEqual((1..<count + 1)), "a subscriber got \(numbers)")
    }
    subscribers = []
  }
}

extension Driver {
  private mutating func checkWaiting() async throws {
    for (index, task) in waiting.enumerated() {
      try demandEqual(await task.value, reference.waiting[index].got, "what waiter \(index) got")
    }
    (waiting, reference.waiting) = ([], [])
  }
}

/// Yields until `isGone`: a thread that has just left an actor may hold it a moment longer.
func nothingLeft(_ violation: @autoclosure () -> String, _ isGone: () -> Bool) async throws(Finding) {
  var patience = 100_000
  while !isGone() {
    try demand(patience > 0, violation())
    patience -= 1
    await Task.yield()
  }
}

private func demandSameLines(_ real: [String], _ expected: [String], _ what: String) throws(Finding) {
  for index in 0..<max(real.count, expected.count) {
    let (found, wanted) = (index < real.count ? real[index] : "-", index < expected.count ? expected[index] : "-")
    if found != wanted { throw Finding("\(what) \(index):\n  expected \(wanted)\n  found    \(found)") }
  }
}
