import Testing

@testable import ActorFlow

/// A question or a wait that was open in a snapshot, and a step whose code now does something else there.
@Suite("Replaced questions on the machine") struct ReplacedQuestionMachineTests {
  private let graph = Flow<String, String> { Step("a") { Asker() } }.graph
  private let visit = VisitID(1)

  private func begun() throws -> FlowMachine {
    var machine = FlowMachine(flow: "f", journal: .persisting)
    try machine.launch(graph, with: "-")
    let node = try #require(graph.nodes.first)
    _ = machine.enter(node, instance: nil, payload: Payload("-"))
    return machine
  }

  private func readBack(_ machine: FlowMachine) throws -> FlowMachine {
    let names = GraphNames(graph)
    return try FlowMachine(
      try machine.snapshot(names, with: JSONCodec()), of: "f", names: names, codec: JSONCodec(), at: .zero)
  }

  private func ask(_ key: String, _ caller: CallingTask = .step, on machine: inout FlowMachine) throws {
    let prompt = Form(text: "")
    let persisted = FlowMachine.PersistedPrompt(
      prompt: PackedPrompt(try PackedValue(prompt, with: JSONCodec())), token: RandomBits(high: 1, low: 2))
    _ = try machine.ask(prompt, key: key, visit: visit, persisted: persisted, by: caller)
  }

  private func wait(for signal: String, _ caller: CallingTask = .step, on machine: inout FlowMachine) throws {
    _ = try machine.wait(for: signal, as: Int.self, at: Stay(visit), until: nil, by: caller)
  }

  /// The keys and signals that a snapshot of the machine has open.
  private func open(_ machine: FlowMachine) throws -> [String] {
    let main = try machine.snapshot(GraphNames(graph), with: JSONCodec()).main
    return (main.question?.key.map { [$0.name.text] } ?? []) + main.waits.map(\.signal)
  }

  @Test("a question is closed when the step's own task waits for a signal instead, and its answer is refused")
  func question() throws {
    var machine = try begun()
    try ask("old", on: &machine)
    let id = try #require(machine.persistedQuestions.first)
    var replay = try readBack(machine)
    try wait(for: "new", on: &replay)
    #expect(try open(replay) == ["new"] && replay.persistedQuestions.isEmpty)
    #expect(replay.canPassivate)
    let error = #expect(throws: FlowError.self) { try replay.answer(id, with: "!", by: nil) }
    #expect(error?.code == .questionClosed)
  }

  @Test("a wait is closed when the step's own task asks, or waits for another signal")
  func waits() throws {
    var machine = try begun()
    try wait(for: "old", on: &machine)
    var asking = try readBack(machine)
    try ask("new", on: &asking)
    #expect(try open(asking) == ["new"] && asking.canPassivate)
    var waiting = try readBack(machine)
    try wait(for: "new", on: &waiting)
    #expect(try open(waiting) == ["new"] && waiting.canPassivate)
  }

  @Test("what a child has open stays open when the step's own task does the same as before")
  func children() throws {
    var machine = try begun()
    try wait(for: "own", on: &machine)
    try ask("child", .child, on: &machine)
    var replay = try readBack(machine)
    try wait(for: "own", on: &replay)
    #expect(try open(replay) == ["child", "own"])
    try ask("child", .child, on: &replay)
    #expect(try open(replay) == ["child", "own"] && replay.canPassivate)
  }
}
