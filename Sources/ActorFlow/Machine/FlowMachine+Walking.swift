// Launching and walking forward.
extension FlowMachine {
  /// `run` was called.
  package mutating func launch(_ graph: Graph, with input: any Sendable) throws(FlowError) -> NavigationEvent {
    guard phase == .idle else {
      throw error(.alreadyRunning, "a coordinator runs one flow at a time; make another, or wait until `run` returns")
    }
    self.graph = graph
    numbers.run += 1
    run = numbers.run
    launchCargo = Cargo(input)
    phase = .walking
    return publish(.launched)
  }

  /// The focused step's `proceed`, or the `backUp` of the place on top, has returned or thrown: its context is over. A
  /// question that it left open is to be withdrawn next; no other can be opened in between.
  ///
  /// - Returns: Whether the walk goes on. If not, the visit is being left, and what came of it is ignored.
  package mutating func returned() -> Bool {
    focus.hasReturned = true
    return phase == .walking
  }

  /// A step was made and is now entered. Nil: the flow is being left; there is no place, and the walk ends.
  package mutating func enter(_ node: Node, instance: StepInstance?, cargo: Cargo) -> Entered? {
    guard phase == .walking else { return nil }
    return push(node, instance: instance, cargo: cargo, isSkipped: false)
  }

  /// A step says that it is to be passed over.
  package mutating func skip(_ node: Node, instance: StepInstance?, cargo: Cargo) -> Skipped {
    guard phase == .walking else { return .left }
    guard node.backUp == .returnableIfSkipped else { return .passed(publish(.skipped(node.info.id))) }
    return .kept(push(node, instance: instance, cargo: cargo, isSkipped: true))
  }

  /// A step was entered; the event is `moved`, in its smallest form.
  package struct Entered: Sendable {
    package let place: Place
    package let event: LogEntry
  }

  package enum Skipped: Sendable {
    /// The flow is being left.
    case left
    case passed(NavigationEvent)
    case kept(Entered)
  }

  /// The place was entered, but a leave was accepted before its `proceed` began: no `backUp` is owed. Before a replay
  /// began: the attempt before it has done what is to be undone.
  package mutating func notBegun(_ visit: VisitID) -> Bool {
    guard phase == .leaving else { return false }
    if top?.visit.id == visit, !focus.attempt.isReplay { focus.isEntered = false }
    return true
  }

  /// The last step has returned. Nil: the flow is being left instead.
  package mutating func finish(_ output: any Sendable) -> NavigationEvent? {
    guard phase == .walking else { return nil }
    return end(.finished, .success(output), as: .finished, at: stack)
  }

  /// A step, its factory, its `skip` or its edge threw. Nil: the flow is being left, and the error is nobody's.
  package mutating func fail(_ step: StepID, _ error: any Error) -> NavigationEvent? {
    guard phase == .walking else { return nil }
    var cause = error
    if error is CancellationError {
      cause = FlowError(
        .stepFailed, "the step threw CancellationError although nobody had cancelled it", flow: flow, step: step,
        underlying: [error])
    }
    result = .failure(cause)
    var leave = Leave(goal: .end(.failed, rollBack: true), visit: stack, since: .zero)
    leave.isAnnounced = true
    self.leave = leave
    phase = .compensating
    closeQuestion()
    return publish(.failed(step, cause))
  }

  /// The run is over; every place is dropped.
  ///
  /// - Parameter stack: What the world sees from now on.
  mutating func end(
    _ ending: Ending, _ result: Result<any Sendable, any Error>, as change: Change, at stack: VisitNode?
  ) -> NavigationEvent {
    lastStack = stack
    self.ending = ending
    self.result = result
    phase = .ended
    rollbackErrors = leave?.errors ?? []
    leave = nil
    closeQuestion()
    if let top { discard(top) }
    top = nil
    if let memory = focus.memory { discard(memory) }
    focus = Focus()
    discard(graph)
    graph = .empty
    dropLaunchCargo()
    return publish(change)
  }

  /// What was decided could not be committed: the run stops where the last commit left it, and nothing is rolled back.
  package mutating func halt(_ step: StepID, _ error: any Error) -> NavigationEvent? {
    guard phase != .ended, phase != .idle else { return nil }
    return end(.failed, .failure(error), as: .failed(step, error), at: stack)
  }

  private mutating func dropLaunchCargo() {
    if let cargo = launchCargo { discard(cargo) }
    launchCargo = nil
  }

  private mutating func push(_ node: Node, instance: StepInstance?, cargo: Cargo, isSkipped: Bool) -> Entered {
    var below = top
    let target = below?.targetFromAbove(hasAsked: focus.hasAsked) ?? -1
    let isSettled = below?.isSettledFromAbove ?? false
    if isSettled, let settled = below {
      discard(settled)
      below = nil
    } else if let memory = focus.memory {
      below = below?.remembering(memory)
    }
    if launchCargo != nil { dropLaunchCargo() }
    numbers.visit += 1
    let visit = VisitNode(
      id: VisitID(numbers.visit), info: node.info, below: below?.visit, isSkipped: isSkipped,
      canBackUp: target >= 0)
    let before = top
    let place = Place(on: below, node: node, cargo: cargo, instance: instance, visit: visit, backTarget: target)
    top = place
    focus = Focus(isEntered: !isSkipped, hasReturned: isSkipped)
    if isSettled {
      // The visit alone does not tell where the move came from: the step before was settled, and is gone.
      let event = publish(.moved(from: before.map { Visit($0.visit) }, to: Visit(visit)))
      return Entered(place: place, event: event.entry)
    }
    sequence += 1
    return Entered(place: place, event: .moved(visit))
  }
}

extension Place {
  /// Where an ordinary back leads from the place that comes to stand on this one.
  fileprivate func targetFromAbove(hasAsked: Bool) -> Int32 {
    switch node.backUp {
    case .automatic: hasAsked ? depth : backTarget
    case .returnable, .returnableIfSkipped: depth
    case .passThrough: backTarget
    case .oneWay, .settling: -1
    }
  }

  /// Whether this place and everything before it becomes final when a place comes to stand on it.
  fileprivate var isSettledFromAbove: Bool { node.backUp == .settling && !visit.isSkipped }
}
