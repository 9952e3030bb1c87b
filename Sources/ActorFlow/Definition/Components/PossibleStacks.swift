/// The updates that steps on the stack receive, at a place of a router and on one way to it.
private struct UpdateStack: Hashable {
  private(set) var all: Set<ObjectIdentifier> = []
  /// The updates that a step below the top receives: a step never receives its own update.
  private(set) var belowTop: Set<ObjectIdentifier> = []
  /// Whether the step on top settles what is on the stack when it is left.
  private(set) var settles = false

  mutating func enter(_ update: ObjectIdentifier?, settling: Bool) {
    if settles { all = [] }
    belowTop = all
    if let update { all.insert(update) }
    settles = settling
  }

  /// Whether every update that is lost on another stack is lost on this one, too.
  func loses(allOf other: UpdateStack) -> Bool {
    all.isSubset(of: other.all) && belowTop.isSubset(of: other.belowTop) && (settles || !other.settles)
  }
}

/// The updates that steps on the stack receive at a place of a router, on each way to it.
///
/// A step that may be skipped counts only where it stays on the stack then. Behind a fork its branches are gone, and
/// behind a `.recover` perhaps all that it is around. The step after a settling one drops that one and everything
/// below.
struct PossibleStacks: Equatable {
  /// The largest number of ways that are told apart. If there are more, an update counts as received only if it is on
  /// all of them; no router that a person has written comes near.
  private static let most = 64
  /// Only those that lose an update that no other loses.
  private var stacks: Set<UpdateStack>

  /// The stack at the beginning of a router, whose own steps alone count.
  static let empty = PossibleStacks(stacks: [UpdateStack()])
  static let none = PossibleStacks(stacks: [])

  var isEmpty: Bool { stacks.isEmpty }

  /// Whether a value of this type, made by the step on top, is received on every way.
  func receive(_ type: any Sendable.Type, _ updates: ReceivedUpdates) -> Bool {
    stacks.allSatisfy { updates.take(type, as: $0.belowTop) }
  }

  /// The stacks of the ways on which a value of this type is not received.
  fileprivate func losing(_ type: any Sendable.Type, _ updates: ReceivedUpdates) -> PossibleStacks {
    PossibleStacks(stacks: stacks.filter { !updates.take(type, as: $0.belowTop) })
  }

  fileprivate var someSettle: Bool { stacks.contains(where: \.settles) }

  fileprivate func entering(_ update: ObjectIdentifier?, settling: Bool) -> PossibleStacks {
    var entered = PossibleStacks.none
    for var stack in stacks {
      stack.enter(update, settling: settling)
      entered.add(stack)
    }
    return entered
  }

  fileprivate mutating func add(_ other: PossibleStacks) {
    for stack in other.stacks { add(stack) }
  }

  fileprivate func adding(_ other: PossibleStacks) -> PossibleStacks {
    var sum = self
    sum.add(other)
    return sum
  }

  private mutating func add(_ new: UpdateStack) {
    guard !stacks.contains(where: { $0.loses(allOf: new) }) else { return }
    stacks = stacks.filter { !new.loses(allOf: $0) }
    stacks.insert(stacks.count < Self.most ? new : UpdateStack())
  }
}

// MARK: - Walking

extension PossibleStacks {
  /// The stacks in a router.
  struct Walked {
    /// The stacks behind each part; none for a part that no way leads to.
    fileprivate(set) var leaving: [PossibleStacks]
    /// The stacks at the router's end.
    fileprivate(set) var end: PossibleStacks
    /// Whether steps that were on the stack before the router may have been dropped.
    fileprivate(set) var drops = false
  }

  static func walk(_ router: Router, from start: PossibleStacks, _ updates: ReceivedUpdates) -> Walked {
    let cases = router.choice.cases
    var entering = [PossibleStacks](repeating: .none, count: cases.count)
    var walked = Walked(leaving: entering, end: .none)
    for taker in router.routes.start.flatMap(\.takers) { entering[taker].add(start) }
    // Every round finds another way, or a worse stack on one, so there is an end.
    while true {
      let before = entering
      for (part, outputs) in zip(router.routes.parts.indices, router.routes.parts) where !entering[part].isEmpty {
        var walk = StackWalk(entering[part], updates)
        walk.through(cases[part].segments)
        if walk.drops { walked.drops = true }
        walked.leaving[part] = walk.stacks
        for made in outputs {
          let routed = walk.stacks.losing(made.type, updates)
          for taker in made.takers { entering[taker].add(routed) }
        }
      }
      if entering == before { break }
    }
    for way in router.leaving { walked.end.add(entering[way]) }
    return walked
  }
}

/// A walk through the segments of a part, with the stacks so far.
private struct StackWalk {
  private(set) var stacks: PossibleStacks
  /// Whether steps that were on the stack at the beginning may have been dropped.
  private(set) var drops = false
  private let updates: ReceivedUpdates
  private var backUp: [BackUpPolicy]
  /// The open policy brackets, and whether each is one of `backUp`.
  private var isBackUp: [Bool] = []
  /// For each open scope the stacks behind it if it recovers; `nil` for a scope that does not.
  private var recovered: [PossibleStacks?] = []
  /// For each open component with a finalizer the stacks before it, and whether steps had been dropped by then.
  private var unfinished: [(stacks: PossibleStacks, drops: Bool)] = []

  init(_ stacks: PossibleStacks, _ updates: ReceivedUpdates, _ backUp: BackUpPolicy = .automatic) {
    (self.stacks, self.updates, self.backUp) = (stacks, updates, [backUp])
  }

  private var policy: BackUpPolicy { backUp[backUp.count - 1] }

  mutating func through(_ segments: [Segment]) {
    for segment in segments {
      switch segment {
      case .step(_, let body): enter(body)
      case .fork: enter(nil)
      case .begin(let policy): begin(policy)
      case .end: if isBackUp.removeLast() { backUp.removeLast() }
      case .enter(let kind): if case .recover = kind { recovered.append(stacks) } else { recovered.append(nil) }
      case .leave: if let behind = recovered.removeLast() { stacks.add(behind) }
      case .enterFinally:
        unfinished.append((stacks, drops))
        drops = false
      case .leaveFinally: finish()
      case .choice(let choice): stacks = after(choice.arms)
      case .loop(let loop): turn(through: loop.body)
      case .hub(let menu): visit(menu)
      case .router(let router):
        let walked = PossibleStacks.walk(router, from: stacks, updates)
        note(drops: walked.drops)
        stacks = walked.end
      case .transform, .carry, .join, .open, .close: break
      }
    }
  }

  private mutating func begin(_ policy: Segment.Policy) {
    switch policy {
    case .backUp(let policy):
      isBackUp.append(true)
      backUp.append(policy)
    case .chosenBackUp:
      isBackUp.append(true)
      backUp.append(.automatic)
    case .failure, .presentation, .durableEntry: isBackUp.append(false)
    }
  }

  /// Leaves a component with a finalizer: no update reaches the steps inside any more.
  private mutating func finish() {
    let before = unfinished.removeLast()
    let isDropped = drops || stacks.someSettle
    drops = before.drops
    note(drops: isDropped)
    stacks = isDropped ? .empty : before.stacks
  }

  private mutating func enter(_ body: StepBody?) {
    let update = body?.types.receiver.map { ObjectIdentifier($0.update) }
    let entered = stacks.entering(update, settling: policy == .settling)
    note(drops: stacks.someSettle)
    // A step whose type is erased has a `skip` in any case, and is taken for one that does not skip.
    let mayBeSkipped = body?.skip != nil && body?.types.step != nil && policy != .returnableIfSkipped
    stacks = mayBeSkipped ? stacks.adding(entered) : entered
  }

  private mutating func note(drops: Bool) {
    guard drops else { return }
    self.drops = true
    for index in recovered.indices { recovered[index]?.add(.empty) }
  }

  /// Returns the stacks after segments that begin with these.
  private mutating func after(_ segments: [Segment], from start: PossibleStacks) -> PossibleStacks {
    var walk = StackWalk(start, updates, policy)
    walk.through(segments)
    note(drops: walk.drops)
    return walk.stacks
  }

  /// Returns the stacks after any of several parts.
  private mutating func after(_ arms: [[Segment]]) -> PossibleStacks {
    var sum = PossibleStacks.none
    for arm in arms { sum.add(after(arm, from: stacks)) }
    return sum
  }

  /// The body of a loop is walked at least once.
  private mutating func turn(through body: [Segment]) {
    stacks = after(body, from: stacks)
    while true {
      let sum = stacks.adding(after(body, from: stacks))
      if sum == stacks { return }
      stacks = sum
    }
  }

  /// The menu of a hub is on top again after each side branch, and nothing of the branch is above or below it. If the
  /// branch has settled the menu, the menu is entered anew.
  private mutating func visit(_ menu: Menu) {
    stacks = after(menu.step, from: stacks)
    let arms = menu.choice.arms
    for (index, side) in arms.enumerated() where !menu.leaving.contains(index) {
      var walk = StackWalk(stacks, updates, policy)
      walk.through(side)
      guard walk.drops || walk.stacks.someSettle else { continue }
      note(drops: true)
      stacks.add(after(menu.step, from: .empty))
    }
    stacks = after(arms.indices.filter(menu.leaving.contains).map { arms[$0] })
  }
}

extension Choice {
  /// The segments of the cases, then those for all other values, if there are any.
  fileprivate var arms: [[Segment]] { cases.map(\.segments) + (otherwise.map { [$0] } ?? []) }
}
