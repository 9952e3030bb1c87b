import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("Failures of hosts under test", .timeLimit(.minutes(15))) struct HostTesterFailureTests {
  private let log = Trace()

  @Test("unasserted facts fail the test, all at once")
  func exhaustive() async throws {
    let failing = Flow<String, String>("failing") {
      Step("bad") { (_: String, _: StepContext) throws -> String in throw WorkError() }
    }
    let waiting = Flow<String, String>("waiting") {
      Step("wait") { (_: String, context: StepContext) in try await context.wait(for: Signal<String>("go")) }
    }
    func leave(_ body: (HostTester) async throws -> Void) async throws -> [String] {
      do {
        try await testHost { tester in
          try await tester.deploy(patient(log)).start(id: "asks", with: "-")
          try await tester.deploy(failing).start(id: "fails", with: "-")
          try await tester.deploy(waiting).start(id: "waits", with: "-")
          try await tester.deploy(patient(log, "late", days: 1)).start(id: "ended", with: "-")
          try await tester.advance(by: .day)
          try await body(tester)
        }
        return []
      } catch let failure as FlowTestFailure {
        return failure.message.split(separator: "\n").map { String($0.drop { $0 == " " }) }
      }
    }
    #expect(
      try await leave { _ in } == [
        "at the end of the test this was not asserted:",
        "asks has an open question, \(TextForm.promptName) at patient/ask",
        "ended has ended, finished", "fails is stopped at failing/bad: WorkError()",
        "waits waits for the signal \"go\"",
      ])
    let rest = try await leave { tester in
      _ = try await tester.question(TextForm.self, of: "asks")
      #expect(try await tester.failure(of: "fails") == "WorkError()")
      try await tester.retry("fails")  // fails again: that is news
      #expect(try await tester.signals(of: "waits") == ["go"])
      try await tester.abandon("waits", reason: "enough")
    }
    #expect(
      rest == [
        "at the end of the test this was not asserted:", "ended has ended, finished",
        "fails is stopped at failing/bad: WorkError()",
      ])
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(patient(log)).start(id: "asks", with: "-")
    }
  }

  @Test("an ending that was asserted stays asserted after a note and a redaction; that of a new flow of its id is news")
  func asserted() async throws {
    let flow = Flow<String, String>("f") { Step("work") { (input: String, _: StepContext) in input } }
    let failure = await #expect(throws: FlowTestFailure.self) {
      try await testHost { tester in
        let flows = try await tester.deploy(flow)
        try await flows.start(id: "f", with: "-")
        try await flows.finish("f")
        try await tester.host.flow("f").note("archived")
        try await tester.host.flow("f").redact(reason: "the end")
        try await flows.start(id: "g", with: "-")
        try await flows.finish("g")
        try await tester.host.flow("g").delete()
        try await tester.advance(by: .seconds(1))
        try await flows.start(id: "g", with: "-")
        try await tester.settle()
      }
    }
    #expect(failure?.message == "at the end of the test this was not asserted:\n  g has ended, finished")
  }

  @Test("an unmet expectation reports the position of the flow")
  func expectations() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(patient(log))
      try await flows.start(id: "p", with: "-")
      let wrong = await #expect(throws: FlowTestFailure.self) { try await flows.finish("p", fileID: "F", line: 7) }
      #expect(
        wrong?.description
          == "F:7: expected p to have finished, but it has an open question, \(TextForm.promptName) at patient/ask")
      let none = await #expect(throws: FlowTestFailure.self) { try await tester.question(Other.self, of: "p") }
      #expect(none?.message.hasSuffix("but it has an open question, \(TextForm.promptName) at patient/ask") == true)
      await #expect(throws: FlowTestFailure.self) { try await tester.failure(of: "p") }
    }
  }

  @Test("a step that does not return is named, and the test does not hang")
  func hanging() async throws {
    let (gate, real) = (Gate(), ManualClock())
    let flow = Flow<String, String>("f") {
      Step("stuck") { (input: String, _: StepContext) in
        await gate.pass()
        return input
      }
    }
    let failure = await #expect(throws: FlowTestFailure.self) {
      try await testHost(patience: Patience(.seconds(1), clock: real)) { tester in
        defer { gate.open() }
        try await tester.deploy(flow).hosted.start(id: "f", with: "-")
        await gate.reached(1)
        let impatience = Task {
          try await real.waitForSleepers()
          real.advance(by: .seconds(1))
        }
        defer { impatience.cancel() }
        try await tester.settle()
      }
    }
    #expect(failure?.message.hasSuffix(": f at f/stuck") == true)
  }
}

private struct Other: Prompt, Codable {
  typealias Answer = String
}
