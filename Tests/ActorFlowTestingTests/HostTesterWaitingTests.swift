import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("Requests of hosts under test", .timeLimit(.minutes(15))) struct HostTesterWaitingTests {
  private let log = Trace()
  private let tries = Trace()
  private let go = Signal<String>("go")

  /// Asks, works, which fails the first time, and waits for a signal.
  private var flow: Flow<String, String> {
    Flow("f") {
      Step("ask") { Asker(log) }
      Step("work") { [log, tries] (input: String, context: StepContext) throws -> String in
        log.add("work")
        tries.add("")
        guard tries.all.count > 1 else { throw WorkError() }
        return input
      }
      Step("wait") { [log, go] (input: String, context: StepContext) in
        let signal = try await context.wait(for: go)
        log.add("got \(signal)")
        return input + signal
      }
    }
  }

  @Test("every request returns when its consequences have happened, with the flow as it stands then")
  func requests() async throws {
    try await testHost { tester in
      let flows = try await tester.deploy(flow)
      let begun = try await flows.start(id: "f", with: "-")
      #expect(log.take() == ["enter"])
      #expect(begun.questions.count == 1)

      let failed = try await tester.answer(try await tester.question(TextForm.self, of: "f"), with: "yes")
      #expect(log.take() == ["enter", "answered", "work"])
      #expect(failed.status == .suspended)

      let waiting = try await tester.retry("f")
      #expect(log.take() == ["work"])
      #expect(waiting.signals == ["go"])

      let back = try await tester.backUp("f", to: "ask")
      #expect(log.take() == ["back", "enter"])
      #expect(back.questions.count == 1)

      try await tester.answer(TextForm.self, of: "f", with: "yes")
      #expect(log.take() == ["enter", "answered", "work"])

      try await tester.send("!", to: go, of: "f", key: "k")
      #expect(log.take() == ["got !"])
      #expect(try await tester.host.flow("f").view().status == .finished)
      #expect(try await flows.finish("f") == "-yes!")

      try await flows.start(id: "g", with: "-")
      try await tester.abandon("g")
      #expect(log.take() == ["enter", "back"])
      try await tester.delete("g")
      #expect(await tester.host.atWork == [])
    }
  }

  @Test("advance returns when a due reminder has run, and its flow is passivated")
  func reminder() async throws {
    let gate = Gate()
    let patient = Flow<String, String>("f") {
      Step("ask") { [log] (input: String, context: StepContext) in
        let answer = try await context.ask(
          TextForm(text: input), within: .day * 4,
          reminding: .every(.day, max: 9) { number in
            try await context.once("reminder \(number)") { _ in
              await gate.pass()
              log.add("\(number)")
            }
          })
        return answer ?? "nobody"
      }
    }
    try await testHost { tester in
      let flows = try await tester.deploy(patient)
      try await flows.start(id: "f", with: "-")
      let release = Task { [log] in
        await gate.reached(1)
        log.add("let go")
        gate.open()
      }
      try await tester.advance(by: .day)
      #expect(log.take() == ["let go", "1"])
      #expect(await tester.host.atWork == [])
      await release.value
      try await tester.advance(by: .day * 3)
      #expect(log.take() == ["2", "3"])
      #expect(try await flows.finish("f") == "nobody")
    }
  }

  @Test("a request is stored even if a step that it resumes does not return: the failure names the step")
  func hanging() async throws {
    let (gate, real) = (Gate(), ManualClock())
    let stuck = Flow<String, String>("f") {
      Step("ask") { (input: String, context: StepContext) in try await context.ask(TextForm(text: input)) }
      Step("stuck") { (input: String, _: StepContext) in
        await gate.pass()
        return input
      }
    }
    try await testHost(exhaustive: false, patience: Patience(.seconds(1), clock: real)) { tester in
      try await tester.deploy(stuck).start(id: "f", with: "-")
      let question = try await tester.question(TextForm.self, of: "f")
      let impatience = Task {
        await gate.reached(1)
        try await real.waitForSleepers()
        real.advance(by: .seconds(1))
      }
      let failure = await #expect(throws: FlowTestFailure.self) {
        try await tester.answer(question, with: "yes", fileID: "F", line: 7)
      }
      try await impatience.value
      #expect(failure?.description.hasPrefix("F:7: ") == true)
      #expect(failure?.message.hasSuffix(": f at f/stuck") == true)
      let entries = try await tester.host.flow("f").history()
      #expect(entries.contains { $0.what == "answered" })
      gate.open()
      try await tester.settle()
    }
  }
}

/// Asks, and traces what happens to it.
private actor Asker: FlowStep {
  private let log: Trace
  init(_ log: Trace) { self.log = log }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    log.add("enter")
    let answer = try await context.ask(TextForm(text: input))
    log.add("answered")
    return input + answer
  }

  func backUp(context: RollbackContext) { log.add("back") }
}
