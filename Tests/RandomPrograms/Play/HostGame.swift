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
///     plays every other verb. Half of these flows are suspended when a step fails.
///   - open: Makes the store of the host.
/// - Returns: The verbs that had their effect.
@discardableResult
package func playHostGame(
  seed: UInt64, crashes: Bool, works: Bool = true,
  on open: (ManualWallClock) async throws -> any LeasingFlowStore = { MemoryFlowStore(clock: $0) }
) async throws(Violation) -> Set<Verb> {
  let clock = ManualWallClock()
  let store: any LeasingFlowStore
  do { store = try await open(clock) } catch { throw Violation("the store cannot be opened: \(error)") }
  return try await playHostGame(seed: seed, crashes: crashes, works: works, clock, on: store)
}

private func playHostGame(
  seed: UInt64, crashes: Bool, works: Bool, _ clock: ManualWallClock, on base: some LeasingFlowStore
) async throws(Violation) -> Set<Verb> {
  var generator = ProgramGenerator(seed: seed, .sequential)
  let program = generator.program()
  let random = generator.random
  let crashTrigger = CrashTrigger()
  let store = FaultyStore(base) { crashTrigger.fault(in: $0) }
  var options = FlowHost.Options.storing(seed)
  let remembersEnded = works && seed.isMultiple(of: 2)
  if remembersEnded { options.rememberEnded = .seconds(1_000_000) }
  let format = options.writesFormat ?? .max
  let audits = works && format >= 9 && seed.isMultiple(of: 2)
  var naming = Chance(seed: seed &+ 0x4E41_4D45)
  let renamed = Set(program.steps.map(\.name).filter { _ in works && naming.percent(30) })
  var suspending = Chance(seed: seed &+ 0x5A59_E4D5)
  let suspends = works && suspending.percent(50)
  let world = World(isHosted: true, mayCrash: crashes, audits: audits, renamed: renamed)
  let model = Model(program, mayCrash: crashes, suspends: suspends)
  var played: [String] = []
  do {
    return try await testHost(
      on: store, clock: clock, options: options, exhaustive: false, patience: Patience(.seconds(600))
    ) { tester in
      let flows = try await tester.deploy(program, in: world, suspendsOnFailure: suspends)
      let arena = HostArena(world, clock, tester.host)
      var game = HostGame(tester, arena, crashTrigger, model, crashes ? random : nil)
      // A source of its own, so that a seed plays the same requests with and without a worker.
      if works {
        game.worker = Worker(store: base, random: Chance(seed: seed &+ 0x5DEE_CE66))
        game.operating = Chance(seed: seed &+ 0x0FE2_A702)
        game.looking = Chance(seed: seed &+ 0x1004_1E55)
        (game.typing, game.editing) = (Chance(seed: seed &+ 0x7109_1265), Chance(seed: seed &+ 0xED17_1265))
        game.moving = Chance(seed: seed &+ 0x3071_1265)
        (game.suspending, game.ending) = (suspending, Chance(seed: seed &+ 0x0E4D_1265))
        (game.codec, game.remembersEnded) = (options.codec as? ErasableCodec, remembersEnded)
        game.followed = (base, nil)
        game.transactions = HostArena.Transactions(seed: seed &+ 0x7A45_AC71) { MemoryTransaction(on: store) }
        (game.canReassign, game.canRedact, game.canEnter) = (format >= 8, format >= 9, format >= 9)
      }
      if FlowHost.Options.hasGuard(seed) { game.strangers = Chance(seed: seed &+ 0x57A2_6E25) }
      // A store of an earlier format has no trace contexts.
      let trace: TraceContext = options.writesFormat == nil ? ["seed": "\(seed)"] : [:]
      try await game.start(flows, trace: trace)
      var player = Player(random, isHosted: true)
      player.canSettle = format >= 10
      try await game.play(player, &played)
      guard !game.isGone else { return game.verbs }
      let kept = try await tester.view(of: HostArena.id).trace
      try expect(kept == trace, "the trace context is \(kept), not \(trace)")
      try await game.finish(flows)
      if works { try await game.remove(flows, purges: seed.isMultiple(of: 3)) }
      return game.verbs
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
  /// The source of starts and signals as JSON.
  var typing: Chance?
  /// The source of edits that change something.
  var editing: Chance?
  /// The source of moves by hand, which find a newer version or none.
  var moving: Chance?
  /// The source of what is done with a suspended flow.
  var suspending: Chance?
  /// The number of things done with a suspended flow so far.
  var standstills = 0
  /// The source of what is done with a flow that is to be removed.
  var ending: Chance?
  /// The codec of the flow's bytes, if the host has one and its keys may be erased.
  var codec: ErasableCodec?
  /// Whether the host remembers the ids of flows that were removed.
  var remembersEnded = false
  /// Whether the flow was removed, or its key erased, while it was open.
  var isGone = false
  /// The verbs that had their effect.
  var verbs: Set<Verb> = []
  /// Whether a version has admitted the flow that it did not begin with.
  var mayMove = false
  /// The number of the last history entry that was read as news.
  var seen = 0
  /// Whether there were any at the last look.
  var hasNews = false
  /// The transactions in which some answers are made.
  var transactions: HostArena.Transactions?
  /// The store, whose changes are followed, and the cursor of the latest one.
  var followed: (store: any FlowStore, cursor: String?)?
  /// The answers to audited questions, by the question as the history shows it.
  var audited: [String: Command] = [:]
  /// The hosts of two builds, between which each request chooses; `nil` if there is one host.
  var rolling: Rolling?
  /// The people to whom the operator has assigned questions.
  var assigned: [Question.ID: [String]] = [:]

  init(_ tester: HostTester, _ arena: HostArena, _ crashTrigger: CrashTrigger, _ model: Model, _ random: Chance?) {
    (self.tester, self.arena, self.crashTrigger, self.model, self.random) = (tester, arena, crashTrigger, model, random)
  }

  mutating func start(_ flows: DeployedFlow<Value, Value>, trace: TraceContext) async throws {
    if typing?.percent(50) == true {
      try await startAsJSON(trace: trace)
    } else {
      verbs.insert(.start)
    }
    try await flows.start(id: HostArena.id, with: Value(), trace: trace)
    try await settle()
    try await compare()
  }

  mutating func play(_ player: Player, _ played: inout [String]) async throws {
    var player = player
    while model.result == nil {
      if ending?.percent(1) == true { return played.append(try await removeWhileOpen()) }
      if let host = try await chooseHost() { played.append(host) }
      if moving?.percent(8) == true { played.append(try await moveByHand()) }
      if model.fault != nil {
        played.append(try await standStill())
        try await settle()
        try await compare()
        continue
      }
      let request = player.next(model)
      played.append("\(request)")
      try await perform(request)
      try await settle()
      try await compare()
      if strangers?.percent(10) == true { played.append(try await intrude()) }
      if operating?.percent(20) == true, model.result == nil {
        if let host = try await chooseHost() { played.append(host) }
        played.append(try await operate())
        try await settle()
        try await compare()
      }
      if editing?.percent(10) == true, model.result == nil {
        if let host = try await chooseHost() { played.append(host) }
        played.append(try await edit())
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
      played.append(try await ending?.percent(30) == true ? retryAfterEnd() : compensateAgain())
      try await settle()
      try await compare()
    }
  }

  /// Has the host run the flow under a lease of the worker, whose epoch ends afterwards. No request is made, so the flow
  /// stands where it stood.
  mutating func work() async throws {
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

  mutating func perform(_ request: Player.Request) async throws {
    arm()
    switch request {
    case .answer(let command):
      guard let question = await arena.questions.first else { throw Violation("there is no question") }
      try await noteAudited(question.id, command)
      if let transactions, transactions.random.withLock({ $0.percent(20) }) {
        return try await answer(question.id, with: command, in: transactions)
      }
      if looking?.percent(30) == true {
        return try await answerAsPage(question.id, with: command, expecting: model.answer(command))
      }
      try await check(.answer, request, model.answer(command)) { host, key in
        try await host.flow(HostArena.id).answer(question.id, with: command, by: .player, key: key)
      }
    case .send(let name, let value, let key):
      let expected = model.send(value, to: name, key: key)
      let key = key ?? arena.newKey()
      let delivery = Lock("")
      let (isJSON, isRefused) = (typing?.percent(30) == true, expected == "suspended")
      try await check(isJSON ? .sendAsJSON : .send, request, isRefused ? expected : "ok") { host, _ in
        let flow = host.flow(HostArena.id)
        let found =
          if isJSON { try await flow.send(json: "\(value)".utf8, to: name, key: key) } else {
            try await flow.send(value, to: Signal<Int>(name), key: key)
          }
        delivery.withLock { $0 = "\(found)" }
      }
      if isRefused { return }
      // After a crash the question may have been asked already.
      let found = delivery.withLock { $0 }
      try expect(found == expected || found == "duplicate" && random != nil, "\(request) was \(found), not \(expected)")
    case .backUp(let name):
      var step: StepID?
      if let name { step = try await currentName(of: name) }
      try await check(.backUp, request, model.backUp(to: name)) { [step] host, key in
        try await host.flow(HostArena.id).backUp(to: step, key: key)
      }
    case .abandon(let rollingBack):
      try await check(.abandon, request, model.abandon(rollingBack: rollingBack)) { host, key in
        try await host.flow(HostArena.id).abandon(reason: "outside", rollingBack: rollingBack, key: key)
      }
    case .advance(let time): try await advance(by: time)
    case .letGo, .cancelCaller: break
    }
  }

  /// Answers in a transaction that is rolled back, which has no effect, and then in one that is committed.
  private mutating func answer(
    _ question: Question.ID, with command: Command, in transactions: HostArena.Transactions
  ) async throws {
    let flow = arena.host.flow(HostArena.id)
    let dropped = transactions.begin()
    // A flow that refuses the answer refuses it below, too.
    let change = try? await flow.answer(question, with: command, by: .player, key: arena.newKey(), in: dropped)
    try await dropped.end(committing: false)
    if case .committed? = try await change?.settle() { throw Violation("an answer that was rolled back is stored") }
    try await check(.transaction, Player.Request.answer(command), model.answer(command)) { host, key in
      let transaction = transactions.begin()
      let change = try await host.flow(HostArena.id).answer(
        question, with: command, by: .player, key: key, in: transaction)
      do { try await transaction.end(committing: true) } catch {
        try await change.settle()
        throw error
      }
      guard case .committed = try await change.settle() else { throw Violation("a stored answer was rolled back") }
    }
  }

  /// Makes a request, and repeats it under its key if the host has crashed meanwhile.
  mutating func check(
    _ verb: Verb?, _ request: some Sendable, _ expected: String, _ make: (FlowHost, String) async throws -> Void
  ) async throws {
    if let verb, expected == "ok" { verbs.insert(verb) }
    let key = arena.newKey()
    let first = await outcome { try await make(arena.host, key) }
    guard crashTrigger.hasFired, first != expected else {
      return try expectEqual(first, expected, "how \(request) ended")
    }
    try await crash()
    let second = await outcome { try await make(arena.host, key) }
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

  mutating func settle() async throws {
    try await unlessBlown { try await tester.settle() }
    while crashTrigger.hasFired {
      try await crash()
      if random?.percent(30) == true { arm() }
      try await unlessBlown { try await tester.settle() }
    }
    crashTrigger.disarm()
  }

  // MARK: Comparing

  mutating func compare() async throws {
    let view = try await tester.view(of: HostArena.id)
    let expected = model.look
    let found: Look
    switch view.status {
    case .waiting:
      found = Look(
        stack: view.stack.reversed().map { World.original($0.name) },
        questions: view.questions.map { (try? $0.prompt(as: Form.self))?.text ?? "?" },
        signals: view.signals, canBackUp: view.canBackUp)
    case .suspended:
      found = Look(
        isSuspended: true, stack: view.stack.reversed().map { World.original($0.name) },
        questions: view.questions.map(\.prompt), signals: view.signals, canBackUp: view.canBackUp)
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
    try checkWorld(model.program, arena.world, isRolledBack: history.isRolledBack)
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
