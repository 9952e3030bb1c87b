import ActorFlow
import Testing

@Suite("Size") struct SizeTests {
  @Test("FS-25 a flow of 100,000 automatic steps finishes, backs up and is abandoned without stack growth")
  func manySteps() async throws {
    let count = 100_000
    let undone = Shared(0)
    let flow = Flow("f") {
      Step("first") { (_: Int, context) -> Int in try await context.ask(Number()) }
      for _ in 0..<count { Step("s") { Counting(undone) } }
      Step("last") { (value: Int, context) -> Int in value + (try await context.ask(Number())) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: 0, on: coordinator) { coordinator in
      _ = try await coordinator.settled()
      try await coordinator.answer(Number.self, with: 1)
      let deep = try await coordinator.settled()
      #expect(deep.stack.count == count + 2)
      try await coordinator.backUp()
      #expect(undone.value == count)
      #expect(try await coordinator.settled().stack.count == 1)
      try await coordinator.answer(Number.self, with: 2)
      _ = try await coordinator.settled()
      try await coordinator.answer(Number.self, with: 5)
    }
    #expect(try result.get() == count + 7)
    #expect(undone.value == count)
  }

  @Test("a flow at 100,000 steps is abandoned, and every step is compensated, newest first")
  func deepRollback() async throws {
    let count = 100_000
    let undone = Shared(0)
    let flow = Flow("f") {
      for _ in 0..<count { Step("s") { Counting(undone) } }
      Step("last") { (_: Int, context) -> Int in try await context.ask(Number()) }
    }
    let result = try await running(flow, with: 0) { coordinator in
      _ = try await coordinator.settled()
      try await coordinator.abandon(reason: "enough")
    }
    #expect(throws: FlowError.self) { try result.get() }
    #expect(undone.value == count)
  }

  @Test("a stack of 1,000,000 visits is freed by a loop, also one that a position holds")
  func manyVisits() {
    let info = StepInfo(id: "s")
    var node: VisitNode?
    for index in 0..<1_000_000 {
      node = VisitNode(id: VisitID(index), info: info, below: node, isSkipped: false, canBackUp: false)
    }
    var position: Position? = Position(stack: StepStack(node), questions: [], status: .running, canBackUp: false)
    node = nil
    #expect(position?.stack.count == 1_000_000)
    position = nil
  }

  @Test("a machine with 1,000,000 places is freed by a loop, while earlier positions are retained, and after")
  func manyPlaces() throws {
    var machine = FlowMachine(flow: "flow")
    let graph = Flow("f") { Step("s") { Asker() } }.graph
    try machine.launch(graph, with: "")
    let instance = Asker()
    let node = try #require(graph.nodes.first)
    var held: [Position] = []
    for index in 0..<1_000_000 {
      _ = machine.enter(node, instance: instance, payload: Payload(""))
      if index % 100_000 == 0 { held.append(machine.position) }
    }
    let copy = machine
    let entry = try #require(machine.react { $0.finish("out") }.1.event)
    let event = NavigationEvent(flow: "flow", run: 1, sequence: machine.sequence, at: .zero, entry: entry)
    #expect(event.position.stack.count == 1_000_000)
    #expect(held.map(\.stack.count) == stride(from: 1, to: 1_000_000, by: 100_000).map { $0 })
    held = []
    _ = copy.position
  }
}

private struct Number: Prompt { typealias Answer = Int }

/// Adds one.
private actor Counting: FlowStep {
  private let undone: Shared<Int>
  init(_ undone: Shared<Int>) { self.undone = undone }
  func proceed(_ input: Int, context: StepContext) -> Int { input + 1 }
  func backUp(context: RollbackContext) { undone.change { $0 += 1 } }
}

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
  private let lock: Lock<Value>
  init(_ value: Value) { lock = Lock(value) }
  var value: Value { lock.withLock { $0 } }
  func change(_ change: (inout Value) -> Void) { lock.withLock { change(&$0) } }
}
