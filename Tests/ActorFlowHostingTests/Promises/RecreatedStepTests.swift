import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A back that activates its flow lands on a step that must be created again before its `proceed` can be called.
@Suite("Rule 2: a back to a step that is created again", .timeLimit(.minutes(15))) struct RecreatedStepTests {
  private let log = Log()

  /// - Parameter landing: Runs when the first step is created after its `backUp` has run.
  private func flow(landing: @escaping @Sendable () async throws -> Void) -> Flow<String, String> {
    Flow("f") { [log] in
      Step("first") {
        if log.all.contains("undo first") { try await landing() }
        return Asker(log)
      }
      Step("second") { Asker(log) }
    }
    .onFailure(.rollBack)
  }

  private func start(_ flow: Flow<String, String>, on tester: HostTester) async throws {
    try await tester.deploy(flow).start(id: "f", with: "-")
    try await tester.answer(Form.self, of: "f", with: "a")
    try await tester.settle()
  }

  private var undone: [String] { log.all.filter { $0.hasPrefix("undo") } }

  @Test("an abandon meanwhile does not call backUp a second time")
  func abandoned() async throws {
    let gate = Gate()
    try await testHost(exhaustive: false) { tester in
      try await start(flow { await gate.pass() }, on: tester)
      let host = tester.host
      async let backedUp = host.flow("f").backUp()
      await gate.reached()
      async let abandoned = host.flow("f").abandon(rollingBack: true)
      while !(try await host.flow("f").history()).contains(where: { $0.what == "leaving" && $0.step?.name == "first" })
      {
        await Task.yield()
      }
      gate.open()
      _ = try? await backedUp
      _ = try await abandoned
      try await tester.settle()
      #expect(undone == ["undo second", "undo first"])
    }
  }

  @Test("a failure to create the step does not call backUp a second time")
  func notMade() async throws {
    try await testHost(exhaustive: false) { tester in
      try await start(flow { throw Boom() }, on: tester)
      _ = try? await tester.host.flow("f").backUp()
      try await tester.settle()
      let view = try await tester.view(of: "f")
      #expect(view.status == .failed)
      #expect(!view.rollbackFailed, "no backUp is left that would need the step again")
      #expect(undone == ["undo second", "undo first"])
    }
  }
}
