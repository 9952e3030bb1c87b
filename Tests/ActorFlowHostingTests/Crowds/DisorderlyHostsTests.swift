import ActorFlow
import Testing

@Suite("Hosts in disorder", .timeLimit(.minutes(15))) struct DisorderlyHostsTests {
  /// `ACTORFLOW_SEED` plays another sequence.
  @Test(
    "replies are lost, hosts stall, are cut off and start again: no record twice, no answer lost, each flow ends",
    arguments: [2, 3, 5])
  func disorder(_ members: Int) async throws {
    let seed = Chance.seed
    let hosts = try await DisorderlyHosts(members, seed: seed)
    #if THREAD_SANITIZER
      let count = 60
    #else
      let count = 400
    #endif
    let ids = (0..<count).map(DisorderlyHosts.awkward)
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Each flow has three answers; the last disturbance comes before the last answers.
      let times = 20
      group.addTask { try await hosts.disturb(times, every: count * 2 / times) }
      for id in ids { group.addTask { try await hosts.play(id) } }
      try await group.waitForAll()
    }
    try await hosts.removedArchive()
    await hosts.end()
    try await hosts.expectWhole(ids + DisorderlyHosts.old)
  }
}
