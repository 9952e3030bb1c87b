/// The outcome of a part of a walk.
enum Leg: Sendable {
  /// The walk goes on where the cursor points.
  case onward
  /// The track has failed, or has to clean up: the stint asks the machine for its next turn.
  case over
  /// The track has finished, or is being left. In the second case its task is cancelled or about to be. The task ends.
  case left
}

/// The position of a walk.
struct Cursor {
  let graph: Graph
  /// The address of the next instruction, while no step runs.
  var address = 0
  /// The payload for the next instruction.
  var payload: Payload
  /// The place whose step runs.
  var place: Place?
  /// The step that runs or comes next. Errors are attributed to it.
  var node: Node?
  /// The scopes whose deadlines are armed.
  var watched: ScopeFrame?
  /// Whether deadlines may be armed that `watched` does not show: those of the scopes in which the walk begins.
  var isUnwatched = false
  /// The number of the machine's inputs when the place was entered; see `isUntouched(since:)`.
  var inputs = -1
  /// Whether the walk has not begun.
  private(set) var isAtBeginning = false
  /// The start of the walk, if it does not begin with the step on top.
  var start: Start?

  /// The cursor of a walk that is to begin.
  init() {
    (graph, payload, isAtBeginning) = (.empty, .none, true)
  }

  init(_ graph: Graph, start: Start?, top: Place?) {
    self.graph = graph
    self.start = start
    payload = top?.payload ?? .none
    place = top
    node = top?.node
    switch start?.kind {
    case .at(let address, let payload)?:
      (self.address, self.payload, place) = (address, payload, nil)
      isUnwatched = payload.scopes != nil
      // The ordinary beginning of a track, with nothing to do first.
      if let start, start.pause == .zero { self.start = nil }
    case .anew(let payload)?:
      (address, self.payload, place) = (top?.node.address ?? 0, payload, nil)
      isUnwatched = payload.scopes != nil
    case .recovery?, .failure?: place = nil
    case .top?, nil: break
    }
  }

  /// Whether there is something to do before the first step is made or called.
  var isRare: Bool {
    start != nil || place?.node.fork != nil || payload.scopes != nil || lacksInstance
  }

  /// Whether the walk begins with another place of the step on top.
  var isAnew: Bool { if case .anew? = start?.kind { true } else { false } }

  /// Whether the place was read back, so that its step has to be made anew.
  var lacksInstance: Bool { place.map { $0.instance == nil && $0.node.body.make != nil } ?? false }

  /// The step that an error is attributed to: the one that runs, or the last one.
  var blamed: Node? { place?.node ?? node }

  /// Returns whether the scopes around the cursor have changed, so that their deadlines are to be armed, and notes that
  /// they are.
  mutating func beginsToWatch() -> Bool {
    guard isUnwatched || payload.scopes !== watched else { return false }
    (watched, isUnwatched) = (payload.scopes, false)
    return true
  }

  /// Moves on after a step has returned.
  mutating func leave(_ entered: Place, making output: any Sendable) {
    payload = entered.payload.with(output)
    address = entered.node.address + 1
    place = nil
  }

  /// Moves on after a step was skipped.
  mutating func pass(_ node: Node, making output: any Sendable) {
    payload = payload.with(output)
    address = node.address + 1
  }
}
