import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Two hosts and 1,000 flows", .timeLimit(.minutes(15))) struct TwoHostsTests {
  /// The way in which a host is stopped without notice.
  enum Stop: CaseIterable {
    /// The host dies: none of its calls reaches the store any more.
    case death
    /// The host stalls: its calls reach the store after another host has taken over its flows.
    case stall
  }

  /// `ACTORFLOW_SEED` plays another sequence.
  @Test(
    "one host stops without notice and starts again: no record twice, no answer lost, each flow ends",
    arguments: Stop.allCases)
  func stopped(_ stop: Stop) async throws {
    let seed = Chance.seed
    let hosts = try await TwoHosts(seed: seed)
    #if THREAD_SANITIZER
      let count = 100
    #else
      let count = 1_000
    #endif
    let ids = (0..<count).map { FlowID("order-\($0)") }
    let stalled = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in ids { group.addTask { try await hosts.play(id) } }
      await hosts.answered.reached(count / 5 + Chance(seed: seed).below(count))
      hosts[0].store.plan { _ in
        switch stop {
        case .death: .fail(.unavailable)
        case .stall: .delay { await stalled.pass() }
        }
      }
      let held = hosts.held(by: 0)
      #expect(!held.isEmpty, "seed \(seed)")
      // When its beat is overdue, the other host ends the stopped host's epoch with the first flow that it wants.
      hosts.clock.advance(by: FlowHost.Options().leaseTime)
      try await hosts[1].host.takeUpWork()
      stalled.open()
      if stop == .death { try await hosts.begin(0) }
      try await group.waitForAll()
    }
    #expect(hosts.world.repeated == [], "seed \(seed)")
    for id in ids { try await hosts.expectWhole(id) }
    for index in 0...1 { await hosts[index].host.isQuiet() }
    #expect(hosts.held(by: 0) + hosts.held(by: 1) == [])
  }
}
