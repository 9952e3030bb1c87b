import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

/// What a game with two hosts has come to.
package struct RollingReport: Sendable {
  /// The number of requests that the host refused that cannot run the flow.
  package var refused = 0
  /// The number of moves of the flow between the versions.
  package var moves = 0
}

/// Plays a sequential program on hosts of two builds, between which each request chooses, and compares the flow with the
/// naive model after each request. Requests also come to a host that cannot run the flow.
package func playRollingGame(seed: UInt64, _ deploy: Deploy) async throws(Violation) -> RollingReport {
  var generator = ProgramGenerator(seed: seed, .sequential)
  let program = generator.program()
  let random = generator.random
  var choosing = Chance(seed: seed &+ 0xDE9_107)
  let renamed = Set(program.steps.map(\.name).filter { _ in choosing.percent(50) })
  let suspends = choosing.percent(50)
  let world = World(isHosted: true, renamed: renamed)
  let model = Model(program, mayCrash: false, suspends: suspends)
  let clock = ManualWallClock()
  let options = FlowHost.Options.storing(seed)
  var played: [String] = []
  do {
    return try await testHost(
      on: MemoryFlowStore(clock: clock), clock: clock, options: options, exhaustive: false,
      patience: Patience(.seconds(600))
    ) { tester in
      let session = world.newHostSession()
      let flows = try await tester.deploy { host in
        try await deploy.register(program, in: session, suspendsOnFailure: suspends, onNew: false, with: host)
      }
      let old = tester.host
      try await tester.addHost("new", deploying: false)
      let new = try await tester.on("new") {
        try await tester.deploy { host in
          try await deploy.register(program, in: session, suspendsOnFailure: suspends, onNew: true, with: host)
        }
        return tester.host
      }
      var game = HostGame(tester, HostArena(world, clock, old), CrashTrigger(), model, nil)
      game.rolling = HostGame.Rolling(deploy: deploy, old: old, new: new, random: choosing)
      game.operating = Chance(seed: seed &+ 0x0FE2_A702)
      (game.editing, game.moving) = (Chance(seed: seed &+ 0xED17_1265), Chance(seed: seed &+ 0x3071_1265))
      game.suspending = Chance(seed: seed &+ 0x5A59_E4D5)
      let format = options.writesFormat ?? .max
      (game.canReassign, game.canRedact, game.canEnter) = (format >= 8, format >= 9, format >= 9)
      try await game.start(flows, trace: [:])
      var player = Player(random, isHosted: true)
      player.canSettle = format >= 10
      try await game.play(player, &played)
      try await game.finish(flows)
      let moves = try await tester.history(of: HostArena.id).filter { $0.what == "moved" && $0.detail != nil }.count
      return RollingReport(refused: game.rolling?.refused ?? 0, moves: moves)
    }
  } catch {
    throw Violation(
      "\(error)\n  played: \(played.joined(separator: ", "))\n  trace: \(world.text)"
        + "\n  program: \(program.text)")
  }
}

extension HostGame {
  /// Two hosts in a rolling deploy.
  struct Rolling {
    let deploy: Deploy
    let old: FlowHost
    let new: FlowHost
    var random: Chance
    /// The number of requests that a host has refused that cannot run the flow.
    var refused = 0
  }

  /// Chooses the host of the next request. If it cannot run the flow, it refuses a request, and the other one is taken.
  ///
  /// - Returns: The host in words; `nil` if there is no choice.
  mutating func chooseHost() async throws -> String? {
    guard let rolling else { return nil }
    let version = try await tester.view(of: HostArena.id).version
    var isNew = self.rolling?.random.percent(50) == true
    if !rolling.deploy.runs(version, onNew: isNew) {
      try await tryInVain(at: isNew ? rolling.new : rolling.old)
      isNew.toggle()
    }
    arena.host = isNew ? rolling.new : rolling.old
    switch rolling.deploy.version(onNew: isNew, from: version) {
    case 2: arena.world.releases(.second(admits: true))
    default: arena.world.releases(version == 2 ? .takenBack : .first)
    }
    return isNew ? "at new" : "at old"
  }

  /// Sends a request to a host that cannot run the flow, which refuses it and changes nothing.
  private mutating func tryInVain(at host: FlowHost) async throws {
    let before = try await tester.view(of: HostArena.id)
    var requests: [(String, @Sendable (HostedFlow) async throws -> Void)] = [
      ("send", { try await $0.send(1, to: Signal<Int>("x"), key: "vain", by: .player) }),
      ("backUp", { try await $0.backUp(by: .player) }), ("abandon", { try await $0.abandon(by: .player) }),
      ("note", { try await $0.note("in vain", by: .player) }), ("retry", { try await $0.retry(by: .player) }),
      ("edit", { try await $0.edit([.custom { _ in }], by: .player) }),
      ("refresh", { try await $0.refresh(by: .player) }), ("move", { try await $0.move(by: .player) }),
    ]
    if let question = before.questions.first?.id {
      requests.append(("answer", { try await $0.answer(question, with: Command.ask, by: .player) }))
    }
    let (name, request) = requests[rolling?.random.below(requests.count) ?? 0]
    let refusal = await outcome { try await request(host.flow(HostArena.id)) }
    try expectEqual(refusal, "unmigrated", "how \(name) ended at a host that cannot run the flow")
    try expectEqual(
      try await tester.view(of: HostArena.id).revision, before.revision, "the revision after \(name) at a wrong host")
    rolling?.refused += 1
  }
}
