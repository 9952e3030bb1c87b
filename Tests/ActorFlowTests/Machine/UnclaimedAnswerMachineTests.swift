import Testing

@testable import ActorFlow

/// Answers from before a snapshot, as a replay comes back to them or does not.
@Suite("Unclaimed answers on the machine") struct UnclaimedAnswerMachineTests {
  private let graph = Flow<String, String> { Step("a") { Asker() } }.graph
  private let visit = VisitID(1)

  private func begun() throws -> FlowMachine {
    var machine = FlowMachine(flow: "f", journal: .persisting)
    try machine.launch(graph, with: "-")
    let node = try #require(graph.nodes.first)
    _ = machine.enter(node, instance: nil, payload: Payload("-"))
    return machine
  }

  /// Returns the machine of the snapshot of this one.
  private func readBack(
    _ machine: FlowMachine, changing change: (inout MachineSnapshot) -> Void = { _ in }
  ) throws -> FlowMachine {
    let names = GraphNames(graph)
    var snapshot = try machine.snapshot(names, with: JSONCodec())
    change(&snapshot)
    return try FlowMachine(snapshot, of: "f", names: names, codec: JSONCodec(), at: .zero)
  }

  /// Asks under a key. Returns nil if the journal has the outcome.
  @discardableResult
  private func ask(_ key: String?, _ caller: CallingTask = .step, on machine: inout FlowMachine) throws -> Question? {
    let prompt = Form(text: "")
    let persisted = FlowMachine.PersistedPrompt(
      prompt: PackedPrompt(try PackedValue(prompt, with: JSONCodec())), token: RandomBits(high: 1, low: 2))
    let asked = try machine.ask(prompt, key: key, visit: visit, persisted: persisted, by: caller)
    if case .opened(let question) = asked { return question }
    return nil
  }

  private func answer(_ key: String?, _ caller: CallingTask = .step, on machine: inout FlowMachine) throws {
    let question = try #require(try ask(key, caller, on: &machine))
    try machine.answer(question.id, with: "!", by: nil)
  }

  @discardableResult
  private func wait(for signal: String, _ caller: CallingTask = .step, on machine: inout FlowMachine) throws -> Bool {
    let waited = try machine.wait(for: signal, as: Int.self, at: Stay(visit), until: nil, by: caller)
    if case .received = waited { return true }
    return false
  }

  private func refusal(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? UnfitJournal)?.error.message }
    return nil
  }

  @Test("a new question or wait of the step is refused while its own answer is unclaimed; nothing has changed then")
  func refused() throws {
    var machine = try begun()
    try answer("name", on: &machine)
    try ask("more", on: &machine)
    var replay = try readBack(machine)
    let before = try replay.snapshot(GraphNames(graph), with: JSONCodec())
    let message = refusal { try ask("person", on: &replay) }
    #expect(message?.contains("\"person\"") == true && message?.contains("key: \"name\"") == true, "\(message ?? "")")
    var waiting = try readBack(machine)
    #expect(refusal { try wait(for: "go", on: &waiting) }?.contains("\"go\"") == true)
    #expect(try replay.snapshot(GraphNames(graph), with: JSONCodec()) == before)
  }

  @Test("the same code is never refused: all is claimed, then the open question, then a new one")
  func claimed() throws {
    var machine = try begun()
    try answer("name", on: &machine)
    try answer(nil, on: &machine)
    guard case .buffered = try machine.send(1, to: "go", key: nil) else { throw Failure("it is not buffered") }
    #expect(try wait(for: "go", on: &machine))
    try ask("more", on: &machine)
    for _ in 0..<2 {
      machine = try readBack(machine)
      #expect(try ask("name", on: &machine) == nil)
      #expect(try ask(nil, on: &machine) == nil)
      #expect(try wait(for: "go", on: &machine))
      if let question = try ask("more", on: &machine) { try machine.answer(question.id, with: "!", by: nil) }
    }
    try ask("last", on: &machine)
  }

  @Test("the second answer of a name is missed as well, and a question that stays is none of it")
  func second() throws {
    var machine = try begun()
    try answer(nil, on: &machine)
    try answer(nil, on: &machine)
    var replay = try readBack(machine)
    #expect(try ask(nil, on: &replay) == nil)
    #expect(refusal { try ask("new", on: &replay) }?.contains("key: \"ActorFlowTests.Form #2\"") == true)
  }

  @Test("answers of children are not counted, and children may ask anything")
  func children() throws {
    var machine = try begun()
    try answer("name", .child, on: &machine)
    try answer("own", on: &machine)
    var replay = try readBack(machine)
    #expect(refusal { try ask("new", .child, on: &replay) } == nil)
    replay = try readBack(machine)
    #expect(try ask("own", on: &replay) == nil)
    #expect(refusal { try ask("new", on: &replay) } == nil)
  }

  @Test("a child that uses the same name may take the step's answer, in whichever order the two come")
  func shared() throws {
    var machine = try begun()
    for _ in 0..<2 {
      guard case .buffered = try machine.send(1, to: "go", key: nil) else { throw Failure("it is not buffered") }
    }
    #expect(try wait(for: "go", .child, on: &machine))
    #expect(try wait(for: "go", on: &machine))
    var replay = try readBack(machine)
    #expect(try wait(for: "go", on: &replay))
    #expect(refusal { try ask("new", on: &replay) } == nil, "the child is slower this time")
  }

  @Test("overdue questions need not be claimed")
  func overdue() throws {
    var machine = try begun()
    let deadline = AskDeadline(due: .seconds(1), reminder: nil)
    let persisted = FlowMachine.PersistedPrompt(
      prompt: PackedPrompt(try PackedValue(Form(text: ""), with: JSONCodec())), token: RandomBits(high: 1, low: 2))
    _ = try machine.ask(
      Form(text: ""), key: "late", visit: visit, within: deadline, persisted: persisted, by: .step, at: .zero)
    while machine.fire(at: .seconds(2)) {}
    var replay = try readBack(machine)
    #expect(refusal { try ask("new", on: &replay) } == nil)
  }

  @Test(
    "nothing is concluded of a visit with a question that was withdrawn without a trace, or that an old version stored")
  func unknown() throws {
    var machine = try begun()
    let question = try #require(try ask("reminded", on: &machine))
    machine.withdraw(question.id.number, isCancelled: false)
    try answer("name", on: &machine)
    var replay = try readBack(machine)
    #expect(refusal { try ask("reminded", on: &replay) } == nil)
    machine = try begun()
    try answer("name", on: &machine)
    replay = try readBack(machine) { $0.main.focus.keysOfChildren = nil }
    #expect(refusal { try ask("new", on: &replay) } == nil)
  }

  @Test("an answer that was dropped is not missed, although it was counted")
  func dropped() throws {
    var machine = try begun()
    try answer("name", on: &machine)
    var replay = try readBack(machine) { $0.main.focus.answers = [] }
    #expect(refusal { try ask("new", on: &replay) } == nil)
  }
}

// MARK: - Random code, and random changes of it

extension UnclaimedAnswerMachineTests {
  /// A question under a key, a question of a type, or a wait.
  private enum Call: Hashable {
    case key(Int), type, signal(Int)

    static func random(using random: inout SplitMix) -> Call {
      switch random.below(3) {
      case 0: .key(random.below(4))
      case 1: .type
      default: .signal(random.below(2))
      }
    }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
  }

  /// Makes a call, and answers it if it is new.
  private func make(_ call: Call, _ caller: CallingTask, on machine: inout FlowMachine) throws {
    switch call {
    case .key(let number):
      if let question = try ask("k\(number)", caller, on: &machine) {
        try machine.answer(question.id, with: "!", by: nil)
      }
    case .type:
      if let question = try ask(nil, caller, on: &machine) { try machine.answer(question.id, with: "!", by: nil) }
    case .signal(let number):
      _ = try machine.send(1, to: "s\(number)", key: nil)
      try wait(for: "s\(number)", caller, on: &machine)
    }
  }

  /// Interleaves the calls of both at random.
  private func mixed(_ own: [Call], _ child: [Call], _ random: inout SplitMix) -> [(Call, CallingTask)] {
    var (own, child) = (own[...], child[...])
    var all: [(Call, CallingTask)] = []
    while !own.isEmpty || !child.isEmpty {
      let isOwn = child.isEmpty || !own.isEmpty && random.below(2) == 0
      all.append(isOwn ? (own.removeFirst(), .step) : (child.removeFirst(), .child))
    }
    return all
  }

  @Test(
    "random code: unchanged it is never refused; a call that is gone is missed at the next new one")
  func atRandom() throws {
    for seed in UInt64(0)..<2_000 {
      var random = SplitMix(state: seed)
      let keys = (0..<4).map { Call.key($0) }.shuffled(using: &random)
      // A key may be used once in a visit; the step has some of them, and the child the others.
      let split = random.below(5)
      func calls(_ keys: ArraySlice<Call>) -> [Call] {
        let others = (0..<random.below(4)).map { _ in Call.random(using: &random) }
        return (keys + others.filter { if case .key = $0 { false } else { true } }).shuffled(using: &random)
      }
      let (own, child) = (calls(keys[..<split]), calls(keys[split...]))
      var machine = try begun()
      for (call, caller) in mixed(own, child, &random) { try make(call, caller, on: &machine) }
      // The child comes back in another order, and perhaps not as far.
      let back = Array(child.prefix(random.below(child.count + 1)))
      var replay = try readBack(machine)
      for (call, caller) in mixed(own, back, &random) {
        #expect(refusal { try make(call, caller, on: &replay) } == nil, "seed \(seed)")
      }
      #expect(refusal { try ask("new", on: &replay) } == nil, "seed \(seed)")

      guard !own.isEmpty else { continue }
      var changed = own
      changed.remove(at: random.below(own.count))
      replay = try readBack(machine)
      for (call, caller) in mixed(changed, back, &random) {
        #expect(refusal { try make(call, caller, on: &replay) } == nil, "seed \(seed)")
      }
      #expect(refusal { try ask("new", on: &replay) } != nil, "seed \(seed)")
    }
  }
}
