import ActorFlow
import Testing

/// Random inputs to the machine alone: requests from outside at any moment, and inputs of the walk in its order.
@Suite("Attack on the machine") struct MachineAttackTests {
  @Test("after every input the last event equals the position, and a refused input has changed nothing")
  func randomInputs() async {
    await attack(Attack.seeds(Attack.scaled(4_000))) { seed in
      var attack = MachineAttack(seed: seed)
      try attack.play(inputs: 100)
    }
  }
}

struct MachineAttack {
  /// The current work of the shell that carries out the actions.
  enum Walker { case turning, between(Node?), stepping(VisitNode, Node), compensating, ended }

  var random: SeededGenerator
  var machine: FlowMachine
  let graph: Graph
  var walker = Walker.turning
  var fold = Fold()
  var visits: [VisitID] = []
  var questions: [Question.ID] = []
  var once: (key: String, scope: RecordScope)?
  var log: [String] = []
  /// Whether an asker waits, and whether a walk is under way that may be cancelled, according to the machine's actions.
  private var isAsking = false
  private var isWalking = false
  private var cancelledRun = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let plan = Plan.random(&random)
    graph = plan.flow(on: Stage()).graph
    machine = FlowMachine(flow: "flow", journal: random.chance(80) ? .off : .reloading)
    fold.settling = Set(graph.nodes.filter { $0.backUp == .settling }.map(\.info.id))
  }

  mutating func play(inputs: Int) throws {
    do {
      if random.chance(20) { try input("early") { try $0.input(fromOutside: &$1) } }
      try input("launch") { try $0.launch(&$1) }
      for _ in 0..<inputs {
        if machine.phase == .ended, random.chance(30) { break }
        if random.chance(50) {
          try input("outside") { try $0.input(fromOutside: &$1) }
        } else {
          try input("walk") { try $0.walk(&$1) }
        }
      }
    } catch { throw Finding("\(error)\n  \(log.joined(separator: "\n  "))") }
  }

  /// The state of a machine as far as it can be observed.
  private struct Shape: Equatable {
    var phase: FlowMachine.Phase
    var position: String
    var sequence: Int
    var numbers: [Int]
    var hasRunningWork: Bool
    var leave: String
    var isSettled: Bool

    init(_ machine: FlowMachine) {
      phase = machine.phase
      position = describe(machine.position)
      sequence = machine.sequence
      numbers = [machine.nextNumbers.run, machine.nextNumbers.visit, machine.nextNumbers.question]
      hasRunningWork = machine.hasRunningWork(on: .main)
      leave = machine.leave.map { "\($0.goal) \($0.errors.count)" } ?? "-"
      isSettled = machine.isSettled
    }
  }

  /// Gives an input and checks the invariants of every input. An input that throws is refused.
  private mutating func input(
    _ name: String, _ give: (inout Self, inout FlowMachine) throws -> Given
  ) throws {
    let before = Shape(machine)
    var next = machine
    let reaction: Reaction
    do {
      let (what, given) = try next.react { try give(&self, &$0) }
      log.append("\(name): \(what)")
      reaction = given
    } catch let finding as Finding { throw finding } catch {
      log.append("\(name): refused, \(word(for: error))")
      return try demandEqual(Shape(next), before, "a refused input has changed something")
    }
    machine = next
    let after = Shape(machine)
    try demandEqual(after.sequence, before.sequence + reaction.events.count, "the number of events")
    try check(reaction.actions)
    let events = reaction.events.enumerated().map { index, entry in
      NavigationEvent(
        flow: "flow", run: machine.run, sequence: before.sequence + 1 + index, at: .zero, entry: entry)
    }
    for event in events { try fold.take(event) }
    let shown = events.last.map { describe($0.position) } ?? before.position
    try demandEqual(after.position, shown, "the position, which only events change, and the last one carries")
    try demand(Self.mayFollow(before.phase, after.phase), "from \(before.phase) to \(after.phase)")
    try demandEqual(
      machine.leave != nil, [.leaving, .compensating].contains(after.phase), "whether a leave is under way")
  }

  /// A naive model of the waiting tasks: an asker waits from the opening of its question until it is resumed, in the
  /// input that closes the question; a walk is cancelled once, when the leave is accepted.
  private mutating func check(_ actions: [Reaction.Action]) throws {
    for action in actions {
      switch action {
      case .awaitAnswer:
        try demand(!isAsking, "an asker waits already")
        isAsking = true
      case .resumeAsker:
        try demand(isAsking, "an asker is resumed that does not wait")
        isAsking = false
      case .startWalk: (isWalking, cancelledRun) = (true, 0)
      case .cancelWalk:
        try demand(cancelledRun != machine.run, "a walk is cancelled twice")
        (isWalking, cancelledRun) = (false, machine.run)
      case .awaitMilestone, .wakeOnce, .remind, .awaitSignal, .resumeWait, .awaitPause, .endPause, .hold, .releaseHeld,
        .holdPresumed, .askAgain:
        break
      }
    }
    try demandEqual(isAsking, !machine.position.questions.isEmpty, "an asker waits while its question is open")
    try demand(!isWalking || machine.phase != .leaving, "a walk goes on although its track is left")
  }

  private static func mayFollow(_ before: FlowMachine.Phase, _ after: FlowMachine.Phase) -> Bool {
    switch (before, after) {
    case (.idle, .walking), (.walking, .leaving), (.walking, .compensating), (.walking, .ended): true
    case (.leaving, .compensating), (.leaving, .ended), (.leaving, .walking): true
    case (.compensating, .walking), (.compensating, .ended): true
    // An ending replaces a back that is being rolled back: the loop continues where it was.
    case (.compensating, .leaving): false
    default: before == after
    }
  }
}
