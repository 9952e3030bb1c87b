import Testing

@testable import ActorFlow

@Suite("Labels on the machine") struct LabelMachineTests {
  private let graph = Flow<String, String> { Step("a") { Asker() } }.graph
  private let stay = Stay(VisitID(1))

  private func begun(_ journal: FlowMachine.Journal = .persisting) throws -> FlowMachine {
    var machine = FlowMachine(flow: "f", journal: journal)
    try machine.launch(graph, with: "-")
    let node = try #require(graph.nodes.first)
    _ = machine.enter(node, instance: nil, payload: Payload("-"))
    return machine
  }

  private func readBack(_ machine: FlowMachine) throws -> FlowMachine {
    let names = GraphNames(graph)
    let snapshot = try machine.snapshot(names, with: JSONCodec())
    return try FlowMachine(snapshot, of: "f", names: names, codec: JSONCodec(), at: .zero)
  }

  @Test("the latest value counts, and a removed label is a change, too")
  func latest() throws {
    var machine = try begun()
    try machine.label("stage", "1", at: stay, by: .step)
    try machine.label("stage", "2", at: stay, by: .step)
    try machine.label("owner", nil, at: stay, by: .step)
    #expect(machine.labelChanges == ["stage": "2", "owner": nil])
  }

  @Test("a replay changes nothing until it comes to a new call; the step and its children count separately")
  func replay() throws {
    var machine = try begun()
    try machine.label("stage", "1", at: stay, by: .step)
    try machine.label("stage", "child", at: stay, by: .child)
    try machine.label("stage", "2", at: stay, by: .step)
    var replay = try readBack(machine)
    try replay.label("stage", "1", at: stay, by: .step)
    try replay.label("stage", "2", at: stay, by: .step)
    #expect(replay.labelChanges.isEmpty)
    try replay.label("stage", "3", at: stay, by: .step)
    #expect(replay.labelChanges == ["stage": "3"])
    var next = try readBack(replay)
    for _ in 1...3 { try next.label("stage", "again", at: stay, by: .step) }
    try next.label("stage", "child", at: stay, by: .child)
    #expect(next.labelChanges.isEmpty)
  }

  @Test("a label has a limit, and the call that exceeds it changes nothing")
  func limits() throws {
    var machine = try begun()
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    for (key, value) in [(text(513), "1"), ("k", text(513))] {
      let error = #expect(throws: FlowError.self) { try machine.label(key, value, at: stay, by: .step) }
      #expect(error?.code == .tooLarge)
    }
    #expect(machine.labelChanges.isEmpty)
    try machine.label(text(512), text(512), at: stay, by: .step)
    #expect(machine.labelChanges.count == 1)
  }

  @Test("a flow that is not stored has no labels")
  func unstored() throws {
    var machine = try begun(.off)
    try machine.label("stage", "1", at: stay)
    #expect(machine.labelChanges.isEmpty)
  }
}
