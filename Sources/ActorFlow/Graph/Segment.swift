/// One piece of a flow's definition. A definition is a flat list of segments with brackets for names, policies and
/// scopes, so that extending it is an append, and neither building, compiling nor freeing it recurses with its length.
/// Only what the source nests is nested: the cases of a choice, the body of a loop, the branches of a fork.
@usableFromInline package enum Segment: Sendable {
  case step(name: String, StepBody)
  /// Changes the value on its way to the next step.
  case transform(Transform)
  /// Sets the value aside until the `join` that belongs to it.
  case keep
  case join(Join)
  case open(name: String)
  case close
  case begin(Policy)
  case end
  /// Begins what watches over the segments up to its `leave`.
  case enter(Scope.Kind)
  case leave
  case choice(Choice)
  case loop(Repetition)
  case hub(Menu)
  case router(Router)
  case fork(Fork)

  @usableFromInline package typealias Transform = @Sendable (any Sendable) throws -> any Sendable
  @usableFromInline package typealias Join = @Sendable (_ kept: any Sendable, any Sendable) throws -> any Sendable

  @usableFromInline package enum Policy: Sendable {
    case backUp(BackUpPolicy)
    case failure(FailurePolicy)
    case presentation(Presentation)
  }
}

/// One of several ways, chosen by the value that comes in.
@usableFromInline package final class Choice: Sendable {
  @usableFromInline package struct Case: Sendable {
    /// What diagrams and errors call it.
    package let label: String
    /// The part it adds to the paths of its steps; nil: none.
    package let name: String?
    /// What the way is given; nil: the value does not belong here.
    package let match: @Sendable (any Sendable) throws -> (any Sendable)?
    package let segments: [Segment]

    @usableFromInline package init(
      label: String, name: String?, match: @escaping @Sendable (any Sendable) throws -> (any Sendable)?,
      segments: [Segment]
    ) {
      self.label = label
      self.name = name
      self.match = match
      self.segments = segments
    }
  }

  package let cases: [Case]
  /// What a value that no case matches does; nil: it fails with `noMatchingCase`.
  package let otherwise: [Segment]?

  @usableFromInline package init(cases: [Case], otherwise: [Segment]? = nil) {
    self.cases = cases
    self.otherwise = otherwise
  }

  /// The first case that matches, and what it is given.
  package func pick(_ value: any Sendable) throws -> (index: Int, payload: any Sendable)? {
    for (index, way) in cases.enumerated() {
      if let payload = try way.match(value) { return (index, payload) }
    }
    return nil
  }
}

/// A body that is walked again and again, until its value says that it is done.
@usableFromInline package final class Repetition: Sendable {
  @usableFromInline package enum Verdict: Sendable {
    case again(any Sendable)
    case done(any Sendable)
  }

  package let body: [Segment]
  package let decide: @Sendable (any Sendable) throws -> Verdict

  @usableFromInline package init(body: [Segment], decide: @escaping @Sendable (any Sendable) throws -> Verdict) {
    self.body = body
    self.decide = decide
  }
}

/// A step that opens side branches and gets their results, in one visit, until it picks the branch that leaves.
@usableFromInline package final class Menu: Sendable {
  /// One step, with the policies around it.
  package let step: [Segment]
  /// The side branches.
  package let choice: Choice
  /// Which cases of `choice` leave the hub instead of coming back.
  package let leaving: Set<Int>

  package init(step: [Segment], choice: Choice, leaving: Set<Int>) {
    self.step = step
    self.choice = choice
    self.leaving = leaving
  }
}

/// Steps that stand beside each other: the next one is the one that takes what the last one made.
@usableFromInline package final class Router: Sendable {
  package let choice: Choice
  /// Which cases of `choice` leave the router.
  package let leaving: Set<Int>

  package init(choice: Choice, leaving: Set<Int>) {
    self.choice = choice
    self.leaving = leaving
  }
}

/// Branches that run at the same time, each with a stack of its own.
@usableFromInline package final class Fork: Sendable {
  @usableFromInline package struct Branch: Sendable {
    /// Nil: its number.
    package let name: String?
    package let segments: [Segment]

    package init(name: String?, segments: [Segment]) {
      self.name = name
      self.segments = segments
    }
  }

  @usableFromInline package enum Branches: Sendable {
    /// These, each given what the fork was given.
    case fixed([Branch])
    /// One for each element that the closure finds in what the fork was given.
    case each(elements: @Sendable (any Sendable) throws -> [any Sendable], [Segment])
  }

  /// When the fork is over, and what it makes. The closures run in the task of the fork, one call at a time.
  @usableFromInline package enum Goal: Sendable {
    /// When all branches have ended; gets their results in the order of the branches.
    case all(join: @Sendable ([any Sendable]) throws -> any Sendable)
    /// Asked after each result by a judge of its own. Branches that are open when it says so are left, and rolled back.
    case until(@Sendable () -> Judge)
  }

  /// Gets the newest result, nil if there is no branch, and how many branches are open; remembers the results before.
  /// Nil: not yet.
  @usableFromInline package typealias Judge = (_ newest: (any Sendable)?, _ open: Int) throws -> (any Sendable)?

  /// What it is called when nobody names it, and what diagrams call it.
  package let kind: String
  package let name: String?
  package let branches: Branches
  package let goal: Goal

  @usableFromInline package init(kind: String, name: String? = nil, branches: Branches, goal: Goal) {
    self.kind = kind
    self.name = name
    self.branches = branches
    self.goal = goal
  }

  package func named(_ name: String) -> Fork {
    Fork(kind: kind, name: name, branches: branches, goal: goal)
  }
}

extension Fork.Goal {
  /// What the fork makes of the results of all its branches.
  package func join(_ results: [any Sendable]) throws -> any Sendable {
    guard case .all(let join) = self else { return results }
    return try join(results)
  }

  /// Who is asked what the fork makes of the results, one after the other; with no branch open it has to be something.
  package var judge: Fork.Judge {
    guard case .until(let make) = self else { return { _, _ in nil } }
    let judge = make()
    return { newest, open in
      if let value = try judge(newest, open) { return value }
      guard open == 0 else { return nil }
      throw FlowError(.noMatchingCase, "all branches have ended, and `until` still says `.goOn`")
    }
  }
}
