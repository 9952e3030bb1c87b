import ActorFlow

// Backs and compensation.
extension Model {
  /// Compensates places and runs finalizers, newest entering first.
  func rollBack(_ entries: [Entry]) {
    for entry in entries.sorted(by: { $0.visit > $1.visit }) {
      switch entry {
      case .place(let place): if place.isEntered, !place.isFinal { compensate(place) }
      case .mark(let mark): finalize(mark)
      }
    }
  }

  /// Runs the finalizer of a component, if it has not run.
  func finalize(_ mark: Mark) {
    guard case .finalizer(let name) = mark.kind, !mark.hasRun else { return }
    mark.hasRun = true
    lines.append("~\(name)")
  }

  private func compensate(_ place: Place) {
    if !place.plan.onlyAsks { lines.append("-\(place.plan.name)") }
    place.isEntered = false
    if place.plan.backUpOutcome != .works { owed.append(place) }
    switch place.plan.backUpOutcome {
    case .works:
      refund(place)
      (place.payments, place.attempts) = ([:], [:])
    case .failsAfter:
      refund(place)
      errors += 1
    case .failsBefore: errors += 1
    }
  }

  func refund(_ place: Place) {
    for (key, isRefunded) in place.payments where !isRefunded {
      refunded += 1
      place.payments[key] = true
    }
  }

  /// Compensates and removes everything that was entered since the list had this length.
  func unwind(from start: Int) {
    rollBack(Array(entries[start...]))
    entries.removeSubrange(start...)
    if let landed = shown.last { lastFocus = landed.plan.name }
  }

  /// Lands on a place. The effects of the menu's ended side branches stay.
  func back(to target: Place, delivering note: Note? = nil) {
    guard let index = entries.firstIndex(where: { $0.holds(target) }) else { return }
    let above = entries[(index + 1)...]
    rollBack(above.filter { $0.buriedBy !== target } + [.place(target)])
    // The place itself keeps its records, and is compensated with them once more.
    if owed.last === target { owed.removeLast() }
    // A scope that was left has its whole time when the walk reaches it again.
    timeouts = timeouts.filter { timeoutStarts[$0.key, default: 0] <= index }
    entries = entries[...index] + above.filter { $0.buriedBy === target }
    target.choices.removeLast(max(0, target.choices.count - target.endedSides))
    (target.delivery, target.note, target.anew) = (note, nil, nil)
    target.state = note.map { .receiving($0) } ?? .begins
    visits += 1
    target.visit = visits
    target.hasAsked = false
    target.isSkipped = false
    lastFocus = target.plan.name
  }

  // MARK: Targets

  /// Whether a one-way step was left forwards in a side branch of this menu: no back leads before the menu then.
  private func hasClosedSide(_ menu: Place) -> Bool {
    places.contains { $0.buriedBy === menu && $0.closes }
  }

  /// The places to which a back may lead, nearest first.
  private var reachable: [Place] {
    let stack = shown
    guard let top = stack.last, !hasClosedSide(top) else { return [] }
    var places: [Place] = []
    for place in stack.dropLast().reversed() {
      if place.closes { break }
      if !place.isFinished { places.append(place) }
      if hasClosedSide(place) { break }
    }
    return places
  }

  /// Returns the target of a back without a name.
  var backTarget: Place? {
    reachable.first { place in
      switch place.policy {
      case .automatic: place.hasAsked
      case .returnable, .returnableIfSkipped: true
      case .passThrough, .oneWay, .settling: false
      }
    }
  }

  func backTarget(named name: String) -> Place? {
    reachable.first { $0.plan.name == name }.flatMap { $0.policy == .passThrough ? nil : $0 }
  }

  /// Returns the nearest earlier step that takes a note.
  var receiver: Place? {
    shown.dropLast().last {
      !$0.isFinished && $0.plan.receives && !program.routerSteps.contains($0.plan.name) && $0 !== current
    }
  }

  /// Whether no one-way step was left forwards between the current step and an earlier one, including that one.
  func canLeave(over target: Place) -> Bool { reachable.contains { $0 === target } }
}

extension Model.Place {
  /// Whether no back leads to the place or past it.
  var closes: Bool { isClosed || policy == .oneWay || policy == .settling }
}

extension Model.Entry {
  /// The number of the entering.
  fileprivate var visit: Int {
    switch self {
    case .place(let place): place.visit
    case .mark(let mark): mark.visit
    }
  }

  var isFinalizer: Bool {
    if case .mark(let mark) = self, case .finalizer = mark.kind { true } else { false }
  }

  func holds(_ other: Model.Place) -> Bool {
    if case .place(let place) = self { place === other } else { false }
  }
}

extension Program {
  /// The steps that only their router's note can reach.
  var routerSteps: Set<String> { Set(parts.flatMap(\.routerSteps)) }
}

extension Part {
  fileprivate var routerSteps: [String] {
    switch self {
    case .step, .aside: []
    case .early(let pieces): pieces.flatMap { $0.1.flatMap(\.routerSteps) }
    case .router(_, let first, _): [first.name]
    case .choice(let bodies), .hub(_, let bodies), .fork(_, let bodies): bodies.flatMap { $0.flatMap(\.routerSteps) }
    case .route(_, let left, let right): (left.1 + right.1).flatMap(\.routerSteps)
    case .loop(let body), .scope(_, let body), .passing(let body): body.flatMap(\.routerSteps)
    }
  }
}
