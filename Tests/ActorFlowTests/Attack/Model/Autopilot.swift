import ActorFlow

/// Plays the driver of a stage: gives random commands after a random number of yields, so that everything moves at
/// once.
final class Autopilot: Sendable {
  private let random: Lock<SeededGenerator>

  init(seed: UInt64) {
    random = Lock(SeededGenerator(seed: seed))
  }

  func command(at spot: Stage.Spot, isDeaf: Bool) async throws -> Command {
    for _ in 0..<random.withLock({ $0.below(4) }) { await Task.yield() }
    if !isDeaf { try Task.checkCancellation() }
    guard case .proceed = spot else { return .go }
    return random.withLock { random in
      // A step that ignores its cancellation would never end.
      if Task.isCancelled { return .proceed(output: "late") }
      let effect: Effect = random.pick([(6, .works(isGated: true)), (1, .failsBefore), (1, .failsAfter)])
      let key = Puppet.effectKeys[random.below(Puppet.effectKeys.count)]
      return random.pick([
        (40, .ask), (25, .once(key, effect)), (30, .proceed(output: "out")), (4, .backUp), (1, .fail), (1, .abandon),
        (1, .pretendCancelled),
      ])
    }
  }
}
