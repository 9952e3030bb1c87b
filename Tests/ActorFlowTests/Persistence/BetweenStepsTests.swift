import ActorFlowTesting
import Testing

@testable import ActorFlow

@Suite("Persisted flows that are left between two steps", .timeLimit(.minutes(15))) struct BetweenStepsTests {
  private enum Way: CaseIterable { case back, timeout, abandon }

  @Test("a flow that is left after the join of its branches can be stored", arguments: Way.allCases)
  private func joined(_ way: Way) async throws {
    let (trace, made) = (Trace(), Checkpoint())
    let recorder = FlowRecorder(
      Flow("f") {
        tracedAsker("a", trace)
        Flow<String, String>("part") {
          tracedCharger("b", trace)
          Race {
            tracedCharger("x", trace)
            tracedAsker("y", trace)
          }
          Step<String, String>("slow") {
            await made.pass()
            return Asker(trace)
          }
        }
        .timeout(.seconds(5))
        .recover { _ in "recovered" }
        tracedAsker("z", trace)
      }, tracing: trace)
    let run = try await recorder.start(with: "-")
    let asked = try #require(try await run.coordinator.settled().questions.first)
    try await run.answerIt(asked)
    await made.reached()
    switch way {
    case .back:
      async let back: Void = run.coordinator.backUp()
      made.open()
      try await back
    case .timeout:
      recorder.clock.advance(by: .seconds(5))
      made.open()
    case .abandon:
      async let end: Void = run.coordinator.abandon()
      made.open()
      try await end
    }
    _ = try? await run.coordinator.settled()
    #expect(await run.coordinator.position.step?.name == (way == .back ? "a" : way == .timeout ? "z" : nil))
    await run.passivate()
    for commit in recorder.all where commit.snapshot.ending == nil { _ = try recorder.machine(of: commit.snapshot) }
  }

  @Test("a flow stored by an earlier version with a start value while it was being left is read and rolled back")
  func storedBefore() async throws {
    let recorder = FlowRecorder(
      Flow("f") {
        Race { tracedAsker("x", Trace()) }
        tracedAsker("z", Trace())
      })
    let run = try await recorder.start(with: "-")
    for _ in 0..<2 { try await run.answerIt(#require(try await run.coordinator.settled().questions.first)) }
    let joined = try #require(recorder.all.last { $0.snapshot.main.start != nil && !$0.snapshot.main.places.isEmpty })
    var left = joined.snapshot
    left.main.phase = .compensating
    left.main.leave = PackedLeave(
      goal: .end(.abandoned(reason: ""), rollBack: true), number: 1, visit: left.main.places.last?.visit, since: .zero,
      failures: [], isAnnounced: true)
    #expect(try recorder.machine(of: left).main.start == nil)
    let again = try recorder.resume(left)
    await again.run.value
    #expect(await again.coordinator.position.status == .ended(.abandoned(reason: "")))
  }
}
