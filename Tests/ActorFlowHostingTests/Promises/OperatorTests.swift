import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Asks, and then works at a gate, whatever the cancellation says.
private actor Cashier: FlowStep {
  private let log: Log
  private let gate: Gate
  init(_ log: Log, _ gate: Gate) { (self.log, self.gate) = (log, gate) }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    let receipt = try await context.once("charge") { _ in "paid" }
    let answer = try await context.ask(Form(text: input))
    await gate.pass()
    log.add(Task.isCancelled ? "left" : "returned")
    if answer == "fail" { throw Boom() }
    return receipt + answer
  }

  func backUp(context: RollbackContext) async throws {
    guard case .done(let receipt) = await context.record("charge", as: String.self) else { return log.add("no record") }
    log.add("undo \(context.step.name) \(receipt)")
  }
}

@Suite("The verbs of operators", .timeLimit(.minutes(15))) struct OperatorTests {
  private let log = Log()
  private let gate = Gate()
  private let ann = Principal(id: "ann")

  private var flow: Flow<String, String> {
    Flow("f") { [log, gate] in
      Step("first") { Asker(log) }
      Step("second") { Cashier(log, gate) }
      Step("third") { Asker(log) }
    }
  }

  private var fork: Flow<String, String> {
    Flow("f") { [log] in
      Parallel {
        Step<String, String>("x") { Asker(log) }
        Step<String, String>("y") { Asker(log) }
      } join: {
        $0 + $1
      }
    }
  }

  /// The words of the history's entries, with principal and detail, without those of a normal course.
  private func notable(_ tester: HostTester) async throws -> [String] {
    let history = try await tester.history(of: "f")
    #expect(history.map(\.sequence) == Array(1...history.count))
    return history.filter { ["leaving", "retried", "noted"].contains($0.what) }.map {
      "\($0.what) \($0.step?.name ?? "-") by \($0.by ?? "-"): \($0.detail ?? "-")"
    }
  }

  // MARK: - Who and why

  @Test("a retry, a back and an abandon stand in the history with their principal and reason")
  func reasons() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.answer(Form.self, of: "f", with: "fail")
      try await tester.retry("f", reason: "the provider is back", by: ann)
      #expect(try await tester.view(of: "f").status == .suspended)
      try await tester.retry("f", by: ann)
      try await tester.abandon("f", reason: "a test order", by: ann)
      #expect(
        try await notable(tester) == [
          "retried second by ann: the provider is back", "retried second by ann: -",
          "leaving second by ann: abandoned: a test order",
        ])
    }
  }

  @Test("a back stands in the history with its reason, and two reasons under one key are two requests")
  func backs() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      for _ in 0..<2 { try await tester.backUp("f", reason: "wrong address", by: ann, key: "1") }
      #expect(try await notable(tester) == ["leaving second by ann: back: wrong address"])
      let host = tester.host
      #expect(await code { try await host.flow("f").backUp(reason: "other", by: ann, key: "1") } == .keyReused)
    }
  }

  @Test("a reason or a note that is too long, or has U+0000, is refused and changes nothing")
  func refusedTexts() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.settle()
      let (host, before) = (tester.host, try await tester.view(of: "f").revision)
      let long = String(repeating: "é", count: 512)
      for (text, expected) in [(long + "x", FlowError.Code.tooLarge), ("a\0b", .notStorable)] {
        #expect(await code { try await host.flow("f").backUp(reason: text) } == expected)
        #expect(await code { try await host.flow("f").abandon(reason: text) } == expected)
        #expect(await code { try await host.flow("f").retry(reason: text) } == expected)
        #expect(await code { try await host.flow("f").note(text) } == expected)
        #expect(await code { try await host.flow("f").complete("second", output: [], reason: text) } == expected)
      }
      #expect(await code { try await host.flow("f").note("") } == .notStorable)
      #expect(try await tester.view(of: "f").revision == before)
      try await host.flow("f").note(long)
      #expect(try await tester.history(of: "f").last?.detail == long)
    }
  }

  // MARK: - Notes

  @Test("a note is written while a step works, and when the flow waits, is suspended or has ended")
  func notes() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.settle()
      let host = tester.host
      let waiting = try await tester.view(of: "f")
      let noted = try await host.flow("f").note("it waits", by: ann)
      #expect(noted.status == .waiting && noted.questions.map(\.id) == waiting.questions.map(\.id))
      try await tester.answer(Form.self, of: "f", with: "a")
      try await host.flow("f").answer(Form.self, with: "fail")
      await gate.reached()
      #expect(try await host.flow("f").note("it works", by: ann).status == .runnable)
      gate.open()
      try await tester.settle()
      #expect(try await host.flow("f").note("it is suspended", by: ann).status == .suspended)
      try await tester.abandon("f")
      #expect(try await host.flow("f").note("it has ended").status == .abandoned)
      #expect(
        try await notable(tester).filter { $0.hasPrefix("noted") } == [
          "noted - by ann: it waits", "noted - by ann: it works", "noted second by ann: it is suspended",
          "noted - by -: it has ended",
        ])
      #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo second paid", "undo first"])
    }
  }

  @Test("a note under a key is written once, in any state of the flow, and another text under the key is refused")
  func notedOnce() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(fork).start(id: "f", with: "-")
      try await tester.settle()
      let host = tester.host
      for _ in 0..<3 { try await host.flow("f").note("a branch", key: "1") }
      #expect(await code { try await host.flow("f").note("another", key: "1") } == .keyReused)
      try await tester.abandon("f")
      for _ in 0..<3 { try await host.flow("f").note("ended", key: "2") }
      try await host.flow("f").note("a branch", key: "1")
      #expect(try await notable(tester).filter { $0.hasPrefix("noted") }.count == 2)
      let error = await #expect(throws: FlowError.self) { try await host.flow("g").note("nothing") }
      #expect(error?.code == .noSuchFlow)
    }
  }

  @Test("many notes at once are all written, also when the flow has ended")
  func notesAtOnce() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.settle()
      let host = tester.host
      for round in 0..<2 {
        try await withThrowingTaskGroup { group in
          for number in 0..<4 { group.addTask { _ = try await host.flow("f").note("\(round).\(number)") } }
          try await group.waitForAll()
        }
        if round == 0 { try await tester.abandon("f") }
      }
      let notes = try await tester.history(of: "f").filter { $0.what == "noted" }.compactMap(\.detail)
      #expect(notes.sorted() == (0..<2).flatMap { round in (0..<4).map { "\(round).\($0)" } })
    }
  }

  @Test("twelve notes at once on a flow at rest are all written, and no lease is lost", arguments: [false, true])
  func notesAtRest(ended: Bool) async throws {
    let witness = Witness()
    // A store whose calls suspend, as those of a database do.
    let store = FaultyStore(MemoryFlowStore()) { _ in .holdReply(until: { await Task.yield() }) }
    let host = try FlowHost(store: store, options: .observed(by: witness))
    try await host.register(Flow<String, String>("f") { Step("a") { (_: String) -> String in throw Boom() } })
      .start(id: "f", with: "-")
    #expect(try await host.flow("f").settled().status == .suspended)
    if ended { try await host.flow("f").abandon() }
    for round in 0..<5 {
      try await withThrowingTaskGroup { group in
        for number in 0..<12 { group.addTask { _ = try await host.flow("f").note("\(round).\(number)") } }
        try await group.waitForAll()
      }
    }
    let notes = try await host.flow("f").history().filter { $0.what == "noted" }
    #expect(Set(notes.map(\.detail)).count == 60)
    #expect(!witness.words(of: "f").contains("lease lost"))
  }

  // MARK: - Completing

  @Test("a waiting step is completed: its question closes, the flow goes on with the output, and the step stays undone")
  func waiting() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.settle()
      let host = tester.host
      let question = try #require(try await tester.view(of: "f").questions.first?.id)
      for _ in 0..<2 {
        try await host.flow("f").complete("second", output: "\"cash\"".utf8, reason: "paid in cash", by: ann, key: "1")
      }
      try await tester.settle()
      let view = try await tester.view(of: "f")
      #expect(view.steps == ["f/third"] && view.stack == ["f/third", "f/second", "f/first"])
      #expect(try view.questions.first?.prompt(as: Form.self).text == "cash")
      #expect(await code { try await host.flow("f").answer(question, with: "late") } == .questionClosed)
      #expect(try await notable(tester) == ["leaving second by ann: completed: paid in cash"])
      try await tester.abandon("f")
      #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo third", "undo second paid", "undo first"])
    }
  }

  @Test("a step that ignores its cancellation is awaited before the next one begins, and its output is dropped")
  func running() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.settle()
      let host = tester.host
      try await host.flow("f").answer(Form.self, with: "own")
      await gate.reached()
      let view = try await host.flow("f").complete("f/second", output: "\"cash\"".utf8)
      #expect(view.status == .runnable && view.steps == ["f/second"])
      #expect(await code { try await host.flow("f").complete("second", output: "\"cash\"".utf8) } == .moving)
      gate.open()
      try await tester.settle()
      #expect(try await tester.question(Form.self, of: "f").prompt.text == "cash")
      #expect(log.all.contains("left"))
    }
  }

  @Test("a suspended flow goes on behind the step that failed")
  func suspended() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.answer(Form.self, of: "f", with: "fail")
      let host = tester.host
      #expect(await code { try await host.flow("f").complete("first", output: "\"x\"".utf8) } == .notActive)
      try await host.flow("f").complete("second", output: "\"cash\"".utf8)
      try await tester.answer(Form.self, of: "f", with: "!")
      #expect(try await tester.view(of: "f").output == Array("\"cash!\"".utf8))
    }
  }

  @Test("an output of another type, a step elsewhere and an unknown one are refused, and the step keeps its question")
  func refusals() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.settle()
      let (host, before) = (tester.host, try await tester.view(of: "f"))
      for json in ["17", "{", ""] {
        let error = await #expect(throws: FlowError.self) {
          try await host.flow("f").complete("first", output: json.utf8)
        }
        #expect(error?.code == .typeMismatch && error?.step == "f/first" && error?.message.contains("String") == true)
      }
      #expect(await code { try await host.flow("f").complete("third", output: "\"x\"".utf8) } == .notActive)
      #expect(await code { try await host.flow("f").complete("fourth", output: "\"x\"".utf8) } == .noSuchStep)
      let large = Array(repeating: UInt8(ascii: "1"), count: FlowHost.Options().maximumAnswerBytes + 1)
      #expect(await code { try await host.flow("f").complete("first", output: large) } == .tooLarge)
      let after = try await tester.view(of: "f")
      #expect(after.revision == before.revision && after.questions.map(\.id) == before.questions.map(\.id))
      try await tester.abandon("f")
      #expect(await code { try await host.flow("f").complete("first", output: "\"x\"".utf8) } == .flowEnded)
    }
  }

  @Test("a step of a branch is completed alone")
  func branch() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(fork).start(id: "f", with: "-")
      try await tester.settle()
      let host = tester.host
      try await host.flow("f").complete("x", output: "\"X\"".utf8)
      try await tester.settle()
      #expect(try await tester.view(of: "f").questions.map(\.step.name) == ["y"])
      try await host.flow("f").complete("y", output: "\"Y\"".utf8)
      try await tester.settle()
      #expect(try await tester.view(of: "f").output == Array("\"XY\"".utf8))
    }
  }

  @Test("a step without an output is completed without bytes or with null, and with nothing else")
  func void() async throws {
    let flow = Flow<String, String>("f") {
      Step("quiet") { (input: String, context: StepContext) in _ = try await context.ask(Form(text: input)) }
      Step("loud") { (_: Void, context: StepContext) in try await context.ask(Form(text: "loud")) }
    }
    for json in ["", "null"] {
      try await testHost(exhaustive: false) { tester in
        try await tester.deploy(flow).start(id: "f", with: "-")
        try await tester.settle()
        let host = tester.host
        #expect(await code { try await host.flow("f").complete("quiet", output: "1".utf8) } == .typeMismatch)
        try await host.flow("f").complete("quiet", output: json.utf8)
        try await tester.settle()
        #expect(try await tester.view(of: "f").steps == ["f/loud"])
      }
    }
  }

  @Test("if the host dies after the commit, another one goes on behind the step, and the step does not run again")
  func crashed() async throws {
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.settle()
      let host = tester.host
      try await host.flow("f").answer(Form.self, with: "own")
      await gate.reached()
      try await host.flow("f").complete("second", output: "\"cash\"".utf8)
      try await tester.crash()
      try await tester.settle()
      #expect(try await tester.question(Form.self, of: "f").prompt.text == "cash")
      #expect(gate.arrivals == 1, "the second step did not run again")
      gate.open()
      try await tester.abandon("f")
      #expect(log.all.filter { $0.hasPrefix("undo") } == ["undo third", "undo second paid", "undo first"])
    }
  }
}
