import Testing

@testable import ActorFlow

/// Flows that are activated at each of their commits.
@Suite("Persisted flows: a crash at every commit") struct CrashTests {
  static let scenarios =
    RestartScenario.composing + RestartScenario.timing + RestartScenario.leaving + RestartScenario.policies
    + RestartScenario.rendering + RestartScenario.guarding + RestartScenario.replaying
    + RestartScenario.firsts

  @Test(
    "after any number of crashes the flow comes to the same end", .timeLimit(.minutes(15)), arguments: scenarios)
  func everyCommit(_ scenario: RestartScenario) async throws {
    let whole = try await scenario.record()
    #expect(whole.commits.count > 3)
    #expect(whole.commits.last?.snapshot.ending != nil)
    try await scenario.crash(times: 1, in: whole, expecting: whole)
  }

  @Test(
    "if moves wait for the next commit, a crash at any commit comes to the same end", .timeLimit(.minutes(15)),
    arguments: scenarios)
  func everyJointCommit(_ scenario: RestartScenario) async throws {
    let whole = try await scenario.record()
    let joint = try await scenario.record(holds: true)
    #expect(joint.commits.count <= whole.commits.count)
    #expect(joint.outcome == whole.outcome && joint.undone == whole.undone)
    try await scenario.crash(times: 1, in: joint, expecting: joint, holds: true)
  }

  @Test("a flow that crashes twice comes to the same end", .timeLimit(.minutes(15)), arguments: scenarios)
  func twice(_ scenario: RestartScenario) async throws {
    let whole = try await scenario.record()
    try await scenario.crash(times: 2, in: whole, expecting: whole, every: 11)
  }

  @Test("a snapshot that is read and written again is unchanged", arguments: scenarios)
  func roundTrip(_ scenario: RestartScenario) async throws {
    let whole = try await scenario.record()
    let recorder = FlowRecorder(try scenario.flow(Trace()))
    for snapshot in whole.commits.map(\.snapshot) where snapshot.ending == nil {
      let once = try recorder.machine(of: snapshot).snapshot(recorder.names, with: JSONCodec())
      let twice = try recorder.machine(of: once).snapshot(recorder.names, with: JSONCodec())
      #expect(once == twice)
      #expect(once.main.places == snapshot.main.places)
      #expect(once.main.question == snapshot.main.question)
      #expect(once.branches.map(\.question) == snapshot.branches.map(\.question))
    }
  }
}
