import ActorFlow
package import ActorFlowHosting
package import ActorFlowTesting

/// Plays a program on a host, which may crash at random commits, with several attackers at once.
///
/// - Parameter open: Makes the store of the host.
/// - Returns: The verbs that were played, whether the host accepted or refused them.
@discardableResult
package func playHostedScramble(
  seed: UInt64, crashes: Bool,
  on open: (ManualWallClock) async throws -> any LeasingFlowStore = { MemoryFlowStore(clock: $0) }
) async throws(Violation) -> Set<Verb> {
  let clock = ManualWallClock()
  let store: any LeasingFlowStore
  do { store = try await open(clock) } catch { throw Violation("the store cannot be opened: \(error)") }
  return try await playHostedScramble(seed: seed, crashes: crashes, clock, on: store)
}

private func playHostedScramble(
  seed: UInt64, crashes: Bool, _ clock: ManualWallClock, on base: some LeasingFlowStore
) async throws(Violation) -> Set<Verb> {
  var generator = ProgramGenerator(seed: seed, .free)
  let program = generator.program()
  var random = generator.random
  let patience = random.below(25)
  // A `backUp` that threw and is called again looks like one too many, so then the ledger passes over its step.
  let callsAgain = seed % 3 == 0
  let suspendsOnFailure = seed % 2 == 0 && (callsAgain || program.steps.allSatisfy { $0.backUpOutcome == .works })
  let world = World(isHosted: true, mayCrash: crashes, yields: true, callsAgain: callsAgain)
  let crashTrigger = CrashTrigger()
  let pace = Pace(seed: seed)
  let store = FaultyStore(base) { crashTrigger.fault(in: $0) ?? pace.delay() }
  // The attackers move the clock. An expired lease is like a crash, and would be missing in the trace.
  var options = FlowHost.Options.storing(seed)
  options.leaseTime = .seconds(100_000_000)
  do {
    return try await testHost(
      on: store, clock: clock, options: options, exhaustive: false, patience: Patience(.seconds(600))
    ) { tester in
      try await tester.deploy(program, in: world, suspendsOnFailure: suspendsOnFailure).start(
        id: HostArena.id, with: Value())
      let transactions = HostArena.Transactions(seed: seed) { MemoryTransaction(on: store) }
      let arena = HostArena(
        world, clock, tester.host, suspendsOnFailure: suspendsOnFailure, in: transactions)
      try await withThrowingTaskGroup(of: Void.self) { group in
        if crashes { crashTrigger.arm(after: random.below(30), writingLast: random.percent(50)) }
        group.addTask {
          await Attackers(program, world, arena, patience: patience).attack(tasks: 2, seed: seed)
          crashTrigger.finish()
        }
        let watch = Task { await watchProgress(arena) }
        let release = Task { await letGo(in: world) }
        for await _ in crashTrigger.crashes {
          crashTrigger.disarm()
          try await tester.crash()
          arena.host = tester.host
          crashTrigger.arm(after: random.below(60), writingLast: random.percent(50))
        }
        watch.cancel()
        release.cancel()
        await watch.value
        try await group.waitForAll()
      }
      let history = try await tester.history(of: HostArena.id)
      do { try await checkScrambled(program, world, try await tester.view(of: HostArena.id), history) } catch {
        throw Violation("\(error)\n  history: \(history.map { "\($0.what) \($0.step?.name ?? "")" })")
      }
      return arena.verbs
    }
  } catch {
    throw Violation(
      "\(error)\n  trace: \(world.text)\n  program: \(program.text)")
  }
}

/// The pace of a store whose calls take time, as those of a database do. One store in three is as fast as it is.
final class Pace: Sendable {
  private let random: Lock<Chance>
  private let longest: Int

  init(seed: UInt64) {
    var random = Chance(seed: ~seed)
    longest = random.pick([(1, 0), (1, 5), (1, 60)])
    self.random = Lock(random)
  }

  /// Returns a delay before or after the work of a call.
  func delay() -> StoreFault? {
    guard longest > 0 else { return nil }
    let (turns, isLate) = random.withLock { ($0.below(longest), $0.percent(50)) }
    return isLate
      ? .holdReply { for _ in 0..<turns { await Task.yield() } }
      : .delay { for _ in 0..<turns { await Task.yield() } }
  }
}

/// Does what is due, again and again, as a host's `run` does.
private func watchProgress(_ arena: HostArena) async {
  while !Task.isCancelled {
    _ = try? await arena.host.catchUp()
    for _ in 0..<20 { await Task.yield() }
  }
}

/// Releases held notes now and then: an update is received again when its flow is activated, and all attackers may wait
/// for that.
private func letGo(in world: World) async {
  while !Task.isCancelled {
    for _ in 0..<1_000 { await Task.yield() }
    world.letGo()
  }
}

func checkScrambled(
  _ program: Program, _ world: World, _ view: FlowView, _ history: [HistoryEntry]
) async throws(Violation) {
  try checkWorld(program, world, isRolledBack: history.isRolledBack)
  switch view.status {
  case .finished: return
  case .failed:
    let reason = view.failure ?? "?"
    try expect(
      !reason.contains("CancellationError") && !reason.contains("nobody"),
      "rule 13: the flow failed of something that nobody caused: \(reason)")
  case .abandoned, .cancelled: break
  default: throw Violation("rule 13: the flow is \(view.status) at the end: \(view.failure ?? "")")
  }
}
