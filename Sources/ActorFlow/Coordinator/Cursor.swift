/// The outcome of a part of a walk.
enum Leg: Sendable {
  /// The walk goes on where the cursor points.
  case onward
  /// The track has finished or failed by itself: the stint asks the machine for its next turn.
  case over
  /// The track is being left: the task that walks it is cancelled or about to be, and ends.
  case left
}

/// The position of a walk.
struct Cursor {
  let graph: Graph
  /// The next instruction, while no step runs.
  var address = 0
  /// What is on its way to it.
  var payload: Payload
  /// The place whose step runs.
  var place: Place?
  /// The step that runs, or would be next; errors are its own.
  var node: Node?
  /// The scopes whose deadlines are armed.
  var watched: ScopeFrame?
  /// Whether deadlines may be armed that this walk knows nothing of: of the scopes in which it begins.
  var isUnwatched = false
  /// How the walk begins, if not with the step on top.
  var start: Start?

  init(_ graph: Graph, start: Start?, top: Place?) {
    self.graph = graph
    self.start = start
    payload = top?.payload ?? Payload(())
    place = top
    node = top?.node
    switch start?.kind {
    case .at(let address, let payload)?:
      (self.address, self.payload, place) = (address, payload, nil)
      isUnwatched = payload.scopes != nil
      // Nothing rare about it: the beginning.
      if let start, start.pause == .zero { self.start = nil }
    case .recovery?, .failure?: place = nil
    case .top?, nil: break
    }
  }

  /// Whether there is something to do before the first step is made or called.
  var isRare: Bool {
    start != nil || place?.node.fork != nil || (place != nil && payload.scopes != nil) || lacksInstance
  }

  /// Whether the place was read back, and its step is to be made anew.
  var lacksInstance: Bool { place.map { $0.instance == nil && $0.node.body.make != nil } ?? false }

  /// What an error is to be told of: the step that runs, or was the last.
  var blamed: Node? { place?.node ?? node }

  /// A step has returned.
  mutating func leave(_ entered: Place, making output: any Sendable) {
    payload = entered.payload.with(output)
    address = entered.node.address + 1
    place = nil
  }

  /// A step was skipped.
  mutating func pass(_ node: Node, making output: any Sendable) {
    payload = payload.with(output)
    address = node.address + 1
  }
}
