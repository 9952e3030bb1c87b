import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A flow that is left and passivated at the same moment.
@Suite("Leaving passivated flows", .timeLimit(.minutes(15))) struct LeavingPassivatedTests {
  private let log = Log()
  private let gate = Gate()
  private let store = MemoryFlowStore()
  private let clock = ManualWallClock()

  private var undone: [String] { log.all.filter { $0.hasPrefix("undo") } }

  private func host(_ owner: String, keepHot: Duration = .zero) async throws -> (
    FlowHost, RegisteredFlow<String, String>
  ) {
    let flow = Flow<String, String>("f") { [log, gate] in
      Step("first") { Asker(log) }
      Step("pay") { HoldingStep(log, gate) }
      Step("last") { Asker(log) }
    }
    var options = FlowHost.Options()
    options.keepHot = keepHot
    // No time passes, so that no grace period is over before a `backUp` has returned, however busy the machine is.
    let host = try FlowHost(store: store, clock: clock, owner: owner, options: options)
    return (host, try await host.register(flow))
  }

  @Test(
    "Rule 4: a backUp that runs when its host stops is not cancelled, is recorded, and runs once",
    arguments: [.zero, .seconds(3_600)] as [Duration])
  func stopping(keepHot: Duration) async throws {
    let (host, flows) = try await host("one", keepHot: keepHot)
    let running = Task { try await host.run() }
    try await flows.start(id: "x", with: "-")
    try await host.answerNext("x", "\"a\"")
    let abandoning = Task { try await host.flow("x").abandon() }
    await gate.reached()
    running.cancel()
    while !(await host.isStopping) { await Task.yield() }
    gate.open()
    try await running.value
    // The flow may learn of the stop only after the next `backUp` has begun, or has ended.
    let status = try await abandoning.value.status
    #expect(undone.prefix(2) == ["undo last", "undo pay"])
    #expect(undone.count == 3 || undone.count == 2 && status == .runnable)
    let (other, _) = try await self.host("two")
    try await other.catchUp()
    #expect(try await other.flow("x").view().status == .abandoned)
    #expect(undone == ["undo last", "undo pay", "undo first"])
  }

  @Test("a passivated flow is backed up from the question that it shows", arguments: [false, true])
  func question(isForked: Bool) async throws {
    let branch = Flow<String, String> { [log] in
      Step("hotel") { Asker(log) }
      Step("room") { Asker(log) }
    }
    let other = Step<String, String>("other") { [log] in Asker(log) }
    let fork = Flow<String, String>("f") {
      Parallel {
        other
        branch
      } join: {
        $0 + $1
      }
    }
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(isForked ? fork : Flow("f") { branch }).start(id: "f", with: "-")
      func question(_ name: String) async throws -> Question.ID {
        try #require(try await tester.view(of: "f").questions.first { $0.step.name == name }?.id)
      }
      let (host, hotel) = (tester.host, try await question("hotel"))
      try await host.flow("f").answer(hotel, with: "Ritz")
      let room = try await question("room")
      await #expect(throws: FlowError.self) { try await host.flow("f").backUp(from: hotel) }
      try await host.flow("f").backUp(from: room)
      let landed = try await question("hotel")
      #expect(landed != hotel)
      #expect(undone == ["undo room", "undo hotel"])
    }
  }
}
