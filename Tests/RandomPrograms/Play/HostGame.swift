import ActorFlow
package import ActorFlowHosting
package import ActorFlowTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Plays a sequential program on a host, and compares it with the naive model after each request.
///
/// - Parameters:
///   - works: Whether a worker leases the flow now and then and has the host run it, beside the requests, and an operator
///     notes, refreshes, completes steps and enters them anew.
///   - open: Makes the store of the host.
package func playHostGame(
  seed: UInt64, crashes: Bool, works: Bool = true,
  on open: (ManualWallClock) async throws -> any LeasingFlowStore = { MemoryFlowStore(clock: $0) }
) async throws(Violation) {
  let clock = ManualWallClock()
  let store: any LeasingFlowStore
  do { store = try await open(clock) } catch { throw Violation("the store cannot be opened: \(error)") }
  try await playHostGame(seed: seed, crashes: crashes, works: works, clock, on: store)
}

private func playHostGame(
  seed: UInt64, crashes: Bool, works: Bool, _ clock: ManualWallClock, on base: some LeasingFlowStore
) async throws(Violation) {
  var generator = ProgramGenerator(seed: seed, .sequential)
  let program = generator.program()
  let random = generator.random
  let crashTrigger = CrashTrigger()
  let store = FaultyStore(base) { crashTrigger.fault(in: $0) }
  let format = FlowHost.Options.storing(seed).writesFormat ?? .max
  let audits = works && format >= 9 && seed.isMultiple(of: 2)
  var naming = Chance(seed: seed &+ 0x4E41_4D45)
  let renamed = Set(program.steps.map(\.name).filter { _ in works && naming.percent(30) })
  let (world, model) = (
    World(isHosted: true, mayCrash: crashes, audits: audits, renamed: renamed), Model(program, mayCrash: crashes)
  )
  var played: [String] = []
  do {
    try await testHost(
      on: store, clock: clock, options: .storing(seed), exhaustive: false, patience: Patience(.seconds(120))
    ) { tester in
      let flows = try await tester.deploy(program, in: world)
      let arena = HostArena(world, clock, tester.host)
      var game = HostGame(tester, arena, crashTrigger, model, crashes ? random : nil)
      // A source of its own, so that a seed plays the same requests with and without a worker.
      if works {
        game.worker = Worker(store: base, random: Chance(seed: seed &+ 0x5DEE_CE66))
        game.operating = Chance(seed: seed &+ 0x0FE2_A702)
        game.looking = Chance(seed: seed &+ 0x1004_1E55)
        game.followed = (base, nil)
        (game.canReassign, game.canRedact, game.canEnter) = (format >= 8, format >= 9, format >= 9)
      }
      if FlowHost.Options.hasGuard(seed) { game.strangers = Chance(seed: seed &+ 0x57A2_6E25) }
      // A store of an earlier format has no trace contexts.
      let trace: TraceContext = FlowHost.Options.storing(seed).writesFormat == nil ? ["seed": "\(seed)"] : [:]
      try await game.start(flows, trace: trace)
      var player = Player(random, isHosted: true)
      player.canSettle = format >= 10
      try await game.play(player, &played)
      let kept = try await tester.view(of: HostArena.id).trace
      try expect(kept == trace, "the trace context is \(kept), not \(trace)")
      try await game.finish(flows)
      if works { try await game.redact(flows) }
      if works, seed.isMultiple(of: 3) { try await game.purge() }
    }
  } catch {
    throw Violation(
      "\(error)\n  played: \(played.joined(separator: ", "))\n  trace: \(world.text)"
        + "\n  program: \(program.text)")
  }
}

/// A worker that leases the flow by itself. Its calls reach the store when those of a dead host do not.
struct Worker {
  let store: any LeasingFlowStore
  var random: Chance
}

struct HostGame {
  let tester: HostTester
  let arena: HostArena
  let crashTrigger: CrashTrigger
  let model: Model
  /// The source of the moments at which the host crashes; nil: it never does.
  var random: Chance?
  var worker: Worker?
  /// The source of an operator's verbs; nil: there is none.
  var operating: Chance?
  /// Whether the flow's format can hold an assignment.
  var canReassign = true
  /// Whether the flow's format can hold a redaction.
  var canRedact = true
  /// Whether the flow's format can hold a step that is to be entered anew.
  var canEnter = true
  /// The source of the attempts of strangers, whom the host refuses; nil: it has no guard.
  var strangers: Chance?
  /// The source of looks at the flow, of answers as JSON and of deployments.
  var looking: Chance?
  /// Whether a version has admitted the flow that it did not begin with.
  var mayMove = false
  /// The number of the last history entry that was read as news.
  var seen = 0
  /// Whether there were any at the last look.
  var hasNews = false
  /// The store, whose changes are followed, and the cursor of the latest one.
  var followed: (store: any FlowStore, cursor: String?)?
  /// The answers to audited questions, by the question as the history shows it.
  var audited: [String: Command] = [:]
  /// The people to whom the operator has assigned questions.
  private var assigned: [Question.ID: [String]] = [:]

  init(_ tester: HostTester, _ arena: HostArena, _ crashTrigger: CrashTrigger, _ model: Model, _ random: Chance?) {
    (self.tester, self.arena, self.crashTrigger, self.model, self.random) = (tester, arena, crashTrigger, model, random)
  }

  mutating func start(_ flows: DeployedFlow<Value, Value>, trace: TraceContext) async throws {
    try await flows.start(id: HostArena.id, with: Value(), trace: trace)
    try await settle()
    try await compare()
  }

  mutating func play(_ player: Player, _ played: inout [String]) async throws {
    var player = player
    while model.result == nil {
      let request = player.next(model)
      played.append("\(request)")
      try await perform(request)
      try await settle()
      try await compare()
      if strangers?.percent(10) == true { played.append(try await intrude()) }
      if operating?.percent(20) == true, model.result == nil {
        played.append(try await operate())
        try await settle()
        try await compare()
      }
      guard worker?.random.percent(25) == true else { continue }
      played.append("work")
      try await work()
      try await settle()
      try await compare()
    }
    let wish = model.owedSteps.isEmpty ? 30 : 70
    while looking?.percent(wish) == true {
      arm()
      played.append(try await compensateAgain())
      try await settle()
      try await compare()
    }
  }

  /// Has the host run the flow under a lease of the worker, whose epoch ends afterwards. No request is made, so the flow
  /// stands where it stood.
  private mutating func work() async throws {
    guard let store = worker?.store else { return }
    if random != nil, worker?.random.percent(40) == true {
      crashTrigger.arm(
        after: worker?.random.below(3) ?? 0, writingLast: worker?.random.percent(50) ?? false)
    }
    let epoch = try await store.attach(owner: "worker", for: .seconds(1_000_000))
    do {
      try await arena.host.work(on: store.acquire(HostArena.id, under: epoch))
    } catch let error as FlowStoreError where error.code == .leased {
      // The host has the flow in memory.
    } catch {
      if !crashTrigger.hasFired { throw error }
    }
    try await store.detach(epoch)
  }

  // MARK: Requests

  /// Notes something, has the questions asked again, completes the step that waits or enters it anew. Returns the verb in words.
  private mutating func operate() async throws -> String {
    arm()
    let number = operating?.below(30) ?? 0
    if operating?.percent(5) == true {
      try await check("redact", "notEnded") { host, _ in try await host.flow(HostArena.id).redact(by: .player) }
      return "redact"
    }
    // Numbers 6, 7 and 8 of 9 would let a router's note be held.
    let made = number % 9 >= 6 ? number - 3 : number
    if looking?.percent(8) == true {
      try await deployAnew()
      return "deploy anew"
    }
    if looking?.percent(15) == true {
      try await noteAtEach("note \(number) at each")
      return "note at each"
    }
    if operating?.percent(30) == true, let question = await arena.questions.first {
      return try await reassign(question.id, number)
    }
    if operating?.percent(10) == true {
      let report = try await purged()
      try expect(report.purged.isEmpty && report.kept.isEmpty, "a purge found an open flow: \(report)")
      return "purge"
    }
    if operating?.percent(15) == true {
      let expected = await arena.questions.isEmpty ? "notActive" : "ok"
      try await check("refresh", expected) { host, key in
        try await host.flow(HostArena.id).refresh(reason: "outside", by: .player, key: key)
      }
      return "refresh"
    }
    if looking?.percent(10) == true {
      try await check("edit", "ok") { host, key in
        try await host.flow(HostArena.id).edit([.custom { _ in }], reason: "outside", by: .player, key: key)
      }
      return "edit"
    }
    let wish = model.owedSteps.isEmpty ? 5 : 40
    if looking?.percent(wish) == true { return try await compensateAgain() }
    guard operating?.percent(60) == true, let (name, input, carried, onlyAsks) = model.completable else {
      let text = "note \(number)"
      try await check(text, "ok") { host, key in try await host.flow(HostArena.id).note(text, by: .player, key: key) }
      return text
    }
    if operating?.percent(40) == true { return try await enter(name, input.with(made, adding: "^\(made)")) }
    let output = (onlyAsks ? carried : input).with(made, adding: "\(name)\(onlyAsks ? ":" : "=")\(made)")
    guard let json = try model.program.completion(of: name, with: output, orAnswer: made) else { return "" }
    let (text, step) = ("complete \(name) with \(made)", try await currentName(of: name))
    try await check(text, model.complete(with: output)) { host, key in
      try await host.flow(HostArena.id).complete(step, output: json, reason: text, by: .player, key: key)
    }
    return text
  }

  /// Lets a stranger try a verb or a look: it is refused, and nothing has changed.
  private mutating func intrude() async throws -> String {
    let before = try await tester.view(of: HostArena.id).revision
    arm()
    let verbs: [(String, @Sendable (HostedFlow) async throws -> Void)] = [
      ("abandon", { try await $0.abandon() }), ("backUp", { try await $0.backUp() }),
      ("note", { try await $0.note("a note") }), ("retry", { try await $0.retry() }),
      ("delete", { try await $0.delete() }), ("look", { _ = try await $0.view() }),
      ("history", { _ = try await $0.history() }),
    ]
    let (name, verb) = verbs[strangers?.below(verbs.count) ?? 0]
    try await check("\(name) of a stranger", "no access") { host, _ in
      try await verb(host.flow(HostArena.id, by: .stranger))
    }
    try await settle()
    try await compare()
    try expectEqual(try await tester.view(of: HostArena.id).revision, before, "the revision after a refused \(name)")
    return "a stranger's \(name)"
  }

  private mutating func enter(_ name: String, _ input: Value) async throws -> String {
    guard let (json, input) = try model.program.entering(name, with: input) else { return "" }
    let (text, step) = ("enter \(name) with \(input.number)", try await currentName(of: name))
    let expected = canEnter ? model.enterAnew(with: input) : "notStorable"
    try await check(text, expected) { host, key in
      try await host.flow(HostArena.id).enter(step, input: json, reason: text, by: .player, key: key)
    }
    return text
  }

  /// Returns the name that a step of the plan has in the version that the flow follows once it is activated.
  private func currentName(of name: String) async throws -> StepID {
    let isSecond =
      switch arena.world.release {
      case .first, .takenBack: false
      case .second(admits: true): true
      case .second(admits: false): try await tester.view(of: HostArena.id).version == 2
      }
    return StepID(isSecond ? arena.world.secondName(of: name) : name)
  }

  /// Has the failed `backUp`s called again, after their cause was removed or not.
  mutating func compensateAgain() async throws -> String {
    let repairs: [World.Repair] = [.works, .works, .failsAgain, .failsLate, .failsLate]
    let repair = repairs[looking?.below(repairs.count) ?? 0]
    arena.world.repairs(repair)
    try await check("compensate again", model.compensateAgain(repair)) { host, key in
      try await host.flow(HostArena.id).compensateAgain(reason: "outside", by: .player, key: key)
    }
    arena.world.repairs(nil)
    return "compensate again: \(repair)"
  }

  private mutating func reassign(_ question: Question.ID, _ number: Int) async throws -> String {
    let people = ["p\(number)", "player"]
    let text = "reassign to \(people)"
    let expected = canReassign ? "ok" : "notStorable"
    try await check(text, expected) { host, key in
      try await host.flow(HostArena.id).reassign(question, to: people, reason: text, by: .player, key: key)
    }
    if canReassign { assigned[question] = people }
    return text
  }

  /// The details that a redaction leaves.
  private static let facts: Set = ["completed", "entered anew", "1 → 2", "2 → 1"]

  /// Redacts the flow, which has ended: its facts stay, and nothing else.
  mutating func redact(_ flows: DeployedFlow<Value, Value>) async throws {
    let (view, history) = (try await tester.view(of: HostArena.id), try await tester.history(of: HostArena.id))
    let expected = view.rollbackFailed ? "rollbackFailed" : canRedact ? "ok" : "notStorable"
    arm()
    try await check("redact", expected) { host, _ in
      try await host.flow(HostArena.id).redact(reason: "the end", by: .player)
    }
    try await settle()
    let (after, facts) = (try await tester.view(of: HostArena.id), try await tester.history(of: HostArena.id))
    guard expected == "ok" else {
      try expectEqual(facts, history, "the history after a refused redaction")
      return try expectEqual(after.isRedacted, false, "whether it was redacted")
    }
    try expect(after.isRedacted && after.status == view.status && after.stack == view.stack, "how it ended is lost")
    try expect(after.labels.isEmpty && after.output == nil && after.trace.isEmpty, "something said is left")
    try expectEqual(facts.dropLast().map(\.what), history.map(\.what), "what happened")
    try expectEqual(facts.dropLast().map(\.at), history.map(\.at), "when it happened")
    try expectEqual(facts.map(\.sequence), Array(1...facts.count), "the numbers of the facts")
    try expectEqual(facts.last?.what, "redacted", "the last fact")
    let (answers, details) = (facts.dropLast().compactMap(\.answer), facts.dropLast().compactMap(\.detail))
    try expect(answers.isEmpty && Set(details).isSubset(of: Self.facts), "details are left")
    try await check("redact again", "ok") { host, _ in try await host.flow(HostArena.id).redact(by: .player) }
    try expectEqual(try await tester.view(of: HostArena.id).revision, after.revision, "the revision of a repetition")
  }

  /// Purges all flows that have ended, at once or with the next host.
  private mutating func purged() async throws -> FlowHost.PurgeReport {
    var first: FlowHost.PurgeReport?
    let future = tester.clock.now.addingTimeInterval(1)
    try await unlessBlown { first = try await arena.host.purge(endedBefore: future) }
    if let first, !crashTrigger.hasFired { return first }
    try await crash()
    let second = try await arena.host.purge(endedBefore: future)
    guard let first, !first.purged.isEmpty || !first.kept.isEmpty else { return second }
    return first
  }

  /// Purges the flow, which has ended. It stays, and says why, exactly if a `backUp` has failed; if not, its id is free.
  mutating func purge() async throws {
    let mayStay = try await tester.view(of: HostArena.id).rollbackFailed
    arm()
    let report = try await purged()
    crashTrigger.disarm()
    try expectEqual(Set(report.kept.keys), mayStay ? [HostArena.id] : [], "which flows a purge has kept")
    let isThere = await outcome { _ = try await arena.host.flow(HostArena.id).view() }
    try expectEqual(isThere, mayStay ? "ok" : "noSuchFlow", "whether the flow is there after a purge")
    let questions = try await arena.host.tasks().tasks
    try expect(questions.isEmpty, "a flow that was purged or has ended asks \(questions)")
  }

  private mutating func perform(_ request: Player.Request) async throws {
    arm()
    switch request {
    case .answer(let command):
      guard let question = await arena.questions.first else { throw Violation("there is no question") }
      try await noteAudited(question.id, command)
      if looking?.percent(30) == true {
        return try await answerAsPage(question.id, with: command, expecting: model.answer(command))
      }
      try await check(request, model.answer(command)) { host, key in
        try await host.flow(HostArena.id).answer(question.id, with: command, by: .player, key: key)
      }
    case .send(let name, let value, let key):
      let expected = model.send(value, to: name, key: key)
      let key = key ?? arena.newKey()
      let delivery = Lock("")
      try await check(request, "ok") { host, _ in
        let found = try await host.flow(HostArena.id).send(value, to: Signal<Int>(name), key: key)
        delivery.withLock { $0 = "\(found)" }
      }
      // After a crash the question may have been asked already.
      let found = delivery.withLock { $0 }
      try expect(found == expected || found == "duplicate" && random != nil, "\(request) was \(found), not \(expected)")
    case .backUp(let name):
      var step: StepID?
      if let name { step = try await currentName(of: name) }
      try await check(request, model.backUp(to: name)) { [step] host, key in
        try await host.flow(HostArena.id).backUp(to: step, key: key)
      }
    case .abandon(let rollingBack):
      try await check(request, model.abandon(rollingBack: rollingBack)) { host, key in
        try await host.flow(HostArena.id).abandon(reason: "outside", rollingBack: rollingBack, key: key)
      }
    case .advance(let time): try await advance(by: time)
    case .letGo, .cancelCaller: break
    }
  }

  /// Makes a request, and repeats it under its key if the host has crashed meanwhile.
  mutating func check(
    _ request: some Sendable, _ expected: String, _ verb: (FlowHost, String) async throws -> Void
  ) async throws {
    let key = arena.newKey()
    let first = await outcome { try await verb(arena.host, key) }
    guard crashTrigger.hasFired, first != expected else {
      return try expectEqual(first, expected, "how \(request) ended")
    }
    try await crash()
    let second = await outcome { try await verb(arena.host, key) }
    // An outcome that the first request got is not reported a second time.
    if second != "ok" || expected != "rollbackFailed" {
      try expectEqual(second, expected, "how \(request) ended after a crash, and \(first) before it")
    }
  }

  private mutating func advance(by time: Duration) async throws {
    model.advance(by: time)
    let end = tester.clock.now.addingTimeInterval(time / .seconds(1))
    try await unlessBlown { try await tester.advance(by: time) }
    while crashTrigger.hasFired {
      try await crash()
      let left = end.timeIntervalSince(tester.clock.now)
      let time = Duration.microseconds(Int64((left * 1e6).rounded()))
      try await unlessBlown { try await tester.advance(by: time) }
    }
  }

  // MARK: Crashing

  mutating func arm() {
    guard random?.percent(40) == true else { return }
    crashTrigger.arm(after: random?.below(6) ?? 0, writingLast: random?.percent(50) ?? false)
  }

  mutating func crash() async throws {
    crashTrigger.disarm()
    try await tester.crash()
    arena.host = tester.host
  }

  /// Tries again with the next host if this one died meanwhile.
  func unlessBlown(_ body: () async throws -> Void) async throws {
    do { try await body() } catch { if !crashTrigger.hasFired { throw error } }
  }

  private mutating func settle() async throws {
    try await unlessBlown { try await tester.settle() }
    while crashTrigger.hasFired {
      try await crash()
      if random?.percent(30) == true { arm() }
      try await unlessBlown { try await tester.settle() }
    }
    crashTrigger.disarm()
  }

  // MARK: Comparing

  private mutating func compare() async throws {
    let view = try await tester.view(of: HostArena.id)
    let expected = model.look
    let found: Look
    switch view.status {
    case .waiting:
      found = Look(
        stack: view.stack.reversed().map { World.original($0.name) },
        questions: view.questions.map { (try? $0.prompt(as: Form.self))?.text ?? "?" },
        signals: view.signals, canBackUp: view.canBackUp)
    case .finished, .abandoned, .cancelled, .failed: found = Look(hasEnded: true)
    default: throw Violation("the flow is \(view.status): \(view.failure ?? "")")
    }
    try expectEqual(found, expected, "where the flow stands; failure: \(view.failure ?? "none")")
    for question in view.questions {
      let people = assigned[question.id] ?? []
      let shown = (try? question.prompt(as: Form.self))?.assignees ?? []
      try expectEqual([question.assignees, shown], [people, people], "who is asked by \(question.step)")
    }
    let owed = view.undoFailures.map { World.original($0.step?.name ?? "?") }
    try expectEqual(owed, model.owedSteps, "which backUps are owed")
    try await lookAround(view)
  }

  func finish(_ flows: DeployedFlow<Value, Value>) async throws {
    let history = try await tester.history(of: HostArena.id)
    try checkWorld(model.program, arena.world, isRolledBack: history.last?.what == "rolledBack")
    try checkAudited(history)
    let payments = arena.world.payments.values
    try expectEqual(payments.count, model.paid, "rule 2: how much was paid")
    try expectEqual(payments.count { $0.refunds > 0 }, model.refunded, "rule 2: how much was refunded")
    let expected = model.result ?? "-"
    switch try await flows.outcome(of: HostArena.id) {
    case .finished(let value): try expectEqual("finished \(value.trail)", expected, "what came of the flow")
    case .abandoned: try expectEqual("abandoned", expected, "what came of the flow")
    case .failed(let message):
      // A step's own error is recognized by its text.
      let isOwn = expected.hasPrefix("s")
      try expect(!isOwn || message.contains(expected.prefix { $0 != "'" }), "failed of \(message), not of \(expected)")
    default: throw Violation("the flow has not ended as \(expected)")
    }
  }
}
