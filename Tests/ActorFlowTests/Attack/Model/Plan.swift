import ActorFlow

/// A random flow: the properties of its steps. The driver decides their actions in a visit.
struct Plan: Sendable {
  /// Code of a step that only waits or throws, if anything.
  struct Chore: Sendable {
    /// Waits until the driver releases it.
    var isGated = false
    /// Whether it ignores a cancellation while it waits.
    var isDeaf = false
    var fails = false
  }

  enum Kind: Sendable { case actor, skippable, closure }

  enum BackUp: Sendable { case works, failsBefore, failsAfter }

  struct Step: Sendable {
    var name: String
    var kind: Kind
    var policy: BackUpPolicy
    /// Stands in a flow of its own, named `g`.
    var isNested: Bool
    /// Ignores a cancellation, and waits for the command to return.
    var isDeaf: Bool
    var make = Chore()
    var skip = Chore()
    /// The result of its `skip`.
    var skips = false
    var backUp = BackUp.works
    var isBackUpGated = false
    /// Whether the `.map` behind it throws.
    var mapFails = false
  }

  var steps: [Step] = []

  static func random(_ random: inout SeededGenerator) -> Plan {
    var plan = Plan()
    for _ in 0..<(1 + random.below(6)) { plan.steps.append(.random(&random)) }
    return plan
  }
}

extension Plan.Step {
  static func random(_ random: inout SeededGenerator) -> Plan.Step {
    let policies: [(weight: Int, BackUpPolicy)] = [
      (50, .automatic), (10, .returnable), (12, .returnableIfSkipped), (10, .passThrough), (8, .oneWay), (8, .settling),
    ]
    var step = Plan.Step(
      name: random.pick([(4, "a"), (3, "b"), (3, "c"), (2, "d"), (2, "e")]),
      kind: random.pick([(6, .actor), (4, .skippable), (1, .closure)]),
      policy: random.pick(policies), isNested: random.chance(15), isDeaf: random.chance(20))
    step.make = .random(&random)
    step.skip = .random(&random)
    step.skips = random.chance(60)
    step.backUp = random.pick([(8, .works), (1, .failsBefore), (1, .failsAfter)])
    step.isBackUpGated = random.chance(35)
    step.mapFails = random.chance(2)
    return step
  }
}

extension Plan.Chore {
  static func random(_ random: inout SeededGenerator) -> Plan.Chore {
    Plan.Chore(isGated: random.chance(20), isDeaf: random.chance(30), fails: random.chance(3))
  }
}

// MARK: - As a flow

extension Plan {
  /// The flow to run. Its steps' paths are `f/a`, `f/a#2`, `f/g/a`…
  func flow(on stage: Stage) -> Flow<String, String> {
    Flow("f") {
      for (index, step) in steps.enumerated() { Self.component(step, Puppet(index: index, plan: step, stage: stage)) }
    }
  }

  private static func component(_ step: Step, _ puppet: Puppet) -> Flow<String, String> {
    let bare: Flow<String, String> =
      switch step.kind {
      case .actor: ActorFlow.Step(step.name) { try await PuppetStep(puppet.made()) }.flow
      case .skippable: ActorFlow.Step(step.name) { try await SkippablePuppetStep(puppet.made()) }.flow
      case .closure: ActorFlow.Step(step.name) { try await puppet.proceed($0, $1) }.flow
      }
    let mapFails = step.mapFails
    let mapped = bare.onBackUp(step.policy).map { value in
      if mapFails { throw Boom() }
      return value
    }
    return step.isNested ? Flow("g") { mapped } : mapped
  }
}

/// The error that puppets throw.
struct Boom: Error {}
