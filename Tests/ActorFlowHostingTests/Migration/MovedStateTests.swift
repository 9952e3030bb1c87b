import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

private enum Tap: String, Codable { case add, done }

private struct CountView: Prompt, Codable {
  typealias Answer = Tap
  var count: Int
}

private enum Before {
  struct Counter: RenderedStep {
    struct State: Codable, Sendable, Equatable { var count: Int }
    func makeState() -> State { State(count: 0) }
    func apply(_ tap: Tap, to state: inout State) -> String? {
      state.count += 1
      return tap == .done ? "\(state.count)" : nil
    }
    func render(_ state: State, in scope: inout RenderScope<Counter>) -> CountView {
      CountView(count: state.count + scope.childIgnoringOutput(Row(), key: 1).count)
    }
  }

  struct Row: RenderedStep {
    func makeState() -> Int { 10 }
    func apply(_ tap: Tap, to state: inout Int) -> Never? { nil }
    func render(_ state: Int, in scope: inout RenderScope<Row>) -> CountView { CountView(count: state) }
  }

  struct Paid: Codable, Sendable { var id: String }
}

private enum After {
  struct Counter: RenderedStep {
    struct State: Codable, Sendable, Equatable { var count: Int, stride: Int }
    func makeState() -> State { State(count: 0, stride: 1) }
    func apply(_ tap: Tap, to state: inout State) -> String? {
      state.count += state.stride
      return tap == .done ? "\(state.count)" : nil
    }
    func render(_ state: State, in scope: inout RenderScope<Counter>) -> CountView {
      CountView(count: state.count + scope.childIgnoringOutput(Row(), key: 1).count)
    }
  }

  struct Row: RenderedStep {
    struct State: Codable, Sendable, Equatable { var height: Int }
    func makeState() -> State { State(height: 0) }
    func apply(_ tap: Tap, to state: inout State) -> Never? { nil }
    func render(_ state: State, in scope: inout RenderScope<Row>) -> CountView { CountView(count: state.height) }
  }

  struct Paid: Codable, Sendable { var id: Int }
}

@Suite("Moved states and records", .timeLimit(.minutes(15))) struct MovedStateTests {
  private let store = MemoryFlowStore()

  private func fill() async throws {
    let host = FlowHost(store: store)
    try await host.register(
      Flow<String, String>("count") { Step("tap", rendering: { (_: String) in Before.Counter() }) }
    ).start(id: "c", with: "")
    try await host.answerNext("c", "\"add\"")
    await host.isQuiet()
  }

  private func host(_ moves: [Move], stores: StoredTypes = [After.Row.self]) async throws -> FlowHost {
    let host = FlowHost(store: store)
    try await host.register(
      Flow<String, String>("count") { Step("tap", rendering: { (_: String) in After.Counter() }) },
      version: 2, from: 1, moves: moves, stores: stores)
    return host
  }

  private let root = Move.state(of: "count/tap") { (old: Before.Counter.State) in
    After.Counter.State(count: old.count, stride: 5)
  }
  private let row = Move.state(of: "count/tap", child: "Row") { (old: Int) in After.Row.State(height: old + 100) }

  @Test("the state of a rendered step is checked, that of a child only if the child is declared; both can be moved")
  func states() async throws {
    try await fill()
    let reason = try #require(try await host([]).plan().groups.first?.fate.reason)
    #expect(reason.contains("its state cannot be read as State: \"stride\" is missing"), "\(reason)")
    #expect(reason.contains("its state of the child Row cannot be read as State"), "\(reason)")
    #expect(reason.contains("Move.state(of:)"), "\(reason)")
    let unaware = try await host([root], stores: []).plan()
    #expect(unaware.unchecked.first?.values.map(\.key) == ["Row"])

    let host = try await host([root, row])
    #expect(try await host.plan().counts == (0, 1, 0, 0))
    try await host.answerNext("c", "\"add\"")
    let view = try await host.flow("c").settled()
    #expect(view.version == 2)
    #expect(view.questions.first.map { String(decoding: $0.json, as: UTF8.self) } == #"{"count":116}"#)
    try await host.answerNext("c", "\"done\"")
    #expect(try await host.flow("c").view().status == .finished)
  }

  @Test("an unknown child is reported with the children that there are")
  func unknownChild() async throws {
    try await fill()
    let plan = try await host([.state(of: "count/tap", child: "Rw") { (old: Int) in old }]).plan()
    #expect(plan.unused.map(\.key) == ["Rw"] && plan.unused.first?.knownKeys == ["Row"])
  }

  @Test("a record of a step that the flow has passed is moved as well, and its `backUp` reads the new type")
  func records() async throws {
    actor Pay: FlowStep {
      func proceed(_ input: String, context: StepContext) async throws -> String {
        try await context.once("pay") { _ in Before.Paid(id: "17") }.id
      }
      func backUp(context: RollbackContext) {}
    }
    actor NewPay: FlowStep {
      let log: Log
      init(_ log: Log) { self.log = log }
      func proceed(_ input: String, context: StepContext) async throws -> String {
        "\(try await context.once("pay") { _ in After.Paid(id: 0) }.id)"
      }
      func backUp(context: RollbackContext) async {
        if case .done(let paid) = await context.record("pay", as: After.Paid.self) { log.add("void \(paid.id)") }
      }
    }
    let (first, log) = (FlowHost(store: store), Log())
    try await first.register(
      Flow<String, String>("shop") {
        Step("pay") { Pay() }
        ask("ship")
      }
    ).start(id: "s", with: "")
    _ = try await first.flow("s").settled()
    await first.isQuiet()
    let second = Flow<String, String>("shop") {
      Step("pay") { NewPay(log) }
      ask("ship")
    }
    let unable = FlowHost(store: store)
    try await unable.register(second, stores: [After.Paid.self])
    #expect(try await unable.plan().groups.first?.fate.reason?.contains("the record \"pay\" cannot be read") == true)
    let host = FlowHost(store: store)
    try await host.register(
      second, version: 2, from: 1,
      moves: [
        .record(of: "pay", key: "pay") { (old: Before.Paid) in
          guard let id = Int(old.id) else { throw Boom() }
          return After.Paid(id: id)
        }
      ], stores: [After.Paid.self])
    #expect(try await host.plan().counts == (0, 1, 0, 0))
    try await host.flow("s").abandon()
    #expect(log.all == ["void 17"])
  }
}
