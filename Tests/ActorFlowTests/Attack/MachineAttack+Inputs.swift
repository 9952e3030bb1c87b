import ActorFlow

// The inputs: those of the world may come at any moment, those of the walk come in its order.
extension MachineAttack {
  typealias Given = (String, NavigationEvent?)

  mutating func launch(_ machine: inout FlowMachine) throws -> Given {
    ("launch", try machine.launch(graph, with: "in"))
  }

  // MARK: The world

  mutating func input(fromOutside machine: inout FlowMachine) throws -> Given {
    let visit = visits.randomElement(using: &random) ?? VisitID(7)
    let question = questions.randomElement(using: &random) ?? Question.ID(flow: "flow", run: 1, number: 9)
    switch random.below(13) {
    case 0: return ("backUp", try machine.backUp(since: .zero).event)
    case 1:
      let name = ["a", "b", "f/a", "nowhere"][random.below(4)]
      return ("backUp to \(name)", try machine.backUp(to: StepID(name), since: .zero).event)
    case 2: return ("backUp inside", try machine.backUp(from: visit, since: .zero).event)
    case 3:
      guard random.chance(6) else { return ("nothing", nil) }
      let event = try machine.abandon(reason: "r", rollBack: random.chance(70), since: .zero).event
      return ("abandon", event)
    case 4:
      guard random.chance(6) else { return ("nothing", nil) }
      return ("abandon inside", try machine.abandon("r", from: visit, since: .zero).event)
    case 5:
      guard random.chance(6) else { return ("nothing", nil) }
      return ("cancel", machine.cancel(since: .zero).event)
    case 6: return ("update", try machine.update(Form(text: "new"), visit: visit))
    case 7: return ("withdraw", machine.withdraw(question))
    case 8: return ("launch again", try machine.launch(graph, with: "in"))
    case 9: return try begin(&machine, visit)
    case 10: return end(&machine)
    default: return try answer(&machine, question)
    }
  }

  private mutating func answer(_ machine: inout FlowMachine, _ question: Question.ID) throws -> Given {
    ("answer", try machine.answer(question, with: "t", by: nil).event)
  }

  private mutating func begin(_ machine: inout FlowMachine, _ visit: VisitID) throws -> Given {
    let scope = RecordScope(visit: visit, isRollback: random.chance(20))
    let key = ["x", "y"][random.below(2)]
    let begun = try machine.beginOnce(key, scope: scope, type: String.self) { KeyBits(high: 1, low: 2) }
    guard case .run = begun else { return ("once again", nil) }
    once = (key, scope)
    return ("once begins", nil)
  }

  private mutating func end(_ machine: inout FlowMachine) -> Given {
    guard let (key, scope) = once else { return ("nothing", nil) }
    once = nil
    machine.endOnce(key, scope: scope, value: random.chance(70) ? "done" : nil)
    return ("once ends", nil)
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
      return ("compensated", nil)
    case .ended: return ("nothing", nil)
    }
  }

  private mutating func turn(_ machine: inout FlowMachine) -> Given {
    let (turn, event) = machine.turn()
    switch turn {
    case .start: walker = .between(nil)
    case .proceed(let place): walker = .stepping(place.visit, place.node)
    case .reload(let place): walker = machine.reloaded(Asker()) != nil ? .stepping(place.visit, place.node) : .turning
    case .compensate: walker = .compensating
    case .again: break
    case .ended: walker = .ended
    }
    visits.append(contentsOf: machine.position.stack.top.map { [$0.id] } ?? [])
    return ("turn", event)
  }

  private mutating func forward(_ machine: inout FlowMachine, _ node: Node?) -> Given {
    guard let node else {
      walker = .turning
      return ("finish", machine.finish("out"))
    }
    switch random.below(10) {
    case 0 where random.chance(10):
      walker = .turning
      return ("factory fails", machine.fail(node.info.id, Boom()))
    case 1, 2:
      walker = .between(node)
      switch machine.skip(node, instance: Asker(), cargo: Cargo("in"), making: "out") {
      case .left:
        walker = .turning
        return ("skip while left", nil)
      case .passed(let event): return ("skip", event)
      case .kept(let entered):
        visits.append(entered.place.visit.id)
        return ("skip and keep", event(entered, machine))
      }
    default:
      guard let entered = machine.enter(node, instance: Asker(), cargo: Cargo("in")) else {
        walker = .turning
        return ("enter while left", nil)
      }
      visits.append(entered.place.visit.id)
      walker = .stepping(entered.place.visit, node)
      return ("enter", event(entered, machine))
    }
  }

  private func event(_ entered: FlowMachine.Entered, _ machine: FlowMachine) -> NavigationEvent {
    NavigationEvent(flow: "flow", run: machine.run, sequence: machine.sequence, entry: entered.event)
  }

  private mutating func step(_ machine: inout FlowMachine, _ visit: VisitNode, _ node: Node) throws -> Given {
    if machine.phase == .leaving, random.chance(20) {
      walker = .turning
      try demand(machine.notBegun(visit.id), "a visit that is being left was not noted as not begun")
      return ("not begun", nil)
    }
    // A step ends only when its question and its work have ended.
    switch random.below(machine.position.questions.isEmpty && !machine.hasRunningWork(on: .main) ? 10 : 4) {
    case 0...3:
      guard case .opened(let question, let event) = try machine.ask(Form(text: ""), key: nil, visit: visit.id) else {
        return ("ask", nil)
      }
      questions.append(question.id)
      return ("ask", event)
    case 4 where random.chance(10):
      walker = .turning
      _ = machine.returned()
      return ("fail", machine.fail(node.info.id, Boom()))
    default:
      walker = machine.returned() ? .between(node) : .turning
      return ("return", nil)
    }
  }
}
