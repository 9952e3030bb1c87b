import ActorFlow
import Testing

/// Questions and waits of child tasks that were open in a snapshot, as the replay comes back to them or does not.
@Suite("Reopened questions and waits on the machine") struct ReopenedWaitMachineTests {
  private let graph = Flow<String, String> { Step("a") { Asker() } }.graph
  private let visit = VisitID(1)

  /// Returns a machine that was read back from a snapshot. In it, one child had an answer and was about to cancel
  /// another, which waits for "x".
  private func decidedRace() throws -> FlowMachine {
    var machine = FlowMachine(flow: "f", journal: .persisting)
    try machine.launch(graph, with: "-")
    let node = try #require(graph.nodes.first)
    _ = machine.enter(node, instance: nil, payload: Payload("-"))
    let question = try #require(try ask(on: &machine))
    try wait(for: "x", on: &machine)
    try machine.answer(question.id, with: "!", by: nil)
    let names = GraphNames(graph)
    let snapshot = try machine.snapshot(names, with: JSONCodec())
    return try FlowMachine(snapshot, of: "f", names: names, codec: JSONCodec(), at: .zero)
  }

  /// Asks as a child task. Returns nil if the journal has the answer.
  @discardableResult
  private func ask(on machine: inout FlowMachine) throws -> Question? {
    let prompt = Form(text: "")
    let persisted = FlowMachine.PersistedPrompt(
      prompt: PackedPrompt(try PackedValue(prompt, with: JSONCodec())), token: RandomBits(high: 1, low: 2))
    let asked = try machine.ask(prompt, key: nil, visit: visit, persisted: persisted, by: .child)
    if case .opened(let question) = asked { return question }
    return nil
  }

  /// Waits as a child task.
  private func wait(for signal: String, on machine: inout FlowMachine) throws {
    _ = try machine.wait(for: signal, as: Int.self, at: Stay(visit), until: nil, by: .child)
  }

  private func waits(of machine: FlowMachine) -> [String] { machine.position.waits.map(\.signal) }

  @Test("a wait keeps its place in the queue while its child may still come back")
  func notYet() throws {
    var machine = try decidedRace()
    #expect(try ask(on: &machine) == nil)
    try ask(on: &machine)
    #expect(!machine.canPassivate, "the second question is the only one of two askers that is back")
    try wait(for: "x", on: &machine)
    #expect(machine.openWaits(on: .main) == [1])
    guard case .received = try machine.send(1, to: "x", key: nil) else { throw Failure("nobody receives the signal") }
  }

  @Test("once as many tasks wait as in the snapshot, the wait of a child that has not come back is given up")
  func gone() throws {
    var machine = try decidedRace()
    #expect(try ask(on: &machine) == nil)
    try ask(on: &machine)
    try wait(for: "y", on: &machine)
    #expect(waits(of: machine) == ["y"])
    guard case .buffered = try machine.send(1, to: "x", key: nil) else { throw Failure("a gone task got the signal") }
    #expect(machine.canPassivate)
  }

  @Test("it does not matter which of the new ones comes first")
  func otherOrder() throws {
    var machine = try decidedRace()
    #expect(try ask(on: &machine) == nil)
    try wait(for: "y", on: &machine)
    try ask(on: &machine)
    #expect(waits(of: machine) == ["y"])
  }

  @Test("a child that comes back after it was given up waits anew")
  func late() throws {
    var machine = try decidedRace()
    #expect(try ask(on: &machine) == nil)
    try ask(on: &machine)
    try wait(for: "y", on: &machine)
    try wait(for: "x", on: &machine)
    #expect(waits(of: machine) == ["y", "x"] && machine.openWaits(on: .main) == [2, 3])
    guard case .received = try machine.send(1, to: "x", key: nil) else { throw Failure("nobody receives the signal") }
  }
}
