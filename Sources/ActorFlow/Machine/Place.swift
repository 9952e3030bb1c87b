/// One position on the private stack: a step that was reached, and what it was given. A node of a linked list, newest
/// first; like ``VisitNode`` it links to its like directly and once, so that a million places are freed by a loop.
///
/// A place may be visited several times: entered, compensated, entered again by a back that lands on it. It ends when
/// it is backed up over. What still changes about the newest place is its ``Focus``; a place is immutable, and replaced
/// where it must change.
package final class Place: Sendable {
  package let below: Place?
  package let node: Node
  package let payload: Payload
  package let instance: StepInstance?
  /// The latest visit; what the world sees of this place.
  package let visit: VisitNode
  /// How many places lie below.
  let depth: Int32
  /// The depth of the place to which an ordinary back from here leads; -1 if there is none. For a place whose way back
  /// was closed later it is `-2 - depth`: see ``PackedPlace/closing(_:)``.
  let backTarget: Int32
  /// What the visits left behind, written down when another place came to stand on this one.
  let memory: PlaceMemory.Box?
  /// Whether it is a thing of the past: of a branch that was joined, or of a hub's side branch. Nobody returns to it and
  /// the world does not see it, but what it did is undone in its turn.
  let isInner: Bool
  /// Whether it is a fork that nobody returns to, or past it: something in it was left forwards for good.
  let isClosed: Bool

  init(
    on below: Place?, node: Node, payload: Payload, instance: StepInstance?, visit: VisitNode, backTarget: Int32,
    memory: PlaceMemory.Box? = nil, isInner: Bool = false, isClosed: Bool = false
  ) {
    self.isInner = isInner
    self.isClosed = isClosed
    self.below = below
    self.node = node
    self.payload = payload
    self.instance = instance
    self.visit = visit
    self.depth = if let below { below.depth &+ 1 } else { 0 }
    self.backTarget = backTarget
    self.memory = memory
  }

  /// What the step was given.
  package var input: any Sendable { payload.value }

  /// Whether a step stands here: one that was made, or one that was read back and can be made anew.
  var hasStep: Bool { instance != nil || node.body.make != nil }

  /// The same place, visited again.
  func visited(as visit: VisitNode) -> Place {
    Place(on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget)
  }

  /// The same place with another instance.
  func with(_ instance: StepInstance?) -> Place {
    Place(on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget)
  }

  /// The same place with another input, or under other scopes.
  func with(_ payload: Payload) -> Place {
    Place(on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget)
  }

  /// The same place on another one.
  ///
  /// - Parameter isClosed: Whether nobody returns to what is below it any more.
  func moved(onto below: Place?, isClosed: Bool) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit,
      backTarget: isClosed ? PackedPlace.closing(backTarget) : backTarget)
  }

  /// Whether an ordinary back from here leads to this place, or would if the way was not closed.
  func leadsBack(to place: Place) -> Bool { PackedPlace.depth(of: backTarget) == place.depth }

  /// The same place, which nobody returns to any more, or past it.
  func closed() -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget, memory: memory,
      isInner: isInner, isClosed: true)
  }

  /// Whether nobody returns to it or past it, once it was left forwards.
  var closes: Bool { node.backUp == .oneWay || isClosed }

  /// The same place as a thing of the past, on another one.
  func buried(on below: Place?, memory: PlaceMemory.Box?) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: -1, memory: memory,
      isInner: true)
  }

  /// The newest place from here down that is not a thing of the past.
  var shown: Place? {
    var next: Place? = self
    while let place = next, place.isInner { next = place.below }
    return next
  }

  /// Whether it lies within this passage through a scope.
  func isWithin(_ frame: ScopeFrame) -> Bool { payload.scopes?.isWithin(frame) ?? false }

  /// The same place, with what was left behind at it.
  func remembering(_ memory: PlaceMemory) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget,
      memory: PlaceMemory.Box(memory), isInner: isInner, isClosed: isClosed)
  }

  /// The same places down to this visit, whose step has this instance now.
  func remade(_ visit: VisitID, as instance: StepInstance) -> Place? {
    var above: [Place] = []
    var next: Place? = self
    while let place = next, place.visit.id != visit {
      above.append(place)
      next = place.below
    }
    guard var remade = next?.copy(on: next?.below, instance: instance) else { return nil }
    for place in above.reversed() { remade = place.copy(on: remade, instance: place.instance) }
    return remade
  }

  func copy(on below: Place?, instance: StepInstance?) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget, memory: memory,
      isInner: isInner, isClosed: isClosed)
  }

  /// The nearest place below that is none of the past and that `decide` does not return nil for, and what it returned.
  func search<Result>(_ decide: (Place) -> Result?) -> (Place, Result)? {
    var next = below
    while let place = next {
      if !place.isInner, let result = decide(place) { return (place, result) }
      next = place.below
    }
    return nil
  }
}

/// What still changes about the newest place.
package struct Focus: Sendable {
  /// Whether a `backUp` is owed: `proceed` was called, or is about to be.
  var isEntered = false
  /// Whether the visit began with a back that landed here: the walk begins with a call of `proceed`.
  var isLanded = false
  /// Whether an earlier call of `proceed` belongs to the same entering: a hub's menu is called again after each side
  /// branch. A leave that comes before the next call then still owes the `backUp` of the earlier one (rule 2).
  var isResumed = false
  /// Whether this visit has asked a question.
  var hasAsked = false
  /// Whether the step's `proceed`, or the `backUp` that is owed, has returned: its context is over.
  var hasReturned = false
  /// Whether a rendered step has made its output: what it still shows takes nothing any more, and waits for nobody.
  var hasOutput = false
  /// How many questions and waits the visit has had open at once, if that is more than one. Each is a task's of the
  /// step's own, which goes on when its answer has come.
  var askersAtOnce: Int32 = 0
  /// The call of `proceed` under way, where visits are replayed.
  var attempt = Attempt()
  /// What the visits left behind; nil until there is something.
  var memory: PlaceMemory?
}

/// What `once` and `ask` left behind at one place. Changed where it stands: a visit may have thousands of either.
package struct PlaceMemory: Sendable {
  /// What `once` left, by key.
  package var records: [String: StoredRecord] = [:]
  /// How many of the records are of work that is under way.
  var running = 0
  /// The answers this visit has got, by key; the value is kept only where visits are replayed.
  package var answers: [JournalKey: JournalEntry] = [:]
  /// The update that this visit begins with: until the step has received it, and longer where visits are replayed.
  var handover: Handover?
  /// What a rendered step remembers, where flows are kept.
  package var tree: PackedTree?

  /// Shared by the versions of a covered place, where nothing changes any more.
  final class Box: Sendable {
    let memory: PlaceMemory

    init(_ memory: PlaceMemory) {
      self.memory = memory
    }
  }
}

/// What `once` left under one key.
package struct StoredRecord: Sendable {
  package enum State: Sendable {
    /// The work is under way.
    case running
    /// The work was begun, and threw, or the process died in it.
    case interrupted
    case done(any Sendable)
  }

  /// The type that `once` returns, as its owner wrote it; nil if the record was read back, so that only the name is known.
  package let type: ObjectIdentifier?
  package let typeName: String
  package let idempotencyKey: String
  package var state: State
}
