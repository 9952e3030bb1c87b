import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

/// Plays a program on two running hosts of one store, with several attackers at once. Each request goes to one of the
/// hosts at random, also to one that cannot run the flow.
///
/// - Parameters:
///   - deploy: The builds of the hosts.
///   - operators: The number of operators who edit, note, refresh, reassign and retry beside the attackers.
package func playTwoHostScramble(
  seed: UInt64, _ deploy: Deploy, operators: Int = 0
) async throws(Violation) {
  var generator = ProgramGenerator(seed: seed, .free)
  let program = generator.program()
  var random = generator.random
  let patience = random.below(25)
  let renamed = Set(program.steps.map(\.name).filter { _ in deploy != .none && random.percent(50) })
  let callsAgain = seed % 3 == 0
  let suspends = seed % 2 == 0 && (callsAgain || program.steps.allSatisfy { $0.backUpOutcome == .works })
  let world = World(isHosted: true, yields: true, renamed: renamed, callsAgain: callsAgain)
  let clock = ManualWallClock()
  var options = FlowHost.Options.storing(seed)
  options.keepHot = random.percent(50) ? .zero : .seconds(30)
  // The attackers move the clock, and an expired lease is like a crash.
  options.leaseTime = .seconds(100_000_000)
  let arena: HostArena
  do {
    arena = try await scramble(
      program, in: world, deploy, suspendsOnFailure: suspends, seed, patience, operators, clock, options)
  } catch { throw Violation("\(error)\n  trace: \(world.text)\n  program: \(program.text)") }
  do {
    let flow = arena.host.flow(HostArena.id)
    let history = try await flow.history(limit: 100_000)
    do {
      try await checkScrambled(program, world, try await flow.view(), history)
      try arena.checkAcknowledged(in: history)
    } catch {
      throw Violation("\(error)\n  history: \(history.map { "\($0.what) \($0.step?.name ?? "")" })")
    }
  } catch { throw Violation("\(error)\n  trace: \(world.text)\n  program: \(program.text)") }
}

/// Plays until the flow has ended and both hosts have stopped.
private func scramble(
  _ program: Program, in world: World, _ deploy: Deploy, suspendsOnFailure: Bool, _ seed: UInt64, _ patience: Int,
  _ operators: Int, _ clock: ManualWallClock, _ options: FlowHost.Options
) async throws -> HostArena {
  let base = MemoryFlowStore(clock: clock)
  let pace = Pace(seed: seed)
  let store = FaultyStore(base) { _ in pace.delay() }
  let session = world.newHostSession()
  let old = try FlowHost(store: store, clock: clock, owner: "old", options: options)
  let new = try FlowHost(store: store, clock: clock, owner: "new", options: options)
  let flows = try await deploy.register(
    program, in: session, suspendsOnFailure: suspendsOnFailure, onNew: false, with: old)
  _ = try await deploy.register(program, in: session, suspendsOnFailure: suspendsOnFailure, onNew: true, with: new)
  try await flows.start(id: HostArena.id, with: Value())
  let arena = HostArena(world, clock, old, beside: (new, seed), suspendsOnFailure: suspendsOnFailure)
  let time = Task { await passTime(clock, in: world) }
  defer { time.cancel() }
  let running = [old, new].map { host in Task { try await host.run() } }
  await withTaskGroup(of: Void.self) { group in
    group.addTask { await Attackers(program, world, arena, patience: patience).attack(tasks: 2, seed: seed) }
    for number in 0..<operators {
      group.addTask { await operate(arena, Chance(seed: seed &+ 0x0FE2_A702 &* UInt64(number + 1))) }
    }
  }
  for task in running { task.cancel() }
  for task in running { try await task.value }
  // A host that has stopped can still look.
  return arena
}

/// Lets time pass, as slowly as attackers make requests, and releases held notes: hosts yield flows after a time.
private func passTime(_ clock: ManualWallClock, in world: World) async {
  while !Task.isCancelled {
    for _ in 0..<500 { await Task.yield() }
    clock.advance(by: .milliseconds(600))
    world.letGo()
  }
}

/// An operator, who takes some turns and does not answer.
private func operate(_ arena: HostArena, _ random: Chance) async {
  var random = random
  for _ in 0..<(5 + random.below(20)) {
    if await arena.hasEnded { return }
    switch random.below(8) {
    case 0, 1: await arena.edit()
    case 2, 3: await arena.retry()
    case 4:
      await arena.refresh()
      await arena.move()
    case 5: if let question = await arena.questions.randomElement(using: &random) { await arena.reassign(question.id) }
    default: await arena.note()
    }
    for _ in 0..<random.below(30) { await Task.yield() }
  }
}
