import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

private struct NotAManager: Error, Equatable {}

/// The ids that a directory knows as managers.
private final class Directory: Sendable {
  private let ids = Lock<Set<String>>(["bob"])
  func knows(_ id: String?) -> Bool { ids.withLock { $0.contains(id ?? "") } }
  func set(_ managers: Set<String>) { ids.withLock { $0 = managers } }
}

@Suite("Guards and finalizers of hosted flows", .timeLimit(.minutes(15))) struct HostedGuardTests {
  private let log = Log()
  private let ann = Principal(id: "ann", roles: ["clerk"])
  private let bob = Principal(id: "bob", roles: ["manager"])
  private let managers = Directory()

  private var flow: Flow<String, String> {
    Flow("f") { [log, managers] in
      Step("first") { Asker(log) }
      Flow {
        Step("second") { Asker(log) }
        Step("third") { Asker(log) }
      }
      .guarded { input, context in
        log.add("guard \(input) \(context.startedBy?.id ?? "-") \(context.answeredBy?.id ?? "-")")
        guard managers.knows(context.answeredBy?.id) else { throw NotAManager() }
      }
      .finally("release") { input in log.add("release \(input)") }
      Step("last") { Asker(log) }
    }
  }

  private var guards: [String] { log.all.filter { $0.hasPrefix("guard") } }

  @Test("WF-29 a guard that is not met suspends the flow with its error and enters nothing; a retry asks it again")
  func refused() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-", by: ann)
      try await tester.answer(Form.self, of: "f", with: "a", by: ann)
      let view = try await tester.view(of: "f")
      #expect(view.status == .suspended && view.failure?.contains("NotAManager") == true)
      #expect(view.stack.map(\.name) == ["first"])
      managers.set(["ann", "bob"])
      try await tester.retry("f")
      // The step in front is retried: it finds its answer in the journal.
      #expect(try await tester.view(of: "f").stack.map(\.name) == ["second", "first"])
      #expect(guards == ["guard -a ann ann", "guard -a ann ann"])
    }
  }

  @Test("WF-29 a guard is asked again when the flow is activated, by what is stored, and a refusal calls no step")
  func resumed() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-", by: ann)
      try await tester.answer(Form.self, of: "f", with: "a", by: bob)
      try await tester.crash()
      try await tester.answer(Form.self, of: "f", with: "b", by: ann)
      #expect(try await tester.view(of: "f").stack.map(\.name) == ["third", "second", "first"])
      #expect(guards.count >= 2 && Set(guards) == ["guard -a ann bob"])
      managers.set([])
      try await tester.crash()
      await #expect(throws: FlowError.self) { try await tester.answer(Form.self, of: "f", with: "c", by: ann) }
      let view = try await tester.view(of: "f")
      #expect(view.status == .suspended && view.failure?.contains("NotAManager") == true)
      #expect(view.stack.map(\.name) == ["third", "second", "first"])
      #expect(Set(guards) == ["guard -a ann bob"], "asked about the one who was admitted")
      managers.set(["bob"])
      try await tester.retry("f")
      #expect(try await tester.view(of: "f").questions.first?.step.name == "third")
      try await tester.answer(Form.self, of: "f", with: "c", by: bob)
      #expect(log.all.filter { $0.hasPrefix("release") } == ["release -a"])
      try await tester.answer(Form.self, of: "f", with: "d")
      #expect(try await tester.view(of: "f").status == .finished)
    }
  }

  @Test("WF-31 a release runs once on every ending, and is in the history where the component has ended")
  func endings() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-", by: bob)
      try await tester.answer(Form.self, of: "f", with: "a", by: bob)
      try await tester.abandon("f")
      #expect(
        log.all.filter { $0.hasPrefix("release") || $0.hasPrefix("undo") } == [
          "undo second", "release -a", "undo first",
        ])
      try await flows.start(id: "g", with: "+", by: bob)
      for answer in ["a", "b", "c"] { try await tester.answer(Form.self, of: "g", with: answer, by: bob) }
      try await tester.abandon("g", rollingBack: false)
      #expect(log.all.filter { $0.hasPrefix("release") } == ["release -a", "release +a"])
      #expect(try await tester.history(of: "g").contains { $0.what == "finalizing" && $0.step?.name == "release" })
    }
  }
}
