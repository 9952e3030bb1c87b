// Finalizers: closures that run once for each passage through a component.
//
// A finalizer has an inner place below the places of its component. So a rollback runs it in its turn: after the
// component's places, and before those below. A component that ends is finished first, so that no back leads into it;
// then its finalizer runs, and the place counts as compensated.
extension FlowMachine {
  /// Begins a passage through a component with a finalizer. Observers see no change.
  ///
  /// - Returns: False if the flow is being left.
  package mutating func enterFinalizer(_ node: Node, payload: Payload, on track: TrackID = .main) -> Bool {
    guard phase(of: track) == .walking else { return false }
    mayBeHeld()
    numbers.visit += 1
    let (id, info) = (VisitID(numbers.visit), info(of: node, on: track))
    with(track) { $0.push(finalizer: node, info, id, payload: payload) }
    dropStart(of: track)
    return true
  }

  /// The consequence of the end of a component with a finalizer.
  package enum Finishing: Sendable {
    /// Run the finalizer with this input, and report it to ``finalized(_:on:)``.
    case run(any Sendable)
    /// The run began inside the component.
    case nothing
    case left
  }

  /// Finishes the component of a finalizer: from now on no back leads into it.
  package mutating func finish(_ node: Node, on track: TrackID = .main) -> Finishing {
    guard phase(of: track) == .walking else { return .left }
    guard let old = top(of: track), let place = old.finalizerPlace(of: node) else { return .nothing }
    with(track) { $0.top = old.finished(above: place) }
    discard(old)
    publish(.finalizing(place.visit.info.id))
    return .run(place.input)
  }

  /// Notes that the finalizer of a finished component has run, even if the flow is being left by now.
  ///
  /// - Parameter next: The address and payload with which the walk goes on.
  package mutating func finalized(
    _ node: Node, goingOnAt next: (address: Int, payload: Payload)? = nil, on track: TrackID = .main
  ) {
    // No step of the component is called again, in any process.
    if let next, phase(of: track) == .walking { persistCursor(from: next.address, with: next.payload, on: track) }
    guard phase(of: track) != .ended, let old = top(of: track), let place = old.finalizerPlace(of: node) else { return }
    with(track) { track in
      track.top = old.replacing(place, with: place.skipped)
      if old === place { track.focus.isEntered = false }
    }
    discard(old)
  }
}

extension Track {
  mutating func push(finalizer node: Node, _ info: StepInfo, _ id: VisitID, payload: Payload) {
    let shown = top?.shown
    let target = shown?.targetFromAbove(hasAsked: focus.hasAsked) ?? -1
    if let memory = focus.memory { top = top?.remembering(memory) }
    let visit = VisitNode(id: id, info: info, below: shown?.visit, isSkipped: false, canBackUp: false)
    top = Place(
      on: top, node: node, payload: payload, instance: nil, visit: visit, backTarget: target, backUp: .passThrough,
      isInner: true)
    // The visit in focus stays the one below until the next step is entered (rule 5).
    focus = Focus(isEntered: true, hasAsked: focus.hasAsked, hasReturned: true)
  }
}

extension Place {
  /// The newest place of a finalizer that has not run, from here down.
  fileprivate func finalizerPlace(of node: Node) -> Place? {
    var next: Place? = self
    while let place = next, place.owesFinalizer {
      if place.node === node, !place.visit.isSkipped { return place }
      next = place.below
    }
    return nil
  }

  /// Returns the stack from here with the places above a finalizer's place finished: a back from one of them leads to
  /// where one from the beginning of the component did, unless a step inside was left forwards for good.
  fileprivate func finished(above finalizer: Place) -> Place {
    let above = sequence(first: self, next: \.below).prefix { $0 !== finalizer }
    var target = finalizer.backTarget
    if above.contains(where: \.closes) { target = PackedPlace.closing(target) }
    if above.contains(where: \.isSettledFromAbove) { target = -1 }
    return copy(downTo: finalizer, on: finalizer) { place, below in
      Place(
        on: below, node: place.node, payload: place.payload, instance: place.instance, visit: place.visit,
        backTarget: target, backUp: place.backUp, memory: place.memory, isInner: place.isInner,
        isClosed: place.isClosed, isFinished: true)
    }
  }

  /// Returns the stack from here with another place in the place of one.
  fileprivate func replacing(_ place: Place, with other: Place) -> Place {
    copy(downTo: place, on: other) { $0.copy(on: $1, instance: $0.instance) }
  }

  /// Returns the places above `bottom`, copied onto `new`.
  private func copy(downTo bottom: Place, on new: Place, _ copied: (Place, Place) -> Place) -> Place {
    var above: [Place] = []
    var next: Place? = self
    while let place = next, place !== bottom {
      above.append(place)
      next = place.below
    }
    var top = new
    for place in above.reversed() { top = copied(place, top) }
    return top
  }

  /// The place as one that owes no `backUp`.
  fileprivate var skipped: Place {
    let visit = VisitNode(
      id: visit.id, info: visit.info, below: visit.below, isSkipped: true, canBackUp: visit.canBackUp)
    return Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget,
      backUp: backUp, isInner: isInner)
  }

  /// The places of the finalizers that have not run, from here down, without the other places between them.
  var owedFinalizers: Place? {
    var owed: [Place] = []
    var next: Place? = self
    while let place = next, place.owesFinalizer {
      if place.node.finalizer != nil, !place.visit.isSkipped { owed.append(place) }
      next = place.below
    }
    var top: Place?
    for place in owed.reversed() { top = place.buried(on: top, memory: nil) }
    return top
  }
}
