import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Charges, asks, and then works at a gate, whatever the cancellation says.
private actor Cashier: FlowStep {
  private let log: Log
  private let gate: Gate
  init(_ log: Log, _ gate: Gate) { (self.log, self.gate) = (log, gate) }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    let receipt = try await context.once("charge") { [log] key in
      log.add("key \(key)")
      return "paid \(input)"
    }
    let answer = try await context.ask(Form(text: input))
    await gate.pass()
    log.add(Task.isCancelled ? "left" : "returned")
    if answer == "fail" { throw Boom() }
    return "\(receipt) \(answer)"
  }

  func backUp(context: RollbackContext) async throws {
    log.add("undo \(context.step.name) \(try await context.recorded("charge") ?? "no record")")
  }
}

extension RollbackContext {
  fileprivate func recorded(_ key: String) async throws -> String? {
    guard case .done(let receipt) = await record(key, as: String.self) else { return nil }
    return receipt
  }
}

@Suite("Steps that an operator enters anew", .timeLimit(.minutes(15))) struct EnteringTests {
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
    Flow("f") { [log, gate] in
      Parallel {
        Step<String, String>("x") { Cashier(log, gate) }
        Step<String, String>("y") { Asker(log) }
      } join: {
        $0 + $1
      }
    }
  }

  private var undone: [String] { log.all.filter { $0.hasPrefix("undo") } }
  private var keys: [String] { log.all.filter { $0.hasPrefix("key") } }

  private func leavings(_ tester: HostTester) async throws -> [String] {
    let history = try await tester.history(of: "f")
    #expect(history.map(\.sequence) == Array(1...history.count))
    return history.filter { $0.what == "leaving" }.map {
      "\($0.step?.name ?? "-") by \($0.by ?? "-"): \($0.detail ?? "-")"
    }
  }

  /// Starts the flow, and takes it to its second step.
  private func begin(_ tester: HostTester) async throws {
    try await tester.deploy(flow).start(id: "f", with: "-")
    try await tester.answer(Form.self, of: "f", with: "a")
    try await tester.settle()
  }

  @Test("a waiting step is left and asks with the new input; both visits are compensated with their own records")
  func waiting() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await begin(tester)
      let host = tester.host
      let question = try #require(try await tester.view(of: "f").questions.first?.id)
      for _ in 0..<2 {
        try await host.flow("f").enter("second", input: "\"b\"".utf8, reason: "a typo", by: ann, key: "1")
      }
      try await tester.settle()
      let view = try await tester.view(of: "f")
      #expect(view.steps == ["f/second"] && view.stack == ["f/second", "f/second", "f/first"])
      #expect(try view.questions.first?.prompt(as: Form.self).text == "b")
      #expect(await code { try await host.flow("f").answer(question, with: "late") } == .questionClosed)
      #expect(
        await code { try await host.flow("f").enter("second", input: "\"c\"".utf8, by: ann, key: "1") } == .keyReused)
      #expect(try await leavings(tester) == ["second by ann: entered anew: a typo"])
      #expect(Set(keys).count == 2, "each visit has an idempotency key of its own")
      try await tester.answer(Form.self, of: "f", with: "y")
      #expect(try await tester.question(Form.self, of: "f").prompt.text == "paid b y")
      try await tester.abandon("f")
      #expect(undone == ["undo third", "undo second paid b", "undo second paid -a", "undo first"])
    }
  }

  @Test("a step that ignores its cancellation is awaited before it is entered anew, and its output is dropped")
  func running() async throws {
    try await testHost(exhaustive: false) { tester in
      try await begin(tester)
      let host = tester.host
      try await host.flow("f").answer(Form.self, with: "own")
      await gate.reached()
      let view = try await host.flow("f").enter("f/second", input: "\"b\"".utf8)
      #expect(view.status == .runnable && view.steps == ["f/second"])
      #expect(await code { try await host.flow("f").enter("second", input: "\"c\"".utf8) } == .moving)
      #expect(await code { try await host.flow("f").complete("second", output: "\"c\"".utf8) } == .moving)
      #expect(await code { try await host.flow("f").backUp() } == .moving)
      #expect(keys.count == 1)
      gate.open()
      try await tester.settle()
      #expect(try await tester.question(Form.self, of: "f").prompt.text == "b")
      #expect(log.all.contains("left"))
    }
  }

  @Test("a suspended flow goes on with another input of the step that failed")
  func suspended() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await begin(tester)
      try await tester.answer(Form.self, of: "f", with: "fail")
      let host = tester.host
      #expect(try await tester.view(of: "f").status == .suspended)
      #expect(await code { try await host.flow("f").enter("first", input: "\"x\"".utf8) } == .notActive)
      try await host.flow("f").enter("second", input: "\"b\"".utf8)
      try await tester.answer(Form.self, of: "f", with: "y")
      try await tester.answer(Form.self, of: "f", with: "!")
      #expect(try await tester.view(of: "f").output == Array("\"paid b y!\"".utf8))
    }
  }

  @Test("a back from the new visit lands on the old place with its own input, and a named one goes past both")
  func back() async throws {
    gate.open()
    for name in [nil, "first"] as [StepID?] {
      try await testHost(exhaustive: false) { tester in
        try await begin(tester)
        let (host, before) = (tester.host, log.all.count)
        try await host.flow("f").enter("second", input: "\"b\"".utf8)
        try await tester.settle()
        try await tester.backUp("f", to: name)
        let undone = log.all.dropFirst(before).filter { $0.hasPrefix("undo") }
        #expect(
          undone == ["undo second paid b", "undo second paid -a"] + (name == nil ? [] : ["undo first"]))
        #expect(try await tester.question(Form.self, of: "f").prompt.text == (name == nil ? "-a" : "-"))
        #expect(try await tester.view(of: "f").stack.count == (name == nil ? 2 : 1))
      }
    }
  }

  @Test("an input of another type, a step elsewhere and an unknown one are refused, and the step keeps its question")
  func refusals() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await begin(tester)
      let (host, before) = (tester.host, try await tester.view(of: "f"))
      for json in ["17", "{", ""] {
        let error = await #expect(throws: FlowError.self) {
          try await host.flow("f").enter("second", input: json.utf8)
        }
        #expect(error?.code == .typeMismatch && error?.step == "f/second" && error?.message.contains("String") == true)
      }
      #expect(await code { try await host.flow("f").enter("first", input: "\"x\"".utf8) } == .notActive)
      #expect(await code { try await host.flow("f").enter("third", input: "\"x\"".utf8) } == .notActive)
      #expect(await code { try await host.flow("f").enter("fourth", input: "\"x\"".utf8) } == .noSuchStep)
      let large = Array(repeating: UInt8(ascii: "1"), count: FlowHost.Options().maximumAnswerBytes + 1)
      #expect(await code { try await host.flow("f").enter("second", input: large) } == .tooLarge)
      let reason = String(repeating: "a", count: 1_025)
      #expect(await code { try await host.flow("f").enter("second", input: [], reason: reason) } == .tooLarge)
      let after = try await tester.view(of: "f")
      #expect(after.revision == before.revision && after.questions.map(\.id) == before.questions.map(\.id))
      try await tester.abandon("f")
      #expect(await code { try await host.flow("f").enter("second", input: "\"x\"".utf8) } == .flowEnded)
      #expect(await code { try await host.flow("g").enter("second", input: "\"x\"".utf8) } == .noSuchFlow)
    }
  }

  @Test("a step of a branch is entered anew alone, and a fork is refused")
  func branch() async throws {
    gate.open()
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(fork).start(id: "f", with: "-")
      try await tester.settle()
      let host = tester.host
      #expect(await code { try await host.flow("f").enter("parallel", input: "\"X\"".utf8) } == .noSuchStep)
      try await host.flow("f").enter("x", input: "\"X\"".utf8)
      try await tester.settle()
      let view = try await tester.view(of: "f")
      #expect(try view.questions.map { try $0.prompt(as: Form.self).text }.sorted() == ["-", "X"])
      for question in view.questions { try await host.flow("f").answer(question.id, with: "y") }
      try await tester.settle()
      #expect(try await tester.view(of: "f").output == Array("\"paid X y-y\"".utf8))
    }
  }

  @Test("a step without an input is entered anew without bytes or with null, and with nothing else")
  func void() async throws {
    let flow = Flow<String, String>("f") {
      Step("quiet") { (input: String, context: StepContext) in _ = try await context.ask(Form(text: input)) }
      Step("loud") { (_: Void, context: StepContext) in try await context.ask(Form(text: "loud")) }
    }
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(flow).start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.settle()
      let host = tester.host
      #expect(await code { try await host.flow("f").enter("loud", input: "1".utf8) } == .typeMismatch)
      for json in ["", "null"] {
        try await host.flow("f").enter("loud", input: json.utf8)
        try await tester.settle()
      }
      #expect(try await tester.view(of: "f").stack == ["f/loud", "f/loud", "f/loud", "f/quiet"])
    }
  }

  @Test("if the host dies after the commit, another one enters the step anew, and the first visit does not run again")
  func crashed() async throws {
    try await testHost(exhaustive: false) { tester in
      try await begin(tester)
      let host = tester.host
      try await host.flow("f").answer(Form.self, with: "own")
      await gate.reached()
      try await host.flow("f").enter("second", input: "\"b\"".utf8)
      try await tester.crash()
      try await tester.settle()
      #expect(try await tester.question(Form.self, of: "f").prompt.text == "b")
      #expect(gate.arrivals == 1 && keys.count == 2)
      gate.open()
      try await tester.abandon("f")
      #expect(undone == ["undo second paid b", "undo second paid -a", "undo first"])
    }
  }

  @Test("a host enters a step anew that another host has in memory, also while the step of that host is suspended")
  func twoHosts() async throws {
    gate.open()
    for fails in [false, true] {
      try await testHost(exhaustive: false) { tester in
        try await begin(tester)
        try await tester.addHost("B")
        try await tester.on("tester") {
          if fails { try await tester.answer(Form.self, of: "f", with: "fail") }
          _ = try await tester.view(of: "f")
        }
        try await tester.on("B") { try await tester.host.flow("f").enter("second", input: "\"b\"".utf8, key: "1") }
        try await tester.settle()
        // The request is delivered again, to the other host.
        try await tester.on("tester") {
          try await tester.host.flow("f").enter("second", input: "\"b\"".utf8, key: "1")
        }
        try await tester.settle()
        #expect(try await tester.view(of: "f").stack == ["f/second", "f/second", "f/first"], "fails: \(fails)")
        #expect(try await tester.question(Form.self, of: "f").prompt.text == "b")
      }
    }
  }

  @Test("a flow of an earlier format cannot hold it: the error names the option, and nothing changes")
  func earlierFormat() async throws {
    let clock = ManualWallClock()
    let store = MemoryFlowStore(clock: clock)
    func host(writing format: Int) async throws -> FlowHost {
      var options = FlowHost.Options()
      options.writesFormat = format
      let host = try FlowHost(store: store, clock: clock, options: options)
      try await host.register(flow)
      return host
    }
    let old = try await host(writing: 8)
    let found = try #require(await old.definitions["f"]?[1])
    try await RegisteredFlow<String, String>(host: old, definition: found).start(id: "x", with: "-")
    let before = try await old.flow("x").settled()
    let error = await #expect(throws: FlowError.self) { try await old.flow("x").enter("first", input: "\"b\"".utf8) }
    #expect(error?.code == .notStorable && error?.message.contains("`writesFormat` to 9") == true)
    #expect(try await old.flow("x").settled().revision == before.revision)
    try await old.emptied()
    let raised = try await host(writing: 9)
    try await raised.flow("x").enter("first", input: "\"b\"".utf8)
    #expect(try await raised.flow("x").settled().stack == ["f/first", "f/first"])
  }

  @Test("a move converts the input of a step that is about to be entered anew, and without one the plan names the step")
  func moved() async throws {
    let recorder = CommitRecorder()
    let first = FlowHost(store: PlainStore(base: MemoryFlowStore(), onStored: recorder.add))
    try await first.register(
      Flow<String, String>("f") {
        Step("pay") { (cents: String, context: StepContext) in try await context.ask(Form(text: cents)) }
      }
    ).start(id: "x", with: "1")
    _ = try await first.flow("x").settled()
    try await first.flow("x").enter("pay", input: "\"7\"".utf8)
    _ = try await first.flow("x").settled()
    let entering = try #require(
      try recorder.all.last { stored in
        if case .anew? = try HostedState(of: stored.snapshot).machine.main.start?.kind { true } else { false }
      })
    let second = Flow<Int, String>("f") {
      Step("pay") { (cents: Int, context: StepContext) in try await context.ask(Form(text: "\(cents) cents")) }
    }
    for isMoved in [false, true] {
      let store = MemoryFlowStore()
      _ = try await store.commit(FlowWrite(entering.snapshot, to: "x", expecting: .none))
      let host = FlowHost(store: store)
      let move = Move.input(of: "f/pay") { (old: String) in Int(old) ?? 0 }
      try await host.register(second, version: 2, from: 1, moves: isMoved ? [move] : [])
      guard isMoved else {
        let reason = try #require(try await host.plan().groups.first?.fate.reason)
        #expect(reason.contains("f/pay") && reason.contains("Int"), "\(reason)")
        continue
      }
      try await host.catchUp()
      let view = try await host.flow("x").settled()
      #expect(view.stack == ["f/pay", "f/pay"])
      #expect(try view.questions.first?.prompt(as: Form.self).text == "7 cents")
      try await host.flow("x").backUp()
      #expect(try await host.flow("x").settled().questions.first?.prompt(as: Form.self).text == "1 cents")
    }
  }
}
