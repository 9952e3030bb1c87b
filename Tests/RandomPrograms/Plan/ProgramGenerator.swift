import ActorFlow

/// Generates random programs.
package struct ProgramGenerator {
  package var random: Chance
  /// The parts that may be generated.
  package enum Kind: Sendable {
    /// No concurrent branches: the naive model predicts everything.
    case sequential
    /// All parts.
    case free
  }
  private let kind: Kind
  private var names = 0
  private var forks = 0
  private var track = ""
  private var menus: [String] = []
  private var durations = 0
  /// The approximate number of further steps.
  private var budget: Int

  package init(seed: UInt64, _ kind: Kind) {
    random = Chance(seed: seed)
    budget = 3 + random.below(12)
    self.kind = kind
  }

  package mutating func program() -> Program {
    var parts: [Part] = random.percent(60) ? [.step(step(asks: true))] : []
    parts += sequence(depth: 3)
    return Program(parts: parts)
  }

  private mutating func sequence(depth: Int) -> [Part] {
    (0..<(budget > 0 ? 1 + random.below(3) : 1)).map { _ in part(depth: depth) }
  }

  private mutating func part(depth: Int) -> Part {
    guard depth > 0, budget > 0, random.percent(60) else {
      if random.percent(25) { return .step(onlyAsk()) }
      return track.contains("*") || random.percent(90) ? .step(step(asks: random.percent(60))) : .aside(plainStep())
    }
    switch random.below(kind == .free ? 19 : 15) {
    case 0: return .choice((0..<2).map { _ in sequence(depth: depth - 1) })
    case 1: return route(depth: depth - 1)
    case 2: return .loop(sequence(depth: depth - 1))
    case 3, 4, 5: return hub(depth: depth - 1)
    case 6: return router()
    case 7: return .scope(.retry(1 + random.below(3), pause: random.percent(30) ? duration() : .zero), scoped(depth))
    case 8: return .scope(.recover, scoped(depth))
    case 9 where kind == .free && random.percent(30): return .scope(.expires(duration()), scoped(depth))
    case 9: return .scope(.timeout(duration()), scoped(depth))
    case 10: return .passing(sequence(depth: depth - 1))
    case 11: return early(depth: depth - 1)
    case 12: return .scope(.guarded, scoped(depth))
    case 13, 14: return .scope(.finally, scoped(depth))
    default: return fork(depth: depth - 1)
    }
  }

  private mutating func scoped(_ depth: Int) -> [Part] { sequence(depth: depth - 1) }

  private mutating func route(depth: Int) -> Part {
    let chooser = plainStep()
    let left = (plainStep(), random.percent(50) ? sequence(depth: depth) : [])
    let right = (plainStep(), random.percent(50) ? sequence(depth: depth) : [])
    return .route(chooser, left, right)
  }

  private mutating func hub(depth: Int) -> Part {
    var menu = step(asks: random.percent(80))
    // An automatic menu with automatic branches would loop for ever.
    (menu.asks, menu.fails) = (true, false)
    menu.policy = .automatic
    menu.skips = false
    menus.append(menu.name)
    defer { menus.removeLast() }
    return .hub(menu, (0..<(1 + random.below(2))).map { _ in sequence(depth: depth) })
  }

  private mutating func early(depth: Int) -> Part {
    .early(
      (0..<(1 + random.below(2))).map { _ in (plainStep(), random.percent(70) ? sequence(depth: depth) : []) })
  }

  private mutating func router() -> Part {
    var first = plainStep()
    first.receives = true
    // A router whose receiver is settled before the update is made is refused.
    if first.policy == .settling { first.policy = .oneWay }
    let entry = plainStep()
    // Two automatic steps would send each other back for ever.
    var second = plainStep()
    second.asks = true
    return .router(entry: entry, first: first, second: second)
  }

  private mutating func fork(depth: Int) -> Part {
    forks += 1
    let (around, number) = (track, forks)
    defer { track = around }
    var branches: [[Part]] = []
    let shape: Fork = random.pick([(4, .parallel), (2, .race), (2, .each(1 + random.below(3), quorum: 0))])
    let count = if case .each = shape { 1 } else { 2 + random.below(2) }
    for branch in 0..<count {
      track = if case .each = shape { "\(around)/\(number).*" } else { "\(around)/\(number).\(branch)" }
      branches.append(sequence(depth: depth))
    }
    if case .each(let count, _) = shape {
      return .fork(.each(count, quorum: 1 + random.below(count)), branches)
    }
    return .fork(shape, branches)
  }

  /// Returns a step that is not skipped and whose `backUp` policy is automatic.
  private mutating func plainStep() -> StepPlan {
    var step = step(asks: random.percent(70))
    step.skips = false
    step.receives = false
    return step
  }

  /// Returns the plan of an `Ask`.
  private mutating func onlyAsk() -> StepPlan {
    var step = plainStep()
    (step.asks, step.onlyAsks) = (true, true)
    (step.pays, step.fails, step.choosesPolicy) = (false, false, false)
    step.backUpOutcome = .works
    return step
  }

  private mutating func step(asks: Bool) -> StepPlan {
    names += 1
    budget -= 1
    var step = StepPlan(name: "s\(names)")
    step.asks = asks
    step.pays = random.percent(70)
    step.fails = !asks && random.percent(30)
    step.skips = random.percent(15)
    step.receives = !step.skips && random.percent(25)
    step.policy = random.pick([
      (70, .automatic), (8, .returnable), (8, .passThrough), (step.skips ? 30 : 2, .returnableIfSkipped), (4, .oneWay),
      (4, .settling),
    ])
    step.choosesPolicy = step.policy != .automatic && random.percent(40)
    step.backUpOutcome = random.pick([(88, .works), (6, .failsBefore), (6, .failsAfter)])
    step.track = track
    step.menus = menus
    return step
  }

  /// Returns a duration that differs from every other one of the program, and from the sum of any few.
  private mutating func duration() -> Duration {
    durations += 1
    return .seconds(60 + random.below(50)) + .milliseconds(1 << min(durations, 15))
  }
}
