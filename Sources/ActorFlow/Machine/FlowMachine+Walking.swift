// Launching and walking forward.
extension FlowMachine {
  /// Begins a run.
  ///
  /// - Parameters:
  ///   - start: The address and payload with which to begin instead of the graph's first instruction.
  ///   - places: The steps that are on the stack from the beginning, the oldest first. None of them has run, so no
  ///     `backUp` is owed; a back leads to them as to steps that have asked.
  ///   - principal: The principal that begins the run.
  package mutating func launch(
    _ graph: Graph, with input: any Sendable, at start: (address: Int, payload: Payload)? = nil,
    over places: [Graph.Entry] = [], by principal: Principal? = nil, keyBits: KeyBits? = nil
  ) throws(FlowError) {
    // After a run has ended, `run` still has to return its result before another run begins.
    guard phase == .idle || phase == .ended && result == nil else {
      throw error(.alreadyRunning, "a coordinator runs one flow at a time; make another, or wait until `run` returns")
    }
    if phase == .ended { self = FlowMachine(flow: flow, numbers: numbers, journal: journal) }
    self.graph = graph
    numbers.run += 1
    run = numbers.run
    self.keyBits = keyBits
    participants = principal.map { Participants(startedBy: $0) }
    for place in places {
      numbers.visit += 1
      guard place.node.finalizer == nil else {
        main.push(finalizer: place.node, place.node.info, VisitID(numbers.visit), payload: place.payload)
        continue
      }
      _ = main.push(
        place.node, place.node.info, VisitID(numbers.visit), instance: nil, payload: place.payload,
        backUp: place.backUp, isSkipped: true)
      main.focus.hasAsked = true
    }
    let (address, payload) = start ?? (0, Payload(input))
    main.start = Start(.at(address: address, payload))
    main.phase = .walking
    publish(.launched)
  }

  /// Notes that the focused step's `proceed`, or the `backUp` of the place on top, has returned or thrown: its context
  /// is over. Withdraw a question that it left open next; no other can be opened in between.
  ///
  /// - Returns: Whether the walk goes on. If not, the visit is being left, and its output or error is ignored.
  package mutating func returned(on track: TrackID = .main) -> Bool {
    releaseHeld(on: track)
    return with(track) { track in
      track.focus.hasReturned = true
      return track.phase == .walking
    }
  }

  /// The consequence of a step's end.
  package enum StepEnd: Sendable {
    case onward
    /// The visit is being left; its output or error is ignored.
    case left
    /// The step has left something open, which must be ended first.
    case looseEnds
  }

  /// Notes that the `proceed` of the place on top has returned or thrown, and can open nothing more.
  package mutating func stepIsOver(on track: TrackID) -> StepEnd {
    needsNoCommit()
    return endStep(on: track)
  }

  private mutating func endStep(on track: TrackID) -> StepEnd {
    let goesOn = returned(on: track)
    if hasLooseEnds(on: track) { return .looseEnds }
    return goesOn ? .onward : .left
  }

  /// Begins a walk with the place on top, which is visited already: for another attempt, or for a landing that hands
  /// over an update first.
  ///
  /// - Returns: False if the flow is being left, so that nothing is called and no `backUp` is owed.
  package mutating func beginAttempt(on track: TrackID) -> Bool {
    guard phase(of: track) == .walking else {
      leftBeforeBeginning(on: track)
      return false
    }
    self[track].focus.hasReturned = false
    if look(at: track, { $0.start?.handover == nil }) { self[track].focus.isEntered = true }
    dropStart(of: track)
    return true
  }

  /// Notes that the step on top has received the update that its visit begins with, and that `proceed` is called next.
  /// A `backUp` is owed only from here on: the back that led here has compensated the step (rule 2).
  ///
  /// - Returns: False if the flow is being left.
  package mutating func received(on track: TrackID) -> Bool {
    guard look(at: track, { $0.phase == .walking }) else { return false }
    self[track].focus.isEntered = true
    if journal != .persisting, let handover = focus(of: track).memory?.handover {
      self[track].focus.memory?.handover = nil
      discard(handover)
    }
    return true
  }

  /// Returns the beginning of a track's walk: its start, or else the place on top. Returns `nil` if the track was left
  /// since its turn to walk.
  package mutating func beginning(on track: TrackID) -> (start: Start?, top: Place?)? {
    needsNoCommit()
    let beginning: (Start?, Place?)? = look(at: track) { track in
      guard track.phase == .walking, track.start != nil || track.top != nil else { return nil }
      return (track.start, track.top)
    }
    if beginning == nil { leftBeforeBeginning(on: track) }
    return beginning
  }

  /// Notes that a track was left before its walk began. If the walk was to begin with a landing's `proceed`, that is
  /// not called, and no `backUp` is owed for it.
  private mutating func leftBeforeBeginning(on track: TrackID) {
    with(track) { if $0.focus.isLanded, !$0.focus.hasReturned { $0.notBegun() } }
  }

  /// Enters a step that was made. The event is `moved`, in its smallest form.
  ///
  /// - Parameter backUp: The back-up policy that was chosen by the step's input; `nil` for that of the definition.
  /// - Returns: `nil` if the flow is being left; there is no place then, and the walk ends.
  package mutating func enter(
    _ node: Node, instance: StepInstance?, payload: Payload, backUp: BackUpPolicy? = nil, on track: TrackID = .main
  ) -> Place? {
    push(node, instance: instance, payload: payload, backUp: backUp, isSkipped: false, on: track)
  }

  /// The consequence of a move from a step that has returned to the next one.
  package enum Move: Sendable {
    case entered(Place)
    /// The visit is being left; the next step is not entered.
    case left
    /// The step has left something open, which must be ended before the next one is entered.
    case looseEnds
  }

  /// Notes that the `proceed` of the place on top has returned, and enters the next step, in one input.
  ///
  /// - Parameter watching: Whether the next step is under other scopes, so that their deadlines are to be armed first.
  package mutating func move(
    to node: Node, instance: StepInstance?, payload: Payload, backUp: BackUpPolicy? = nil,
    on track: TrackID = .main, watching: Bool = false, at now: @autoclosure () -> Duration = .zero
  ) -> Move {
    switch endStep(on: track) {
    case .left: return .left
    case .looseEnds: return .looseEnds
    case .onward:
      if watching { arm(payload.scopes, on: track, at: now()) }
      return enter(node, instance: instance, payload: payload, backUp: backUp, on: track).map { .entered($0) } ?? .left
    }
  }

  /// Skips a step that asks for it, and passes its output to the next step.
  ///
  /// - Returns: False if the flow is being left.
  package mutating func skip(
    _ node: Node, instance: StepInstance?, payload: Payload, backUp: BackUpPolicy? = nil,
    making output: any Sendable, on track: TrackID = .main
  ) -> Bool {
    guard phase(of: track) == .walking else { return false }
    mayBeHeld()
    guard backUp ?? node.backUp == .returnableIfSkipped else {
      publish(.skipped(info(of: node, on: track).id))
      return true
    }
    let place = push(node, instance: instance, payload: payload, backUp: backUp, isSkipped: true, on: track)
    guard place != nil else { return false }
    // A skipped step does not run, in any process.
    persistCursor(from: node.address + 1, with: payload.with(output), on: track)
    return true
  }

  /// Handles a leave that was accepted after the place was entered and before its `proceed` was called.
  ///
  /// - Returns: False if there is no such leave, so that `proceed` is to be called.
  package mutating func notBegun(_ visit: VisitID, on track: TrackID = .main) -> Bool {
    needsNoCommit()
    guard phase(of: track) != .walking else { return false }
    if top(of: track)?.visit.id == visit { self[track].notBegun() }
    return true
  }

  /// Notes that the step of the place on top could not be made anew, so that its `proceed` is not called.
  package mutating func notMade(on track: TrackID) {
    needsNoCommit()
    self[track].notBegun()
  }

  /// Ends the run, because the last step has returned. Observers go on to see the visits that are left on the stack.
  /// None are left if the last step is `.settling`, because it has settled everything.
  ///
  /// - Returns: False if the flow is being left instead.
  package mutating func finish(_ output: any Sendable) -> Bool {
    guard phase == .walking else { return false }
    let last = main.top?.shown
    let stack = last?.isSettledFromAbove == true ? nil : last?.visit
    end(.finished, .success(output), as: .finished, at: stack)
    return true
  }

  /// Returns the path of a node on a track; before the first step, the path at the address.
  package func path(of node: Node?, orAt address: Int = 0, on track: TrackID) -> StepID {
    if let node { return info(of: node, on: track).id }
    return visit(of: track)?.info.id ?? graph.path(around: address).path(at: self[track].branch?.elements ?? [])
  }

  /// Returns the description of a node on a track.
  func info(of node: Node, on track: TrackID) -> StepInfo {
    guard track != .main, let branch = look(at: track, { $0.branch }) else { return node.info }
    return node.info(at: branch.elements)
  }
}

// MARK: - Pushing places

extension FlowMachine {
  /// Pushes a place on the stack. Returns `nil` if the track is being left.
  private mutating func push(
    _ node: Node, instance: StepInstance?, payload: Payload, backUp: BackUpPolicy?, isSkipped: Bool,
    on track: TrackID
  ) -> Place? {
    let (id, info) = (VisitID(numbers.visit + 1), info(of: node, on: track))
    let pushed = with(track) { track -> Track.Pushed? in
      guard track.phase == .walking else { return nil }
      return track.push(
        node, info, id, instance: instance, payload: payload, backUp: backUp, isSkipped: isSkipped)
    }
    guard let pushed else { return nil }
    if isSkipped || !node.entersDurably { mayBeHeld() }
    numbers.visit += 1
    if let settled = pushed.settled { discard(settled) }
    if let start = pushed.start { discard(start) }
    let place = pushed.place
    guard pushed.settled == nil, track == .main, branches.isEmpty, pushed.before === place.visit.below else {
      // The visit alone does not tell where the move came from, or where the other branches are.
      let from = pushed.before ?? visitOfFork(around: track)
      publish(.moved(from: from.map(Visit.init), to: Visit(place.visit)))
      return place
    }
    sequence += 1
    reaction.event = .moved(place.visit)
    return place
  }

  private func visitOfFork(around track: TrackID) -> VisitNode? {
    parent(of: track).flatMap { look(at: $0) { $0.visit } }
  }

  mutating func dropStart(of track: TrackID) {
    if let start = with(track, { $0.start.take() }) { discard(start) }
  }

  /// Resumes a hub's menu with the result of a side branch, in the visit that it is in.
  ///
  /// This is another attempt of an entered place, not a new entering. The places of the side branch become inner places
  /// below the menu. No back leads to them, and a rollback past the menu compensates them first (see
  /// ``Track/sortTop(until:)``).
  ///
  /// - Parameter backUp: The back-up policy that was chosen by the menu's new input; `nil` for that of the definition.
  /// - Returns: The menu's place with its new input; `nil` if the flow is being left, or if the menu was settled.
  package mutating func resume(
    _ menu: Node, with payload: Payload, backUp: BackUpPolicy? = nil, on track: TrackID
  ) -> Place? {
    guard phase(of: track) == .walking, let from = visit(of: track) else { return nil }
    let focus = focus(of: track)
    var above: [(place: Place, memory: PlaceMemory.Box?)] = []
    var next = top(of: track)
    var first: Place?  // of the side branch
    var isTop = true
    while let place = next, place.isInner || place.node !== menu {
      let memory = isTop ? focus.memory.map(PlaceMemory.Box.init) : place.memory
      if isTop ? focus.isEntered : !place.visit.isSkipped { above.append((place, memory)) }
      if !place.isInner { first = place }
      isTop = false
      next = place.below
    }
    // Settling makes everything before it final, so the menu is gone.
    guard let place = next, top(of: track)?.shown?.isSettledFromAbove == false else { return nil }
    let isClosed = above.contains { $0.place.closes }
    // If the back from the side branch's first place leads to the menu, or did before it was closed, the menu has
    // asked.
    let hasAsked =
      isTop
      ? focus.hasAsked
      : first.map { $0.leadsBack(to: place) || $0.backTarget == -1 && $0.visit.canBackUp } ?? true
    let memory = isTop ? focus.memory : place.memory?.memory
    var below = place.below
    // In the order of entering: the menu of an inner hub may be above the places of its own side branches.
    above.sort { $0.place.visit.id < $1.place.visit.id }
    for (place, memory) in above { below = place.buried(on: below, memory: memory) }
    var resumed = place.moved(onto: below, isClosed: isClosed).with(payload, backUp: backUp)
    // A menu that was skipped runs for the first time, so a `backUp` is owed from now on.
    if resumed.visit.isSkipped { resumed = resumed.visited(as: resumed.visit.entered) }
    self[track].top = resumed
    if isClosed { self[track].closedAt = resumed.depth - 1 }
    self[track].visit = resumed.visit
    self[track].focus = Focus(isEntered: true, isResumed: true, hasAsked: hasAsked, memory: memory)
    self[track].focus.memory?.forgetAnswers()
    dropStart(of: track)
    discard(place)
    if !menu.entersDurably { mayBeHeld() }
    publish(.moved(from: Visit(from), to: Visit(resumed.visit)))
    return resumed
  }
}

extension Track {
  /// The result of a push: the new place, the visit before it, and the values to release.
  fileprivate struct Pushed {
    let place: Place
    let before: VisitNode?
    var settled: Place?
    var start: Start?
  }

  fileprivate mutating func push(
    _ node: Node, _ info: StepInfo, _ id: VisitID, instance: StepInstance?, payload: Payload,
    backUp: BackUpPolicy?, isSkipped: Bool
  ) -> Pushed {
    var below = top
    let shown = below?.isInner == true ? below?.shown : below
    let target = shown?.targetFromAbove(hasAsked: focus.hasAsked) ?? -1
    var settled: Place?
    let isAnew = if case .anew? = start?.kind { shown?.node === node } else { false }
    if let shown { close(at: shown) }
    if isAnew, let shown, shown.isSettledFromAbove {
      // An operator removes no place. The step is settled when it is left forwards from the new one.
      closedAt = closedAt < 0 ? shown.depth : closedAt
      below = below?.closed()
    }
    if !isAnew, shown?.isSettledFromAbove == true {
      settled = below
      below = below?.owedFinalizers
      isSealed = true
    } else if let memory = focus.memory {
      below = below?.remembering(memory)
    }
    let visit = VisitNode(
      id: id, info: info, below: settled == nil ? shown?.visit : nil, isSkipped: isSkipped, canBackUp: target >= 0)
    let place = Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: target,
      backUp: backUp ?? node.backUp)
    let pushed = Pushed(place: place, before: self.visit, settled: settled, start: start)
    top = place
    self.visit = visit
    start = nil
    focus = Focus(isEntered: !isSkipped, hasReturned: isSkipped)
    return pushed
  }
}

extension Place {
  /// The depth to which an ordinary back leads from a place that is pushed on this one.
  func targetFromAbove(hasAsked: Bool) -> Int32 {
    if isClosed { return -1 }
    if isFinished { return backTarget }
    return switch backUp {
    case .automatic: hasAsked ? depth : backTarget
    case .returnable, .returnableIfSkipped: depth
    case .passThrough: backTarget
    case .oneWay, .settling: -1
    }
  }

  /// Whether this place and everything before it becomes final when it is left forwards.
  var isSettledFromAbove: Bool { backUp == .settling && !visit.isSkipped }
}

extension FlowMachine {
  /// Whether the visit on top had an earlier attempt, in this process or another.
  package func isReplay(on track: TrackID) -> Bool { look(at: track) { $0.focus.attempt.isReplay } }
}
