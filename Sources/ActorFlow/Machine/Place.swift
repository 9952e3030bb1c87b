/// A position on the machine's private stack: a step that was reached, and its payload.
///
/// Places are a linked list, newest first. Like ``VisitNode``, a place links directly to the one below and to no other,
/// so that a million places are freed by a loop.
///
/// A place may be visited several times: entered, compensated, and entered again by a back that lands on it. A place
/// ends when a back passes over it. Places are immutable and replaced on a change; the mutable part of the newest one
/// is its ``Focus``.
package final class Place: Sendable {
  package let below: Place?
  package let node: Node
  package let payload: Payload
  package let instance: StepInstance?
  /// The latest visit, by which observers know the place.
  package let visit: VisitNode
  /// The number of places below.
  let depth: Int32
  /// The depth of the place to which an ordinary back from here leads; -1 if there is none. For a place whose way back
  /// was closed later it is `-2 - depth`: see ``PackedPlace/closing(_:)``.
  let backTarget: Int32
  /// The memory of the place, stored here when another place is pushed on this one.
  let memory: PlaceMemory.Box?
  /// Whether and when a back may return to the place.
  let backUp: BackUpPolicy
  /// Whether the place belongs to a branch that was joined, or to a finished side branch of a hub. No back leads to an
  /// inner place and observers do not see it, but it is compensated in its turn.
  let isInner: Bool
  /// Whether the place is in a component that has a finalizer and has ended: no back leads to the place, but it is
  /// compensated in its turn.
  let isFinished: Bool
  /// Whether the place, or one below, is that of a finalizer that has not run.
  let owesFinalizer: Bool
  /// Whether the place is a fork inside which a step was left forwards for good, so that no back leads to the fork or
  /// past it.
  let isClosed: Bool

  init(
    on below: Place?, node: Node, payload: Payload, instance: StepInstance?, visit: VisitNode, backTarget: Int32,
    backUp: BackUpPolicy, memory: PlaceMemory.Box? = nil, isInner: Bool = false, isClosed: Bool = false,
    isFinished: Bool = false
  ) {
    self.isFinished = isFinished
    owesFinalizer = below?.owesFinalizer == true || node.finalizer != nil && !visit.isSkipped
    self.backUp = backUp
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

  /// The input of the step.
  package var input: any Sendable { payload.value }

  /// Whether the place has a step: an instance, or one that can be made anew because the place was read back.
  var hasStep: Bool { instance != nil || node.body.make != nil }

  /// Returns the place with a new visit.
  func visited(as visit: VisitNode) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget,
      backUp: backUp)
  }

  /// Returns the place with another instance.
  func with(_ instance: StepInstance?) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget,
      backUp: backUp, isFinished: isFinished)
  }

  /// Returns the place with another input, or under other scopes.
  func with(_ payload: Payload, backUp policy: BackUpPolicy? = nil) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget,
      backUp: policy ?? backUp)
  }

  /// Returns the place in the next attempt of a retry. If an operator has entered the step anew in this attempt, the
  /// places below that belong to the attempt move with it: whatever unwinds the next one compensates them, too.
  func inAnotherAttempt(under frame: ScopeFrame) -> Place {
    let scopes = payload.scopes?.replacing(frame, with: frame.again)
    var moving: [Place] = []
    var below = below
    while let place = below, place.isWithin(frame) {
      moving.append(place)
      below = place.below
    }
    for place in moving.reversed() { below = place.moved(onto: below, under: scopes) }
    return Place(
      on: below, node: node, payload: payload.within(scopes), instance: instance, visit: visit, backTarget: backTarget,
      backUp: backUp)
  }

  private func moved(onto below: Place?, under scopes: ScopeFrame?) -> Place {
    Place(
      on: below, node: node, payload: payload.within(scopes), instance: instance, visit: visit, backTarget: backTarget,
      backUp: backUp, memory: memory, isInner: isInner, isClosed: isClosed, isFinished: isFinished)
  }

  /// Returns the place on top of another one.
  ///
  /// - Parameter isClosed: Whether no back may lead below the place any more.
  func moved(onto below: Place?, isClosed: Bool) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit,
      backTarget: isClosed ? PackedPlace.closing(backTarget) : backTarget, backUp: backUp)
  }

  /// Whether an ordinary back from here leads to this place, or would if the way was not closed.
  func leadsBack(to place: Place) -> Bool { PackedPlace.depth(of: backTarget) == place.depth }

  /// Returns the place as closed: no back leads to it or past it.
  func closed() -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget, backUp: backUp,
      memory: memory, isInner: isInner, isClosed: true, isFinished: isFinished)
  }

  /// Whether no back leads to the place or past it once it was left forwards.
  var closes: Bool { backUp == .oneWay || isClosed }

  /// Returns the place as an inner place on top of another one.
  func buried(on below: Place?, memory: PlaceMemory.Box?) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: -1, backUp: backUp,
      memory: memory, isInner: true)
  }

  /// The newest place from here down that is not inner.
  var shown: Place? {
    var next: Place? = self
    while let place = next, place.isInner { next = place.below }
    return next
  }

  /// Whether the place lies within this passage through a scope.
  func isWithin(_ frame: ScopeFrame) -> Bool { payload.scopes?.isWithin(frame) ?? false }

  /// Returns the place with this memory.
  func remembering(_ memory: PlaceMemory) -> Place {
    Place(
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget,
      backUp: backUp, memory: PlaceMemory.Box(memory), isInner: isInner, isClosed: isClosed, isFinished: isFinished)
  }

  /// Returns the stack from here with another instance in the place of this visit; `nil` if there is no such place.
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
      on: below, node: node, payload: payload, instance: instance, visit: visit, backTarget: backTarget, backUp: backUp,
      memory: memory, isInner: isInner, isClosed: isClosed, isFinished: isFinished)
  }

  /// Returns the nearest place below that is neither inner nor finished and for which `decide` returns a value, with that value.
  func search<Result>(_ decide: (Place) -> Result?) -> (Place, Result)? {
    var next = below
    while let place = next {
      if !place.isInner, !place.isFinished, let result = decide(place) { return (place, result) }
      next = place.below
    }
    return nil
  }
}

/// The mutable part of the newest place.
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
  /// Whether a rendered step has made its output. Its rendering, if still shown, then takes no more actions and is not
  /// waited for.
  var hasOutput = false
  /// The largest number of questions and waits that the visit has had open at once, if more than one, less those whose
  /// task was cancelled. Each belongs to a task of the step, which goes on when the answer has come.
  var askersAtOnce: Int32 = 0
  /// The call of `proceed` under way, for visits that are replayed.
  var attempt = ProceedCall()
  /// The memory of the place; `nil` until there is something in it.
  var memory: PlaceMemory?
}

/// The records of `once`, `attempt` and `now`, and the answers of `ask`, at one place. Mutated in place: a visit may have thousands of either.
package struct PlaceMemory: Sendable {
  /// The records, by key.
  package var records = TextMap<StoredRecord>()
  /// The number of records whose work is under way.
  var running = 0
  /// The keys of the failed attempts that nothing has followed: another attempt of the visit runs them again.
  var latestFailures: [String] = []
  /// The answers that this visit has got, by key; their values are stored only for visits that are replayed.
  package var answers: [JournalKey: JournalEntry] = [:]
  /// The keys of a name that the step's author chose under which child tasks have got answers, if the flow is persisted.
  /// `nil` if it is not known which answers the step's own task has got: see ``FlowMachine/refuseUnclaimed(asking:on:)``.
  var keysOfChildren: Set<JournalKey>? = []
  /// The number of calls that have set a label, by the label's key and the caller.
  var labelCalls: [JournalKey.Name: Int] = [:]
  /// The update that this visit begins with: until the step has received it, and longer for visits that are replayed.
  var handover: Handover?
  /// The state of a rendered step, if the flow is persisted.
  package var tree: PackedTree?

  mutating func forgetAnswers() { (answers, keysOfChildren, labelCalls) = ([:], [], [:]) }

  /// Memory that no longer changes, shared by the copies of a place that is not on top.
  final class Box: Sendable {
    let memory: PlaceMemory

    init(_ memory: PlaceMemory) {
      self.memory = memory
    }
  }
}

/// The record of a `once`, an `attempt` or a `now` under one key.
package struct StoredRecord: Sendable {
  package enum State: Sendable {
    /// The work is under way.
    case running
    /// The work was begun, and threw, or the process died in it.
    case interrupted
    case done(any Sendable)
    /// The work of an `attempt` threw, and the step was told so.
    case failed(RecordedError)
  }

  /// The type of the value; `nil` if the record was read back, so that only the name of the type is known.
  package let type: ObjectIdentifier?
  package let typeName: String
  package let idempotencyKey: String
  package var state: State
}
