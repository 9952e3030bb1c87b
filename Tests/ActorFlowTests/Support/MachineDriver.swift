import ActorFlow

/// Drives a machine with one track.
struct MachineDriver: MachineDriving {
  var machine: FlowMachine
  var events: [NavigationEvent] = []
  var latest = Reaction()
  let graph: Graph

  /// Launches a machine on steps with these policies, named `a`, `b`, `c`….
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
    try give { [graph] in try $0.launch(graph, with: "input") }
  }

  static func name(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))) }

  /// The visit in focus; 0 before the first.
  var visit: VisitID { machine.position.stack.top?.id ?? VisitID(0) }

  /// The names on the stack, oldest first.
  var stack: String { machine.position.stack.map(\.step.name).reversed().joined() }

  /// Forgets the events so far.
  mutating func forget() { events = [] }
}

// MARK: - Walking

extension MachineDriver {
  /// Enters the step at `index`. Returns false if the machine refuses because the flow is being left.
  @discardableResult
  mutating func enter(_ index: Int) -> Bool {
    let (node, payload) = (graph.nodes[index], Payload("to \(Self.name(index))"))
    return give { $0.enter(node, instance: nil, payload: payload) } != nil
  }

  /// Skips the step at `index`.
  mutating func skip(_ index: Int) {
    let (node, payload) = (graph.nodes[index], Payload("to \(Self.name(index))"))
    _ = give { $0.skip(node, instance: nil, payload: payload, making: "x") }
  }

  /// Enters the step at `index`, which asks a question and gets an answer.
  mutating func enterAndAsk(_ index: Int) throws {
    enter(index)
    let question = try ask()
    try answer(question)
  }

  /// Walks through the steps with these names: a capital asks, a small letter does not, and one in brackets is skipped.
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

  /// Asks a question from the focused step.
  mutating func ask(_ text: String = "?", key: String? = nil) throws -> Question {
    let visit = visit
    guard case .opened(let question) = try give({ try $0.ask(Form(text: text), key: key, visit: visit) }) else {
      throw Failure("this machine replays nothing")
    }
    return question
  }

  mutating func answer(_ question: Question, by principal: Principal? = nil) throws {
    try give { try $0.answer(question.id, with: "!", by: principal) }
  }

  mutating func fail(_ error: any Error = Refused()) {
    let step = StepID(machine.position.stack.top?.step.path ?? "?")
    _ = give { $0.fail(step, error) }
  }

  mutating func finish() { _ = give { $0.finish("output") } }
}

// MARK: - Leaving

extension MachineDriver {
  @discardableResult
  mutating func backUp(to step: StepID? = nil, since: Duration = .zero) throws -> Reaction {
    try give { try $0.backUp(to: step, since: since) }
    return latest
  }

  @discardableResult
  mutating func abandon(_ reason: String = "", rollBack: Bool = true) throws -> Reaction {
    try give { try $0.abandon(reason: reason, rollBack: rollBack, since: .zero) }
    return latest
  }

  @discardableResult
  mutating func cancel() -> Reaction {
    give { $0.cancel(since: .zero) }
    return latest
  }

  /// Asks the machine for its next turn.
  mutating func turn() -> FlowMachine.Turn { give { $0.turn() } }

  /// Tells the machine that the `backUp` it asked for has ended.
  mutating func compensated(_ error: (any Error)? = nil) { give { $0.compensated(error) } }

  /// Rolls back until a step is to proceed or the run has ended. The steps named in `failing` throw.
  ///
  /// - Returns: The steps whose `backUp` was called, in order, and in brackets the step that then proceeds: `cb[b]`.
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

  /// Rolls back to the first `backUp`, and returns its place without ending it.
  mutating func rollBackToFirst() -> Place? {
    while true {
      switch turn() {
      case .compensate(let place, _): return place
      case .again: continue
      case .start, .proceed, .reload, .ended: return nil
      }
    }
  }

  /// Tells the machine that the focused step's `proceed` has returned.
  mutating func comeBack() { _ = give { $0.returned() } }
}
