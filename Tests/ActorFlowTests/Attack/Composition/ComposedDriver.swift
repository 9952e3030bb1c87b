import ActorFlowTesting

@testable import ActorFlow

/// Plays a random plan on a coordinator and on the reference, one request after the other, and compares them whenever
/// the flow has settled.
struct ComposedDriver {
  let plan: ComposedPlan
  let stage = ComposedStage()
  let clock = ManualClock()
  let coordinator: FlowCoordinator
  let reference: ComposedReference
  var random: SeededGenerator
  var log: [String] = []
  private var (linesSeen, answers) = (0, 0)
  private var visits: [Int: VisitID] = [:]
  private var closed: [Question.ID] = []

  static func play(seed: UInt64) async throws {
    var generator = ComposedPlanGenerator(seed: seed)
    var driver = ComposedDriver(generator.plan(), generator.random)
    do { try await driver.play() } catch {
      let position = await driver.coordinator.position
      let (at, played) = (position.composedText, driver.log.joined(separator: ", "))
      throw Finding("\(error)\n  at: \(at) \(position.status)\n  plan: \(driver.plan.text)\n  played: \(played)")
    }
  }

  init(_ plan: ComposedPlan, _ random: SeededGenerator) {
    (self.plan, self.random) = (plan, random)
    coordinator = FlowCoordinator(id: "flow", clock: clock, eventLog: 100_000)
    reference = ComposedReference(plan)
  }

  private mutating func play() async throws {
    let flow = plan.flow(on: stage)
    let run = Task { [coordinator] () async -> String in
      do { return try await coordinator.run(flow, with: "in") } catch { return composedWord(for: error) }
    }
    reference.launch()
    var events = coordinator.events.makeAsyncIterator()
    var (fold, moves) = (ComposedFold(), 0)
    do {
      while true {
        try await rest()
        let machine = await coordinator.state.machine
        let (sequence, position) = (machine.sequence, machine.position)
        var changes: [String] = []
        while fold.sequence < sequence, let event = await events.next() {
          try fold.take(event)
          changes.append(event.change.composedLine)
        }
        try check(position, changes)
        if reference.ending != nil { break }
        moves += 1
        try await move(position, run, isLast: moves > 40)
      }
    } catch {
      run.cancel()
      throw error
    }
    try demandEqual(await run.value, reference.result ?? "-", "what `run` returned or threw")
    try demand(await events.next() == nil, "events go on after the end")
    _ = try ComposedLedger(stage.lines, tracks: plan.tracks)
    try await nothingLeft("\(stage.livingInstances) steps are still alive") { stage.livingInstances == 0 }
  }

  // MARK: Moving

  private mutating func move(_ position: Position, _ run: Task<String, Never>, isLast: Bool) async throws {
    let questions = position.questions
    switch isLast ? 96 : random.below(100) {
    case ..<45:
      guard let question = questions.randomElement(using: &random) else { return try await send() }
      answers += 1
      let answer = "a\(answers)"
      note("answer \(question.step.name)")
      try await demandOutcome("ok") { try await $0.answer(question.id, with: answer) }
      closed.append(question.id)
      guard let track = reference.asker(of: question) else { throw Finding("the reference does not ask that") }
      reference.resume(track, answer)
    case ..<57:
      note("back")
      let expected = reference.backUp(from: reference.main.leaves)
      try await demandOutcome(expected) { try await $0.backUp() }
    case ..<67:
      guard let question = questions.randomElement(using: &random) else { return }
      note("back from \(question.step.name)")
      guard let track = reference.asker(of: question) else { throw Finding("the reference does not ask that") }
      let expected = reference.backUp(from: [track])
      try await demandOutcome(expected) { try await $0.backUp(from: question.id) }
    case ..<74:
      let name = "s\(1 + random.below(plan.text.filter { $0 == "s" }.count))"
      note("back to \(name)")
      let expected = reference.backUp(from: reference.main.leaves, to: name)
      try await demandOutcome(expected) { try await $0.backUp(to: StepID(name)) }
    case ..<82: try await send()
    case ..<92: try await advance()
    case ..<94:
      guard let question = closed.randomElement(using: &random) else { return }
      try await demandOutcome("questionClosed") { try await $0.answer(question, with: "late") }
    case ..<98:
      let rollsBack = random.chance(85)
      note("abandon \(rollsBack)")
      reference.end("abandoned", rollingBack: rollsBack)
      try await demandOutcome(reference.backUpHasFailed ? "rollbackFailed" : "ok") {
        try await $0.abandon(reason: "why", rollingBack: rollsBack)
      }
    default:
      note("cancel")
      reference.end("cancelled")
      run.cancel()
    }
  }

  private mutating func note(_ move: String) { log.append(move) }

  private mutating func send() async throws {
    answers += 1
    let (signal, value) = (random.chance(50) ? "x" : "y", "v\(answers)")
    let key = random.chance(30) ? "k\(random.below(3))" : nil
    note("send \(signal)")
    let expected = reference.send(value, to: signal, key: key)
    let delivery = try await coordinator.send(value, to: Signal<String>(signal), key: key)
    try demandEqual("\(delivery)", expected, "the delivery")
  }

  private mutating func advance() async throws {
    guard let next = reference.nextTimer else { return }
    if random.chance(20) {
      let half = (next.due - reference.now) / 2
      note("wait \(half)")
      reference.now += half
      return clock.advance(by: half)
    }
    note("ring \(next.due)")
    let time = next.due - reference.now
    reference.fireTimer()
    clock.advance(by: time)
  }

  private func demandOutcome(
    _ expected: String, _ verb: @escaping @Sendable (FlowCoordinator) async throws -> Void
  ) async throws {
    let held = Held()
    let task = Task { [coordinator] in
      let word = await outcome { try await verb(coordinator) }
      held.word = word
    }
    try await nothingLeft("the request does not come back; expected \(expected)") { held.word != nil }
    await task.value
    try demandEqual(held.word ?? "-", expected, "how it ended")
  }

  // MARK: Comparing

  /// Waits until nothing moves, and no timer is due.
  private func rest() async throws {
    let now = reference.now
    var patience = 200_000
    while true {
      if await coordinator.hasStopped(at: now) { return }
      patience -= 1
      guard patience > 0 else { throw Finding("the flow does not come to rest: \(await coordinator.position)") }
      await Task.yield()
    }
  }

  private mutating func check(_ position: Position, _ changes: [String]) throws {
    let expected = reference.look()
    try demandSame(changes, expected.changes, "changes")
    try demandEqual(position.composedText, reference.position, "the position")
    let lines = stage.lines[linesSeen...]
    linesSeen += lines.count
    var (entered, undone): ([String], [(key: String, visit: VisitID)]) = ([], [])
    for line in lines {
      switch line {
      case .proceed(let key, let instance, let visit):
        entered.append(key)
        visits[instance] = visit
      case .backUp(let key, let instance):
        guard let visit = visits[instance] else { throw Finding("\(key) is undone, and was never entered") }
        undone.append((key, visit))
      }
    }
    try demandSame(entered, expected.entered, "places entered")
    try demandSame(undone.map(\.key), expected.rollbacks.flatMap(\.self), "places undone")
    for rollback in expected.rollbacks where Set(undone.map(\.key)).count == undone.count {
      let order = undone.filter { rollback.contains($0.key) }
      for (newer, older) in zip(order, order.dropFirst()) {
        try demand(newer.visit.number > older.visit.number, "not newest first: \(order)")
      }
    }
  }

  private func demandSame(_ real: [String], _ expected: [String], _ what: String) throws(Finding) {
    if real.sorted() != expected.sorted() {
      throw Finding("\(what):\n  expected \(expected)\n  found    \(real)")
    }
  }
}

extension FlowCoordinator {
  /// Whether nothing moves, no timer is due, and no cancellation is still to be delivered.
  fileprivate func hasStopped(at now: Duration) -> Bool {
    guard !cancellation.isPending else { return false }
    return state.machine.phase == .ended
      || (state.machine.isSettled && !state.timer.isFiring && state.machine.nextTimer.map { $0 > now } ?? true)
  }
}
