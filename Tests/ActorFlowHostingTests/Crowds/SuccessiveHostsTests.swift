import ActorFlow
import Testing

@testable import ActorFlowHosting

@Suite("Hosts that succeed each other", .timeLimit(.minutes(15))) struct SuccessiveHostsTests {
  /// `ACTORFLOW_SEED` plays another sequence.
  @Test("replies come late and hosts die: none executes an effect twice, each flow ends, and no lease is left")
  func succession() async throws {
    #if THREAD_SANITIZER
      let (games, count) = (1, 20)
    #else
      let (games, count) = (2, 20)
    #endif
    for game in 0..<games {
      let seed = Chance.seed + UInt64(game)
      let hosts = SuccessiveHosts(seed: seed)
      try await hosts.play((0..<count).map { FlowID("order-\($0)") }, hosts: 6)
      #expect(hosts.repeated == [], "seed \(seed)")
      #expect(hosts.store.state.withLock { $0.leases.flows(of: "host") } == [], "seed \(seed)")
    }
  }
}
