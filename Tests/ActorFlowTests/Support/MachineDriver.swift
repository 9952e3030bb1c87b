import ActorFlow

/// Drives a machine as a coordinator would, without a task: one call for each input, one line for each event.
struct MachineDriver {
  private(set) var machine: FlowMachine
  private(set) var events: [NavigationEvent] = []
  let graph: Graph

  /// A machine that was launched on steps of these policies, named `a`, `b`, `c`….
  init(_ policies: BackUpPolicy...) throws {
    try self.init(policies)
  }

  init(_ policies: [BackUpPolicy]) throws {
    let flow = Flow<String, String> {
      for (index, policy) in policies.enumerated() {
        Step(Self.name(index)) { Asker() }.onBackUp(policy)
      }
    }
    try self.init(flow)
  }

  init(_ flow: Flow<String, String>, journal: FlowMachine.Journal = .off) throws {
    machine = FlowMachine(flow: "machine", journal: journal)
    graph = flow.graph
    add(try machine.launch(graph, with: "input"))
  }

  static func name(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))) }

  var lines: [String] { events.map(\.change.line) }

  /// The visit in focus; 0 before the first.
  var visit: VisitID { machine.position.stack.top?.id ?? VisitID(0) }

  /// The names on the stack, oldest first.
  var stack: String { machine.position.stack.map(\.step.name).reversed().joined() }

  mutating func add(_ event: NavigationEvent?) {
    if let event { events.append(event) }
  }

  private mutating func addMove(_ entry: LogEntry) {
    events.append(NavigationEvent(flow: "machine", run: machine.run, sequence: machine.sequence, entry: entry))
  }

  /// Forgets the events so far.
  mutating func forget() { events = [] }
}

// MARK: - Walking

extension MachineDriver {
  /// Enters the step at `index`. False: refused, because the flow is being left.
  @discardableResult
  mutating func enter(_ index: Int) -> Bool {
    let cargo = Cargo("to \(Self.name(index))")
    guard let entered = machine.enter(graph.nodes[index], instance: nil, cargo: cargo) else { return false }
    addMove(entered.event)
    return true
  }

  /// Skips the step at `index`.
  mutating func skip(_ index: Int) {
    switch machine.skip(graph.nodes[index], instance: nil, cargo: Cargo("to \(Self.name(index))"), making: "x") {
    case .left: break
    case .passed(let event): add(event)
    case .kept(let entered): addMove(entered.event)
    }
  }

  /// Enters the step at `index`, which asks a question and gets an answer.
  mutating func enterAndAsk(_ index: Int) throws {
    enter(index)
    let question = try ask()
    try answer(question)
  }

  /// Walks through the steps of these names: a capital asks, a small letter does not, one in brackets is skipped.
  mutating func walk(_ path: String) throws {
    var isSkipped = false
    for character in path {
      switch character {
      case "(": isSkipped = true
      case ")": isSkipped = false
      default:
        let index = Int(character.lowercased().utf8.first ?? 0) - Int(UInt8(ascii: "a"))
        if isSkipped {
          skip(index)
        } else if character.isUppercase {
          try enterAndAsk(index)
        } else {
          enter(index)
        }
      }
    }
  }

  /// The focused step asks.
  mutating func ask(_ text: String = "?", key: String? = nil) throws -> Question {
    switch try machine.ask(Form(text: text), key: key, visit: visit) {
    case .opened(let question, let event):
      add(event)
      return question
    case .answered, .withdrawn, .overdue: throw Failure("this machine replays nothing")
    }
  }

  mutating func answer(_ question: Question, by principal: Principal? = nil) throws {
    add(try machine.answer(question.id, with: "!", by: principal).event)
  }

  mutating func fail(_ error: any Error = Refused()) {
    add(machine.fail(StepID(machine.position.stack.top?.step.path ?? "?"), error))
  }

  mutating func finish() { add(machine.finish("output")) }
}

// MARK: - Leaving

extension MachineDriver {
  @discardableResult
  mutating func backUp(to step: StepID? = nil, since: Duration = .zero) throws -> FlowMachine.Leaving {
    let leaving = try machine.backUp(to: step, since: since)
    add(leaving.event)
    return leaving
  }

  @discardableResult
  mutating func abandon(_ reason: String = "", rollBack: Bool = true) throws -> FlowMachine.Leaving {
    let leaving = try machine.abandon(reason: reason, rollBack: rollBack, since: .zero)
    add(leaving.event)
    return leaving
  }

  @discardableResult
  mutating func cancel() -> FlowMachine.Leaving {
    let leaving = machine.cancel(since: .zero)
    add(leaving.event)
    return leaving
  }

  /// Asks the machine for its next turn.
  mutating func turn() -> FlowMachine.Turn {
    let (turn, event) = machine.turn()
    add(event)
    return turn
  }

  /// Tells the machine that the `backUp` it asked for is over.
  mutating func compensated(_ error: (any Error)? = nil) { machine.compensated(error) }

  /// Rolls back until a step is to proceed or the run has ended; the steps named in `failing` throw.
  ///
  /// - Returns: Whose `backUp` was called, in order, and the step that then proceeds in brackets: `cb[b]`.
  mutating func rollBack(failing: Set<String> = []) -> String {
    var line = ""
    while true {
      switch turn() {
      case .compensate(let place, _):
        let name = place.node.info.id.name
        line += name
        compensated(failing.contains(name) ? Failure(name) : nil)
      case .proceed(let place): return line + "[\(place.node.info.id.name)]"
      case .again: continue
      case .start, .reload, .ended: return line
      }
    }
  }

  /// Rolls back as far as the first `backUp`, and stays in it.
  mutating func rollBackToFirst() -> Place? {
    while true {
      switch turn() {
      case .compensate(let place, _): return place
      case .again: continue
      case .start, .proceed, .reload, .ended: return nil
      }
    }
  }

  /// The focused step's `proceed` has come back.
  mutating func comeBack() { _ = machine.returned() }

  /// Gives the machine an input of any kind.
  mutating func give<Result>(_ input: (inout FlowMachine) throws -> Result) rethrows -> Result {
    try input(&machine)
  }
}
