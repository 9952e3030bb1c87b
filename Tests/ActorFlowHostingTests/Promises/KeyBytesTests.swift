import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Keys that Swift calls equal although their bytes differ: each is a key of its own, in memory and on a host.
@Suite("Keys are compared by bytes", .timeLimit(.minutes(15))) struct KeyBytesTests {
  private static let keys = ["caf\u{E9}", "cafe\u{301}"]
  private static let signals = keys.map { Signal<String>($0) }
  private let store = MemoryFlowStore()

  /// Uses each key once in everything that has a key, with a question after each, so that a replay comes back to all.
  private static let flow = Flow<String, String>("keys") {
    Step("s") { (_: String, context: StepContext) in
      var found: [String] = []
      for (number, key) in keys.enumerated() {
        found.append(try await context.once("once \(key)") { _ in "once \(number)" })
        if case .made(let text) = try await context.attempt("attempt \(key)", { _ in "attempt \(number)" }) {
          found.append(text)
        }
        found.append(try await context.ask(Form(text: "\(number)"), key: key))
      }
      for signal in signals { found.append(try await context.wait(for: signal)) }
      return found.joined(separator: ",")
    }
  }

  private static let outcome = "once 0,attempt 0,a0,once 1,attempt 1,a1,s0,s1"

  @Test("in memory, each record, answer and signal belongs to the key of its bytes")
  func memory() async throws {
    let coordinator = FlowCoordinator()
    async let output = coordinator.run(Self.flow, with: "")
    for number in 0...1 {
      _ = try await coordinator.settled()
      try await coordinator.answer(Form.self, with: "a\(number)")
    }
    _ = try await coordinator.settled()
    try await coordinator.send("s1", to: Self.signals[1])
    try await coordinator.send("s0", to: Self.signals[0])
    #expect(try await output == Self.outcome)
  }

  @Test("on a host that passivates the flow before each request, a replay finds what belongs to the key of its bytes")
  func replayed() async throws {
    var host = FlowHost(store: store)
    var flows = try await host.register(Self.flow)
    func restart() async throws {
      _ = try await host.flow("f").settled()
      try await host.emptied()
      host = FlowHost(store: store)
      flows = try await host.register(Self.flow)
    }
    try await flows.start(id: "f", with: "")
    for number in 0...1 {
      try await restart()
      try await host.answerNext("f", "\"a\(number)\"", key: "answer \(Self.keys[number])")
    }
    for number in [1, 0] {
      try await restart()
      // The message has the same characters as its key in either form, and is another message.
      let delivery = try await host.flow("f").send("s\(number)", to: Self.signals[number], key: Self.keys[number])
      #expect(delivery == .accepted)
    }
    _ = try await host.flow("f").settled()
    #expect(try await flows.outcome(of: "f") == .finished(Self.outcome))
  }

  @Test("two messages of one signal whose keys have other bytes are both received; each of them counts once")
  func messages() async throws {
    let host = FlowHost(store: store)
    let signal = Signal<String>("paid")
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("s") { (_: String, context: StepContext) in
          let first = try await context.wait(for: signal)
          return first + (try await context.wait(for: signal))
        }
      })
    try await flows.start(id: "f", with: "")
    let flow = host.flow("f")
    #expect(try await flow.send("1", to: signal, key: Self.keys[0]) == .accepted)
    #expect(try await flow.send("1", to: signal, key: Self.keys[0]) == .duplicate)
    #expect(try await flow.send("2", to: signal, key: Self.keys[1]) == .accepted)
    _ = try await flow.settled()
    #expect(try await flows.outcome(of: "f") == .finished("12"))
  }

  @Test("two answers under request keys of other bytes are two requests")
  func requests() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { Asker() }
        Step("b") { Asker() }
      })
    try await flows.start(id: "f", with: "-")
    for (number, key) in Self.keys.enumerated() {
      _ = try await host.flow("f").settled()
      try await host.flow("f").answer(Form.self, with: "\(number)", key: key)
    }
    _ = try await host.flow("f").settled()
    #expect(try await flows.outcome(of: "f") == .finished("-01"))
  }

  @Test("a definition whose name differs from a registered one only in normalization is refused; the error says so")
  func definitions() async throws {
    let host = FlowHost(store: store)
    let flows = Self.keys.map { name in Flow<String, String>(name) { Step("a") { Asker() } } }
    try await host.register(flows[0])
    do {
      try await host.register(flows[1])
      Issue.record("registered")
    } catch let error as FlowError {
      #expect(error.code == .badDefinition && error.message.contains("normalization"), "\(error)")
    }
    try await host.register(flows[0], version: 2)
  }

  @Test("ids of steps are equal if their bytes are, and so are signals")
  func ids() {
    #expect(StepID(Self.keys[0]) != StepID(Self.keys[1]) && Self.signals[0] != Self.signals[1])
    #expect(Set(Self.keys.map { StepID($0) }).count == 2 && Set(Self.signals).count == 2)
    #expect(StepID(Self.keys[0]) == StepID("caf\u{E9}") && StepID(Self.keys[0]).matches(StepID("f/caf\u{E9}")))
  }

  @Test("a list of the log keeps the ids of neighbours that Swift calls equal apart")
  func log() throws {
    let entries = Self.keys.map { ActorFlowHosting.LogEntry(kind: .flow, key: $0, number: 1, length: 1) }
    let read = try Array<ActorFlowHosting.LogEntry>(decoding: entries.encoded()[...])
    #expect(read.map { Array($0.key.utf8) } == Self.keys.map { Array($0.utf8) })
  }

  @Test("a move that drops an answer means the key of its bytes")
  func moves() {
    let key = JournalKey(name: .given(Self.keys[0]), number: 1)
    #expect(key.isMeant(by: Self.keys[0]) && !key.isMeant(by: Self.keys[1]))
  }
}
