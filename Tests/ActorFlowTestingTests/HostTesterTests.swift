import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("Hosts under test", .timeLimit(.minutes(15))) struct HostTesterTests {
  private let log = Trace()

  @Test("a crash loses the memory of the host and nothing that was acknowledged; handles stay valid")
  func crash() async throws {
    let gate = Gate()
    let flow = Flow<String, String>("f") {
      Step("ask") { (input: String, context: StepContext) in
        input + (try await context.ask(TextForm(text: input)))
      }
      Step("work") { [log] (input: String, context: StepContext) in
        try await context.once("done") { _ in log.add("once") }
        log.add("entered")
        await gate.pass()
        return input + "!"
      }
    }
    try await testHost { tester in
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-")
      let question = try await tester.question(TextForm.self, of: "f")
      try await tester.crash()
      #expect(try await tester.question(TextForm.self, of: "f").id == question.id)
      try await tester.host.flow("f").answer(question.id, with: "yes")
      await gate.reached(1)
      let old = tester.host
      try await tester.crash()
      await gate.reached(2)
      gate.open()
      #expect(try await flows.finish("f") == "-yes!")
      #expect(log.all == ["once", "entered", "entered"])
      await #expect(throws: FlowError.self) { try await old.flow("f").retry() }
      let sequences = try await tester.history(of: "f").map(\.sequence)
      #expect(sequences == Array(1...sequences.count))
    }
  }

  @Test("a deploy keeps old definitions beside the new one; flows continue with the version they began with")
  func deploy() async throws {
    func version(_ number: Int) -> Flow<String, String> {
      Flow("f") {
        Step("ask \(number)") { (input: String, context: StepContext) in
          "\(number): " + (try await context.ask(TextForm(text: input)))
        }
      }
    }
    try await testHost { tester in
      let first = try await tester.deploy(version(1))
      try await first.start(id: "old", with: "-")
      let second = try await tester.deploy(version(2), version: 2)
      try await second.start(id: "new", with: "-")
      await #expect(throws: FlowError.self) { _ = try await tester.deploy(version(3), version: 2) }
      for id in ["old", "new"] as [FlowID] {
        try await tester.crash()
        try await tester.answer(TextForm.self, of: id, with: "yes")
      }
      #expect(try await first.finish("old") == "1: yes")
      #expect(try await second.finish("new") == "2: yes")
    }
  }
}
