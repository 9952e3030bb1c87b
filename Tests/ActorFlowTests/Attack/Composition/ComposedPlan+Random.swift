import ActorFlow

/// Generates random plans. The order of concurrent actions in branches never decides the outcome of the flow: where it
/// could, a branch begins with a step that asks, so that it moves only on request.
struct ComposedPlanGenerator {
  var random: SeededGenerator
  /// Whether branches may race each other, so that the outcome cannot be predicted.
  let isFree: Bool
  private var track: String? = "main"
  private var names = 0
  private var durations = 0

  init(seed: UInt64, isFree: Bool = false) {
    self.isFree = isFree
    random = SeededGenerator(seed: seed)
  }

  mutating func plan() -> ComposedPlan {
    var pieces = [Piece]()
    if random.chance(60) { pieces.append(.step(step(asks: true))) }
    pieces += sequence(depth: 3, gated: false, safe: false, 1 + random.below(3))
    return ComposedPlan(pieces: pieces)
  }

  /// - Parameters:
  /// - gated: Whether the plan must begin with a question.
  /// - safe: Whether the plan begins beside others, and must not fail before it has asked.
  private mutating func sequence(depth: Int, gated: Bool, safe: Bool, _ count: Int) -> [Piece] {
    var pieces: [Piece] = []
    var safe = safe && !isFree
    if gated && !(isFree && random.chance(50)) {
      pieces.append(.step(step(asks: true)))
      safe = false
    }
    for _ in 0..<count {
      pieces.append(piece(depth: depth, safe: safe))
      if case .step(let step)? = pieces.last, step.actions.first?.rests == true { safe = false }
    }
    return pieces
  }

  private mutating func piece(depth: Int, safe: Bool) -> Piece {
    guard depth > 0, random.chance(60), !safe || random.chance(30) else {
      return .step(step(asks: random.chance(50), safe: safe))
    }
    switch random.below(10) {
    case ..<4: return fork(depth: depth - 1, safe: safe)
    case 4:
      names += 1
      return .loop("L\(names)", rounds: 1 + random.below(2), body(depth: depth - 1, safe: safe))
    case 5: return .choice((0..<2).map { _ in body(depth: depth - 1, safe: safe) })
    case 6, 7:
      let pause: Duration = random.chance(30) ? duration() : .zero
      return .scope(.retry(1 + random.below(3), pause: pause), body(depth: depth - 1, safe: safe))
    case 8: return .scope(.recover, body(depth: depth - 1, safe: safe))
    case 9 where isFree && random.chance(40):
      return .scope(.expires(duration()), body(depth: depth - 1, safe: safe))
    default: return .scope(.timeout(duration()), body(depth: depth - 1, safe: safe))
    }
  }

  private mutating func body(depth: Int, safe: Bool) -> [Piece] {
    sequence(depth: depth, gated: false, safe: safe, 1 + random.below(2))
  }

  private mutating func fork(depth: Int, safe: Bool) -> Piece {
    switch random.below(10) {
    case ..<6: return .fork(.parallel, branches(depth: depth, gated: random.chance(70)))
    case 6, 7: return .fork(.race, branches(depth: depth, gated: true))
    default:
      // The output of an empty fork is equal in all branches around it, and the reference could not tell them apart.
      let count = depth == 2 ? random.below(4) : 1 + random.below(3)
      let quorum = random.chance(50) && count > 0 ? 1 + random.below(count) : nil
      let around = track
      defer { track = around }
      track = nil
      let branch = sequence(depth: depth, gated: quorum != nil || random.chance(70), safe: true, random.below(2) + 1)
      return .fork(.each(count, quorum: quorum), [branch])
    }
  }

  private mutating func branches(depth: Int, gated: Bool) -> [[Piece]] {
    names += 1
    let (around, fork) = (track, names)
    defer { track = around }
    return (0..<(2 + random.below(2))).map { number in
      track = around.map { "\($0)/\(fork).\(number)" }
      return sequence(depth: depth, gated: gated || random.chance(50), safe: true, 1 + random.below(2))
    }
  }

  private mutating func step(asks: Bool, safe: Bool = false) -> ComposedPlan.Step {
    names += 1
    var actions: [ComposedPlan.Action] = []
    if asks { actions.append(random.chance(15) ? .askWithin(duration()) : .ask) }
    if !safe || asks, random.chance(25) {
      switch random.below(10) {
      case ..<5: actions.append(.fail(times: 1 + random.below(3)))
      case 5, 6: actions.append(.wait(random.chance(50) ? "x" : "y"))
      case 7: actions.append(.waitWithin(random.chance(50) ? "x" : "y", duration()))
      default: actions.append(.ask)
      }
    }
    if isFree, random.chance(20) { actions.insert(random.pick([(6, .once), (3, .backUp), (1, .abandon)]), at: 0) }
    if isFree, random.chance(10) { actions.append(.once) }
    let policy = random.pick([
      (80, BackUpPolicy.automatic), (10, .returnable), (10, .passThrough), (5, .oneWay),
      (isFree ? 2 : 0, .settling),
    ])
    return ComposedPlan.Step(
      name: "s\(names)", actions: actions, policy: policy, backUpFails: random.chance(8), track: track)
  }

  /// No two durations are equal, nor are the sums of a few.
  private mutating func duration() -> Duration {
    durations += 1
    return .seconds(60 + random.below(50)) + .microseconds(1 << min(durations, 19))
  }
}
