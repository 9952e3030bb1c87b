import ActorFlow
import ActorFlowHosting

// Flows that a failed step has suspended: they wait for an operator.
extension HostGame {
  /// Does something with the suspended flow. Returns it in words.
  mutating func standStill() async throws -> String {
    standstills += 1
    let choice = suspending?.below(100) ?? 0
    // A game ends even if every retry fails.
    if standstills > 40 || model.isHopeless && choice < 30 { return try await play(.abandon(rollingBack: true)) }
    switch choice {
    case ..<54: return try await retry()
    case ..<64: return try await playRefused()
    case ..<74:
      guard let (name, input, carried, onlyAsks) = model.completable else { return try await retry() }
      arm()
      return try await completeOrEnter(suspending?.below(6) ?? 0, name, input, carried, onlyAsks)
    case ..<84: return try await operate()
    case ..<94: return try await edit()
    case ..<97:
      try await work()
      return "work"
    default: return try await play(.abandon(rollingBack: suspending?.percent(85) == true))
    }
  }

  private mutating func play(_ request: Player.Request) async throws -> String {
    try await perform(request)
    return "\(request)"
  }

  /// Makes a request that is refused while the flow is suspended.
  private mutating func playRefused() async throws -> String {
    switch suspending?.below(3) ?? 0 {
    case 0: return try await play(.backUp(to: nil))
    case 1: return try await play(.send("x", 1, key: nil))
    default:
      arm()
      try await check(.refresh, "refresh", "suspended") { host, key in
        try await host.flow(HostArena.id).refresh(by: .player, key: key)
      }
      return "refresh"
    }
  }

  /// Retries the step that has failed, after the cause of the failure was removed or not.
  private mutating func retry() async throws -> String {
    let cause = suspending?.percent(60) == true ? model.mend() : nil
    if let cause { arena.world.mends(cause) }
    arm()
    try await check(.retry, "retry", model.retry()) { host, key in
      try await host.flow(HostArena.id).retry(reason: "outside", by: .player, key: key)
    }
    return "retry\(cause.map { " without \($0)" } ?? "")"
  }

  /// Retries the `backUp`s that have thrown in a flow that has ended, after their cause was removed or not.
  mutating func retryAfterEnd() async throws -> String {
    let repairs: [World.Repair] = [.works, .works, .failsAgain, .failsLate]
    let repair = repairs[ending?.below(repairs.count) ?? 0]
    arena.world.repairs(repair)
    try await check(.retryAfterEnd, "retry after the end", model.retryAfterEnd(repair)) { host, key in
      try await host.flow(HostArena.id).retry(reason: "outside", by: .player, key: key)
    }
    // The verb returns before the `backUp`s have ended.
    try await settle()
    arena.world.repairs(nil)
    return "retry after the end: \(repair)"
  }
}
