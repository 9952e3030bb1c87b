import ActorFlow

// The inputs: those of the world may come at any moment, those of the walk come in its order.
extension MachineAttack {
  /// The input as text, for the log.
  typealias Given = String

  mutating func launch(_ machine: inout FlowMachine) throws -> Given {
    try machine.launch(graph, with: "in")
    return "launch"
  }

  // MARK: The world

  mutating func input(fromOutside machine: inout FlowMachine) throws -> Given {
    let visit = visits.randomElement(using: &random) ?? VisitID(7)
    let question = questions.randomElement(using: &random) ?? Question.ID(flow: "flow", run: 1, number: 9)
    switch random.below(14) {
    case 0:
      try machine.backUp(since: .zero)
      return "backUp"
    case 1:
      let name = ["a", "b", "f/a", "nowhere"][random.below(4)]
      try machine.backUp(to: StepID(name), since: .zero)
      return "backUp to \(name)"
    case 2:
      try machine.backUp(from: visit, since: .zero)
      return "backUp inside"
    case 3:
      guard random.chance(6) else { return "nothing" }
      try machine.abandon(reason: "r", rollBack: random.chance(70), since: .zero)
      return "abandon"
    case 4:
      guard random.chance(6) else { return "nothing" }
      try machine.abandon("r", from: visit, since: .zero)
      return "abandon inside"
    case 5:
      guard random.chance(6) else { return "nothing" }
      machine.cancel(since: .zero)
      return "cancel"
    case 6:
      try machine.update(Form(text: "new"), visit: visit)
      return "update"
    case 7:
      machine.withdraw(question.number)
      return "withdraw"
    case 8:
      try machine.launch(graph, with: "in")
      return "launch again"
    case 9: return try begin(&machine, visit)
    case 10: return end(&machine)
    case 11:
      _ = try machine.send(1, to: "s", key: nil)
      return "send"
    default:
      try machine.answer(question, with: "t", by: nil)
      return "answer"
    }
  }

  private mutating func begin(_ machine: inout FlowMachine, _ visit: VisitID) throws -> Given {
    let scope = RecordScope(visit: visit, isRollback: random.chance(20))
    let key = ["x", "y"][random.below(2)]
    let begun = try machine.beginOnce(key, scope: scope, type: String.self) { KeyBits(high: 1, low: 2) }
    guard case .run = begun else { return "once again" }
    once = (key, scope)
    return "once begins"
  }

  private mutating func end(_ machine: inout FlowMachine) -> Given {
    guard let (key, scope) = once else { return "nothing" }
    once = nil
    machine.endOnce(key, scope: scope, value: random.chance(70) ? "done" : nil)
    return "once ends"
  }

  // MARK: The walk

  mutating func walk(_ machine: inout FlowMachine) throws -> Given {
    switch walker {
    case .turning: return turn(&machine)
    case .between(let last): return forward(&machine, graph.nodes.dropFirst((last?.index ?? -1) + 1).first)
    case .stepping(let visit, let node): return try step(&machine, visit, node)
    case .compensating:
      let error: (any Error)? = random.chance(20) ? Boom() : nil
      _ = machine.returned()
      machine.compensated(error)
      walker = .turning
      return "compensated"
    case .ended: return "nothing"
    }
  }

  private mutating func turn(_ machine: inout FlowMachine) -> Given {
    switch machine.turn() {
    case .start: walker = .between(nil)
    case .proceed(let place): walker = .stepping(place.visit, place.node)
    case .reload(let place): walker = machine.reloaded(Asker()) != nil ? .stepping(place.visit, place.node) : .turning
    case .compensate: walker = .compensating
    case .again: break
    case .ended: walker = .ended
    }
    visits.append(contentsOf: machine.position.stack.top.map { [$0.id] } ?? [])
    return "turn"
  }

  private mutating func forward(_ machine: inout FlowMachine, _ node: Node?) -> Given {
    guard let node else {
      walker = .turning
      _ = machine.finish("out")
      return "finish"
    }
    switch random.below(10) {
    case 0 where random.chance(10):
      walker = .turning
      _ = machine.fail(node.info.id, Boom())
      return "factory fails"
    case 1, 2:
      walker = .between(node)
      guard machine.skip(node, instance: Asker(), payload: Payload("in"), making: "out") else {
        walker = .turning
        return "skip while left"
      }
      visits.append(contentsOf: machine.position.stack.top.map { [$0.id] } ?? [])
      return "skip"
    default:
      guard let place = machine.enter(node, instance: Asker(), payload: Payload("in")) else {
        walker = .turning
        return "enter while left"
      }
      visits.append(place.visit.id)
      walker = .stepping(place.visit, node)
      return "enter"
    }
  }

  private mutating func step(_ machine: inout FlowMachine, _ visit: VisitNode, _ node: Node) throws -> Given {
    if machine.phase == .leaving, random.chance(20) {
      walker = .turning
      try demand(machine.notBegun(visit.id), "a visit that is being left was not noted as not begun")
      return "not begun"
    }
    // A step ends only when its question and its work have ended.
    switch random.below(machine.position.questions.isEmpty && !machine.hasRunningWork(on: .main) ? 10 : 4) {
    case 0...3 where random.chance(30):
      let stay = Stay(visit.id)
      let paired = try machine.first(of: Form(text: ""), key: nil, or: "s", as: Int.self, at: stay)
      if case .opened(let question, _) = paired { questions.append(question.id) }
      return "ask and wait"
    case 0...3:
      if case .opened(let question) = try machine.ask(Form(text: ""), key: nil, visit: visit.id) {
        questions.append(question.id)
      }
      return "ask"
    case 4 where random.chance(10):
      walker = .turning
      _ = machine.returned()
      _ = machine.fail(node.info.id, Boom())
      return "fail"
    default:
      if random.chance(50), let next = graph.nodes.dropFirst(node.index + 1).first {
        return try move(&machine, to: next)
      }
      walker = machine.returned() ? .between(node) : .turning
      return "return"
    }
  }

  /// Ends a step that has left nothing open, and enters the next one in the same input.
  private mutating func move(_ machine: inout FlowMachine, to next: Node) throws -> Given {
    let isLeft = machine.phase != .walking
    let watching = random.chance(30)
    switch machine.move(to: next, instance: Asker(), payload: Payload("in"), watching: watching) {
    case .entered(let place):
      try demand(!isLeft, "a flow that is being left has entered a step")
      visits.append(place.visit.id)
      walker = .stepping(place.visit, next)
      return "move"
    case .left:
      try demand(isLeft, "a flow that is not being left refused to move")
      walker = .turning
      return "move while left"
    case .looseEnds:
      throw Finding("a step without a question, a wait or work has left something open")
    }
  }
}
