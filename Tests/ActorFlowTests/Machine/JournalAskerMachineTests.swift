import Testing

@testable import ActorFlow

/// A step and its child that wait under the same name, and a replay in which the child does not come back as far.
@Suite("The askers of journal keys on the machine") struct JournalAskerMachineTests {
  private let graph = Flow<String, String> { Step("a") { Asker() } }.graph
  private let stay = Stay(VisitID(1))

  private func begun(isQualified: Bool = true) throws -> FlowMachine {
    var machine = FlowMachine(flow: "f", journal: .persisting)
    machine.qualifiesKeys = isQualified
    try machine.launch(graph, with: "-")
    let node = try #require(graph.nodes.first)
    _ = machine.enter(node, instance: nil, payload: Payload("-"))
    return machine
  }

  private func readBack(_ machine: FlowMachine, isQualified: Bool = true) throws -> FlowMachine {
    let names = GraphNames(graph)
    let snapshot = try machine.snapshot(names, with: JSONCodec())
    var replay = try FlowMachine(snapshot, of: "f", names: names, codec: JSONCodec(), at: .zero)
    replay.qualifiesKeys = isQualified
    return replay
  }

  /// Waits for a signal that is there already, or from the journal.
  private func receive(_ value: Int, _ caller: CallingTask, on machine: inout FlowMachine) throws -> Int? {
    _ = try machine.send(value, to: "paid", key: nil)
    return try wait(caller, on: &machine)
  }

  private func wait(_ caller: CallingTask, on machine: inout FlowMachine) throws -> Int? {
    guard case .received(let value) = try machine.wait(for: "paid", as: Int.self, at: stay, until: nil, by: caller)
    else { return nil }
    return try StepBody.cast(value, to: Int.self)
  }

  @Test("the step's own wait gets its own signal, although its child has not come back for an earlier one")
  func ofStep() throws {
    var machine = try begun()
    #expect(try receive(1, .child, on: &machine) == 1)
    #expect(try receive(2, .step, on: &machine) == 2)
    var replay = try readBack(machine)
    #expect(try wait(.step, on: &replay) == 2)
    #expect(try wait(.step, on: &replay) == nil)
    #expect(try wait(.child, on: &replay) == 1)
  }

  @Test("a child gets its own signal, although the step's task has not come back for an earlier one")
  func ofChild() throws {
    var machine = try begun()
    #expect(try receive(1, .step, on: &machine) == 1)
    #expect(try receive(2, .child, on: &machine) == 2)
    var replay = try readBack(machine)
    #expect(try wait(.child, on: &replay) == 2)
    #expect(try wait(.step, on: &replay) == 1)
  }

  @Test("a step that asks anew keeps the key in the next replay, whoever comes first")
  func anew() throws {
    var machine = try begun()
    _ = try receive(1, .child, on: &machine)
    var replay = try readBack(machine)
    #expect(try receive(2, .step, on: &replay) == 2)
    for order in [[CallingTask.step, .child], [.child, .step]] {
      var next = try readBack(replay)
      for caller in order { #expect(try wait(caller, on: &next) == (caller == .step ? 2 : 1)) }
    }
  }

  @Test("keys of an earlier format, which do not tell their asker, are found in their order")
  func earlier() throws {
    var machine = try begun(isQualified: false)
    _ = try receive(1, .step, on: &machine)
    _ = try receive(2, .step, on: &machine)
    // The flow is stored in the new format from here on.
    var replay = try readBack(machine)
    for value in 1...2 { #expect(try wait(.step, on: &replay) == value) }
    #expect(try receive(3, .step, on: &replay) == 3)
    #expect(try receive(4, .child, on: &replay) == 4)
    for order in [[CallingTask.child, .step, .step, .step], [.step, .step, .step, .child]] {
      var next = try readBack(replay)
      for (index, caller) in order.enumerated() {
        let expected = caller == .child ? 4 : order[...index].count { $0 == .step }
        #expect(try wait(caller, on: &next) == expected)
      }
    }
  }
}
