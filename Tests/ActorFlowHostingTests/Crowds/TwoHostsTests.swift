import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Two hosts and 1,000 flows", .timeLimit(.minutes(15))) struct TwoHostsTests {
  /// How a host is stopped without a word.
  enum Stop: CaseIterable {
    /// It dies: none of its calls comes to the store any more.
    case death
    /// It stalls: its calls come to the store when another host has its flows.
    case stall
  }

  /// `ACTORFLOW_SEED` plays another sequence.
  @Test(
    "one host is stopped without a word and started again: no record twice, no answer lost, each flow ends",
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
      // The lease's time: after it nothing is the stopped host's any more.
      hosts.clock.advance(by: FlowHost.Options().leaseTime)
      #expect(hosts.held(by: 0).isEmpty)
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
