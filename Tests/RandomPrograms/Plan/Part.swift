package import ActorFlow

/// A random flow as plain data. Both the library's flow and the naive model are made from it.
///
/// Every part takes a ``Value`` and makes one. All decisions depend on the value's number, which the latest answer has
/// set: the answers decide the course of the flow.
package indirect enum Part: Sendable {
  case step(StepPlan)
  /// A `Switch`: case number `value % cases`.
  case choice([[Part]])
  /// A chooser, then a `Route` by the parity of the value; each branch begins with a step that takes its type.
  case route(StepPlan, (StepPlan, [Part]), (StepPlan, [Part]))
  /// A `Loop` that runs another round while the value is a multiple of three.
  case loop([Part])
  /// A `Hub`: its menu opens side branch number `value % (branches + 1)`; the last number leaves.
  case hub(StepPlan, [[Part]])
  /// A `TypeRouter` of two steps, of which the first receives the update that the second may make.
  case router(entry: StepPlan, first: StepPlan, second: StepPlan)
  case fork(Fork, [[Part]])
  /// Parts whose output is dropped: their input goes on.
  case passing([Part])
  /// A step without input, which lets the value through. Not below a `ForEach`, whose element it would not know.
  case aside(StepPlan)
  /// A flow that each of these steps may finish: with its output, if the number leaves a remainder of 1 by 4. Otherwise
  /// the parts behind the step follow.
  case early([(StepPlan, [Part])])
  case scope(Scope, [Part])
}

package enum Fork: Sendable, Hashable {
  case parallel, race
  /// A `ForEach` with this many branches, done after this many results.
  case each(Int, quorum: Int)
}

package enum Scope: Sendable, Hashable {
  case retry(Int, pause: Duration)
  case recover
  case timeout(Duration)
  case expires(Duration)
  /// A guard that refuses a value whose number is 5, 12, 19…
  case guarded
  /// A `finally`.
  case finally
}

/// The plan of one step.
package struct StepPlan: Sendable, Hashable {
  /// Unique in the program.
  package let name: String
  /// Asks a question, and carries out its answer. An automatic step returns at once.
  package var asks = true
  /// An `Ask`: nothing but one question, whatever its answer says.
  package var onlyAsks = false
  /// Pays when it begins: `once`, and a refund in `backUp`.
  package var pays = true
  /// An automatic step that throws if the value's number is 4, 9, 14…
  package var fails = false
  /// Conforms to `SkippableStep`, and is skipped if the value's number is odd.
  package var skips = false
  /// Conforms to `ReceivingStep`.
  package var receives = false
  package var policy = BackUpPolicy.automatic
  /// The policy applies to inputs with an even number only.
  package var choosesPolicy = false
  package var backUpOutcome = BackUpOutcome.works
  /// The forks and branches around the step, from outside in, as `/1.0/4.*`: one stack each. A `*` stands for the
  /// number of a `ForEach`'s element.
  package var track = ""
  /// The menus of the hubs in whose side branches the step stands.
  package var menus: [String] = []

  /// The step's policy when it is entered with this input.
  package func policy(for input: Value) -> BackUpPolicy {
    choosesPolicy && input.number % 2 != 0 ? .automatic : policy
  }

  package enum BackUpOutcome: Sendable, Hashable {
    case works
    /// `backUp` throws before or after its refund.
    case failsBefore, failsAfter
  }
}

/// A random flow, and its ending when a step fails.
package struct Program: Sendable {
  package let parts: [Part]

  package var steps: [StepPlan] { parts.flatMap(\.steps) }
}

extension Part {
  package var steps: [StepPlan] {
    switch self {
    case .step(let step), .aside(let step): [step]
    case .early(let pieces): pieces.flatMap { [$0.0] + $0.1.flatMap(\.steps) }
    case .choice(let cases): cases.flatMap { $0.flatMap(\.steps) }
    case .route(let chooser, let left, let right):
      [chooser, left.0, right.0] + (left.1 + right.1).flatMap(\.steps)
    case .loop(let body), .scope(_, let body), .passing(let body): body.flatMap(\.steps)
    case .hub(let menu, let branches): [menu] + branches.flatMap { $0.flatMap(\.steps) }
    case .router(let entry, let first, let second): [entry, first, second]
    case .fork(_, let branches): branches.flatMap { $0.flatMap(\.steps) }
    }
  }

  package var hasFork: Bool {
    switch self {
    case .step, .aside, .router: false
    case .early(let pieces): pieces.contains { $0.1.contains(where: \.hasFork) }
    case .fork: true
    case .choice(let bodies), .hub(_, let bodies): bodies.contains { $0.contains(where: \.hasFork) }
    case .route(_, let left, let right): (left.1 + right.1).contains(where: \.hasFork)
    case .loop(let body), .scope(_, let body), .passing(let body): body.contains(where: \.hasFork)
    }
  }
}

extension [Part] {
  /// A name that no other part has.
  package func name(_ kind: String) -> String {
    "\(kind) of \(flatMap(\.steps).map(\.name).joined(separator: " "))"
  }

  /// The name of a finalizer around these parts.
  package var finalizer: String { name("finally \(finalized.count)") }

  /// The bodies of the finalizers.
  package var finalized: [[Part]] { flatMap(\.finalized) }
}

extension Part {
  fileprivate var finalized: [[Part]] {
    switch self {
    case .step, .aside, .router: []
    case .early(let pieces): pieces.flatMap { $0.1.finalized }
    case .choice(let bodies), .hub(_, let bodies), .fork(_, let bodies): bodies.flatMap(\.finalized)
    case .route(_, let left, let right): (left.1 + right.1).finalized
    case .scope(.finally, let body): [body] + body.finalized
    case .loop(let body), .scope(_, let body), .passing(let body): body.finalized
    }
  }
}

extension Program {
  /// Returns a step in the middle of the program, and some of the steps before it; `nil` if there is none.
  package func start(_ random: inout Chance) -> (step: StepID, earlier: [StepID])? {
    let steps = parts.compactMap { part -> StepID? in
      if case .step(let plan) = part { StepID(plan.name) } else { nil }
    }
    guard steps.count > 1 else { return nil }
    let index = 1 + random.below(steps.count - 1)
    var earlier: [StepID] = []
    for step in steps[..<index] where random.percent(70) { earlier.append(step) }
    return (steps[index], earlier)
  }
}
