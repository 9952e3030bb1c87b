import Testing

@testable import ActorFlow

/// Flows that are taken up where each of their commits left them.
@Suite("Kept flows: a crash at every commit") struct CrashTests {
  static let scenes =
    KeptScene.composing + KeptScene.timing + KeptScene.leaving + KeptScene.policies + KeptScene.rendering

  @Test("however often the process dies, the flow comes to the same end", .timeLimit(.minutes(15)), arguments: scenes)
  func everyCommit(_ scene: KeptScene) async throws {
    let whole = try await scene.live()
    #expect(whole.commits.count > 3)
    #expect(whole.commits.last?.snapshot.ending != nil)
    try await scene.die(times: 1, in: whole, expecting: whole)
  }

  @Test("a flow that dies twice comes to the same end", .timeLimit(.minutes(15)), arguments: scenes)
  func twice(_ scene: KeptScene) async throws {
    let whole = try await scene.live()
    try await scene.die(times: 2, in: whole, expecting: whole, every: 11)
  }

  @Test("what is read back and written again is the same", arguments: scenes)
  func roundTrip(_ scene: KeptScene) async throws {
    let whole = try await scene.live()
    let kept = KeptFlow(try scene.flow(Trace()))
    for snapshot in whole.commits.map(\.snapshot) where snapshot.ending == nil {
      let once = try kept.machine(of: snapshot).snapshot(kept.names, with: JSONCodec())
      let twice = try kept.machine(of: once).snapshot(kept.names, with: JSONCodec())
      #expect(once == twice)
      #expect(once.main.places == snapshot.main.places)
      #expect(once.main.question == snapshot.main.question)
      #expect(once.branches.map(\.question) == snapshot.branches.map(\.question))
    }
  }
}
