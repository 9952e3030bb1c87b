/// A piece of a flow's definition.
///
/// A definition is a flat list of segments with brackets for names, policies and scopes. So extending it is an append,
/// and neither building, compiling nor freeing it recurses with its length. Only the nesting in the source is nested
/// here: the cases of a choice, the body of a loop, the branches of a fork.
@usableFromInline package enum Segment: Sendable {
  case step(name: String, StepBody)
  /// Transforms the value on its way to the next step.
  case transform(Transform)
  /// Carries the value until the matching `join`.
  case carry
  case join(Join)
  case open(name: String)
  case close
  case begin(Policy)
  case end
  /// Begins a scope around the segments up to the matching `leave`.
  case enter(Scope.Kind)
  case leave
  /// Begins a component with a finalizer, which ends with the matching `leaveFinally`.
  case enterFinally(Finalizer)
  case leaveFinally
  case choice(Choice)
  case loop(Repetition)
  case hub(Menu)
  case router(Router)
  case fork(Fork)

  @usableFromInline package typealias Transform = @Sendable (any Sendable) throws -> any Sendable
  @usableFromInline package typealias Join = @Sendable (_ carried: any Sendable, any Sendable) throws -> any Sendable

  @usableFromInline package enum Policy: Sendable {
    case backUp(BackUpPolicy)
    /// The policy is chosen by the input of the step.
    case chosenBackUp(ChosenBackUpPolicy)
    case failure(FailurePolicy)
    case presentation(Presentation)
    /// The entry of a step is committed before its `proceed` is called.
    case durableEntry
  }
}

/// A closure that runs once for each passage through a component: when the component has ended, or was rolled back.
@usableFromInline package final class Finalizer: Sendable {
  package let name: String
  package let types: StepTypes
  /// Runs the closure with the input of the component. Throws only if the input has another type.
  package let run: @Sendable (any Sendable) async throws -> Void

  @usableFromInline init(name: String, types: StepTypes, run: @escaping @Sendable (any Sendable) async throws -> Void) {
    self.name = name
    self.types = types
    self.run = run
  }
}

/// A choice between several cases by the value that comes in.
@usableFromInline package final class Choice: Sendable {
  @usableFromInline package struct Case: Sendable {
    /// The name of the case in diagrams and errors.
    package let label: String
    /// The part that the case adds to the paths of its steps; `nil` if it adds none.
    package let name: String?
    /// Returns the input of the case; `nil` if the value does not match.
    package let match: Match
    package let segments: [Segment]

    /// Most closures do not suspend; the walk then needs no suspension either.
    @usableFromInline package enum Match: Sendable {
      case synchronous(@Sendable (any Sendable) throws -> (any Sendable)?)
      case suspending(@Sendable @concurrent (any Sendable) async throws -> (any Sendable)?)
    }

    @usableFromInline package init(label: String, name: String?, match: Match, segments: [Segment]) {
      self.label = label
      self.name = name
      self.match = match
      self.segments = segments
    }

    @usableFromInline package init(
      label: String, name: String?, match: @escaping @Sendable (any Sendable) throws -> (any Sendable)?,
      segments: [Segment]
    ) {
      self.init(label: label, name: name, match: .synchronous(match), segments: segments)
    }
  }

  package let cases: [Case]
  /// The segments for a value that no case matches; if `nil`, such a value fails with `noMatchingCase`.
  package let otherwise: [Segment]?
  /// Whether the closure of a case may suspend.
  package let suspends: Bool
  /// The parts of a router with the types they take, for the error about a value that none takes; `nil` for a choice
  /// that the author wrote as one.
  package let takers: String?

  /// The first case that matches, and its input.
  package typealias Pick = (index: Int, payload: any Sendable)

  @usableFromInline package init(cases: [Case], otherwise: [Segment]? = nil, takers: String? = nil) {
    self.cases = cases
    self.otherwise = otherwise
    suspends = cases.contains { if case .suspending = $0.match { true } else { false } }
    self.takers = takers
  }

  /// Returns the first case that matches, if no closure of the choice may suspend.
  package func pick(_ value: any Sendable) throws -> Pick? {
    for (index, way) in cases.enumerated() {
      if case .synchronous(let match) = way.match, let payload = try match(value) { return (index, payload) }
    }
    return nil
  }

  /// Returns the first case that matches, asking one case after the other.
  package func suspendingPick(_ value: any Sendable) async throws -> Pick? {
    for (index, way) in cases.enumerated() {
      let payload =
        switch way.match {
        case .synchronous(let match): try match(value)
        case .suspending(let match): try await match(value)
        }
      if let payload { return (index, payload) }
    }
    return nil
  }
}

/// A body that is walked repeatedly until its output says that it is done.
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

/// A step that opens side branches and gets their results, in one visit, until a choice leaves the hub.
@usableFromInline package final class Menu: Sendable {
  /// A single step, with the policies around it.
  package let step: [Segment]
  /// The side branches.
  package let choice: Choice
  /// The cases of `choice` that leave the hub instead of returning to the menu.
  package let leaving: Set<Int>

  package init(step: [Segment], choice: Choice, leaving: Set<Int>) {
    self.step = step
    self.choice = choice
    self.leaving = leaving
  }
}

/// Steps beside each other: the next one is the one that takes the output of the last.
@usableFromInline package final class Router: Sendable {
  package let choice: Choice
  /// The cases of `choice` that leave the router.
  package let leaving: Set<Int>
  package let routes: Routes

  package init(choice: Choice, leaving: Set<Int>, routes: Routes) {
    self.choice = choice
    self.leaving = leaving
    self.routes = routes
  }

  /// The ways through a router, as far as the types of its parts tell.
  package struct Routes: Sendable {
    /// A type as which a value is routed.
    package struct Made: Sendable {
      package let type: any Sendable.Type
      /// Whether a part or the end takes a value of just this type.
      package let isTaken: Bool
      /// The cases of the choice that the value may go to, also as an instance of a subclass.
      package let takers: [Int]

      package init(type: any Sendable.Type, isTaken: Bool, takers: [Int]) {
        (self.type, self.isTaken, self.takers) = (type, isTaken, takers)
      }
    }

    /// The types as which the router's input is routed.
    package let start: [Made]
    /// The types as which the output of each part is routed, in the order of the cases.
    package let parts: [[Made]]

    package init(start: [Made], parts: [[Made]]) {
      (self.start, self.parts) = (start, parts)
    }
  }
}

/// Branches that run at the same time, each with a stack of its own.
@usableFromInline package final class Fork: Sendable {
  @usableFromInline package struct Branch: Sendable {
    /// The name; if `nil`, the branch is named after its only step or flow, or by its number.
    package let name: String?
    package let segments: [Segment]

    package init(name: String?, segments: [Segment]) {
      self.name = name
      self.segments = segments
    }
  }

  @usableFromInline package enum Branches: Sendable {
    /// These branches, each with the input of the fork.
    case fixed([Branch])
    /// A branch for each element that the closure finds in the input of the fork.
    case each(elements: @Sendable (any Sendable) throws -> [any Sendable], [Segment])
  }

  /// The condition that ends the fork, and the fork's output. The closures run in the task of the fork, one call at a
  /// time.
  @usableFromInline package enum Goal: Sendable {
    /// The fork ends when all branches have ended; `join` gets their results in the order of the branches.
    case all(join: @Sendable ([any Sendable]) throws -> any Sendable)
    /// The fork ends when its judge returns an output. The judge is asked after each result; branches that are still
    /// open at the end are left and rolled back.
    case until(@Sendable () -> Judge)
  }

  /// Gets the newest result, `nil` if there is no branch, and the number of open branches. Remembers earlier results.
  /// Returns the output of the fork, or `nil` to continue.
  @usableFromInline package typealias Judge = (_ newest: (any Sendable)?, _ open: Int) throws -> (any Sendable)?

  /// The kind of the fork in diagrams, and its name if it has no other.
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
  /// Returns the output of the fork for the results of all its branches.
  package func join(_ results: [any Sendable]) throws -> any Sendable {
    guard case .all(let join) = self else { return results }
    return try join(results)
  }

  /// The judge of the fork; throws if it returns no output when no branch is open.
  package var judge: Fork.Judge {
    guard case .until(let make) = self else { return { _, _ in nil } }
    let judge = make()
    return { newest, open in
      if let value = try judge(newest, open) { return value }
      guard open == 0 else { return nil }
      throw FlowError(.noDecision, "all branches have ended, but `until` returned `.goOn`")
    }
  }
}
