import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// Snapshots that no machine could have written, each refused with a description.
@Suite("Inconsistent snapshots") struct DamagedSnapshotTests {
  private func machine(_ scenario: CorpusScenario) throws -> MachineSnapshot {
    let entry = try CorpusEntry(scenario, format: 1)
    return try HostedState(of: try FlowFile(decoding: entry.flow).flow.snapshot).machine
  }

  /// Returns the reason for which the snapshot is refused by the flow it belongs to.
  private func problem(_ snapshot: MachineSnapshot, of scenario: CorpusScenario) -> String {
    let names = GraphNames(scenario.flow(true).graph)
    do {
      _ = try FlowMachine(snapshot, of: "f", names: names, codec: JSONValueCodec(), at: .zero)
      return "none"
    } catch { return error.description }
  }

  private func expect(
    _ scenario: CorpusScenario, _ what: String, location: SourceLocation = #_sourceLocation,
    _ change: (inout MachineSnapshot) -> Void
  ) throws {
    var snapshot = try machine(scenario)
    #expect(problem(snapshot, of: scenario) == "none", sourceLocation: location)
    change(&snapshot)
    let problem = problem(snapshot, of: scenario)
    #expect(problem.contains(what), "\(problem)", sourceLocation: location)
  }

  @Test("branches that do not belong to their fork")
  func branches() throws {
    try expect(.parallel, "is not at its index in the fork") { $0.main.fork?.tracks = [0, 1] }
    try expect(.parallel, "is not at its index in the fork") { $0.main.fork?.tracks = [1, 1] }
    try expect(.parallel, "is not at its index in the fork") { $0.branches[1].branch?.number = 2 }
    try expect(.parallel, "is not at its index in the fork") { $0.main.fork?.tracks = [2, 1] }
    try expect(.parallel, "has no parent fork") { $0.branches[0].branch?.parent = 2 }
    try expect(.parallel, "do not match") { snapshot in
      snapshot.branches.removeLast()
      snapshot.main.fork?.tracks = [1, 0]
    }
    try expect(.parallel, "own track is a branch") { $0.main.number = 1 }
    try expect(.parallel, "no longer in this branch") { $0.branches[1].places = $0.main.places }
  }

  @Test("results that belong to no branch")
  func results() throws {
    let what = "the branches and their results do not match"
    try expect(.parallel, what) { $0.main.fork?.results[0].branch = 7 }
    try expect(.parallel, what) { $0.main.fork?.results[0].branch = 1 }
    try expect(.parallel, what) { $0.main.fork?.results = [] }
    try expect(.parallel, what) { $0.main.fork?.judged = 3 }
    try expect(.parallel, what) { $0.main.fork?.isDecided = true }
    try expect(.parallel, what) { $0.main.start = PackedStart(kind: .top, pause: .seconds(1)) }
  }

  @Test("positions that do not exist in the graph")
  func ways() throws {
    func left(_ goal: PackedLeave.Goal, on track: inout PackedTrack) {
      track.phase = .leaving
      track.leave = PackedLeave(goal: goal, number: 1, visit: track.places.last?.visit, since: .zero)
    }
    let what = "cannot reach its goal"
    try expect(.question, what) { left(.back(to: 1_000_000_000, update: nil), on: &$0.main) }
    try expect(.question, what) { left(.supersede, on: &$0.main) }
    try expect(.question, what) { left(.dropSuperseded(payload: 0), on: &$0.main) }
    try expect(.parallel, what) { left(.end(.failed, rollBack: true), on: &$0.branches[1]) }
    try expect(.leaving, "the phase and the leave of track 0 disagree") { $0.main.leave = nil }
    try expect(.question, "the phase of the main track and the flow's ending disagree") { $0.main.phase = .ended }
    try expect(.question, "a back target is not below its place") { $0.main.places[1].backTarget = 1 }
    try expect(.question, "continues at an impossible address") {
      $0.main.start = PackedStart(kind: .at(.behind("question/name"), payload: 0))
    }
  }

  @Test("tables with circular links")
  func tables() throws {
    try expect(.carrying, "too deep") { snapshot in
      for _ in 0..<100_000 {
        let below = snapshot.carried.count - 1
        snapshot.carried.append(PackedCarried(value: PackedValue(type: "String", bytes: []), below: below))
      }
      snapshot.payloads[snapshot.main.places[0].payload].carried = snapshot.carried.count - 1
    }
    try expect(.carrying, "contains a cycle") { snapshot in
      for index in snapshot.carried.indices { snapshot.carried[index].below = index }
    }
    try expect(.carrying, "contains a cycle") { snapshot in
      for index in snapshot.frames.indices {
        for payload in snapshot.payloads.indices { snapshot.payloads[payload].scopes = index }
      }
    }
  }

  @Test("numbers that were never given out, or that would overflow")
  func numbers() throws {
    try expect(.question, "never given out") { $0.main.places[0].visit.id = 99 }
    try expect(.question, "never given out") { $0.main.question?.number = 99 }
    try expect(.parallel, "never given out") { $0.numbers.track = 1 }
    try expect(.question, "too large") { $0.sequence = Int.max >> 1 }
    try expect(.question, "too large") { $0.main.question?.revision = Int.max >> 1 }
    try expect(.parallel, "too large") { $0.numbers.track = Int32.max >> 1 }
  }

  @Test("reminders without a pause between them")
  func reminders() throws {
    try expect(.reminders, "no interval") { snapshot in
      snapshot.timers = [
        PackedTimer(
          due: .zero, track: 0, subject: .reminder(question: 1, number: 1, every: .zero, of: Int.max >> 1))
      ]
    }
  }

  @Test("a step that asks for more results than there are branches still settles")
  func askers() throws {
    var snapshot = try machine(.question)
    snapshot.main.focus.askersAtOnce = Int.max >> 1
    let names = GraphNames(CorpusScenario.question.flow(true).graph)
    let machine = try FlowMachine(snapshot, of: "f", names: names, codec: JSONValueCodec(), at: .zero)
    #expect(machine.main.focus.askersAtOnce == 1)
  }
}
