/// A random router, without its types: types are shapes of numbered leaves.
struct RouterPlan: Sendable {
  /// A type: a leaf, or a one-of with two cases.
  indirect enum Shape: Hashable, Sendable {
    case leaf(Int)
    case either(Shape, Shape)

    var leaves: [Int] {
      switch self {
      case .leaf(let number): [number]
      case .either(let first, let second): first.leaves + second.leaves
      }
    }
  }

  struct StepPlan: Hashable, Sendable {
    var name: String
    /// The leaf that it receives as its update.
    var receives: Int?
    /// Whether it skips itself now and then.
    var skips = false
    /// Whether it stays on the stack when it is skipped.
    var staysIfSkipped = false
    var settles = false
  }

  enum Element: Hashable, Sendable {
    case step(StepPlan)
    case choice(StepPlan, StepPlan)
    case loop(StepPlan)

    var steps: [StepPlan] {
      switch self {
      case .step(let step), .loop(let step): [step]
      case .choice(let first, let second): [first, second]
      }
    }
  }

  struct Part: Sendable {
    let input: Shape
    let output: Shape
    /// One or two.
    let elements: [Element]
  }

  /// The leaf between the two elements of a part, which nothing else takes.
  static let middle = 5
  /// The number of the other leaves.
  static let leaves = 5

  let start: Shape
  let end: Shape
  let parts: [Part]

  var steps: [StepPlan] { parts.flatMap { $0.elements.flatMap(\.steps) } }

  init(_ random: inout SeededGenerator) {
    let count = 1 + random.below(4)
    let inputs = (0..<count).map { _ in Self.shape(&random, pairs: 30) }
    let end = Self.shape(&random, pairs: 20)
    let updates = random.chance(80) ? (0..<(1 + random.below(2))).map { _ in random.below(Self.leaves) } : []
    // Most outputs are of types that something takes, or most routers would be refused for that alone.
    let wanted = inputs + [end, end] + (updates + updates).map(Shape.leaf)
    func output(_ random: inout SeededGenerator) -> Shape {
      if random.chance(3) { return Self.shape(&random, pairs: 50) }
      let first = wanted[random.below(wanted.count)]
      guard random.chance(60) else { return first }
      let second = wanted[random.below(wanted.count)]
      let pair = Shape.either(first, second)
      return random.chance(20) ? .either(pair, wanted[random.below(wanted.count)]) : pair
    }
    var names = 0
    func step(_ random: inout SeededGenerator) -> StepPlan {
      names += 1
      var step = StepPlan(name: "s\(names)")
      if !updates.isEmpty, random.chance(45) { step.receives = updates[random.below(updates.count)] }
      step.skips = random.chance(12)
      step.staysIfSkipped = step.skips && random.chance(40)
      step.settles = !step.staysIfSkipped && random.chance(8)
      return step
    }
    func element(_ random: inout SeededGenerator) -> Element {
      switch random.below(8) {
      case 0: .choice(step(&random), step(&random))
      case 1: .loop(step(&random))
      default: .step(step(&random))
      }
    }
    start = random.chance(80) ? inputs[random.below(count)] : output(&random)
    self.end = end
    parts = inputs.map { input in
      let elements = (0...(random.chance(30) ? 1 : 0)).map { _ in element(&random) }
      return Part(input: input, output: output(&random), elements: elements)
    }
  }

  private static func shape(_ random: inout SeededGenerator, pairs: Int) -> Shape {
    let leaf = Shape.leaf(random.below(leaves))
    guard random.chance(pairs) else { return leaf }
    let pair = Shape.either(leaf, .leaf(random.below(leaves)))
    return random.chance(20) ? .either(pair, .leaf(random.below(leaves))) : pair
  }
}

// MARK: - The naive model

extension RouterPlan {
  /// The index of the end among the destinations of a value.
  var endIndex: Int { parts.count }

  private var acceptors: [Shape] { parts.map(\.input) + [end] }

  /// The types as which a value of this type is routed.
  func routed(_ shape: Shape) -> [Shape] {
    guard case .either(let first, let second) = shape, !acceptors.contains(shape) else { return [shape] }
    return routed(first) + routed(second)
  }

  func takers(of shape: Shape) -> [Int] {
    let exact = acceptors.indices.filter { acceptors[$0] == shape }
    guard exact.isEmpty, case .leaf(let leaf) = shape else { return exact }
    return acceptors.indices.filter { acceptors[$0].leaves.contains(leaf) }
  }

  /// Whether something is wrong with the types alone.
  var isMistyped: Bool {
    let inputs = parts.map(\.input)
    if Set(inputs).count < inputs.count || inputs.contains(end) { return true }
    let received = Set(steps.compactMap(\.receives))
    func isLost(_ shape: Shape, isStart: Bool) -> Bool {
      let routed = routed(shape)
      if Set(routed).count < routed.count { return true }
      return routed.contains { shape in
        let takers = takers(of: shape)
        if takers.count > 1 { return true }
        guard case .leaf(let leaf) = shape else { return takers.isEmpty }
        guard let taker = takers.first else { return isStart || !received.contains(leaf) }
        return acceptors[taker] != shape && acceptors[taker].leaves.count { $0 == leaf } > 1
      }
    }
    if isLost(start, isStart: true) || parts.contains(where: { isLost($0.output, isStart: false) }) { return true }
    var reached: Set<Int> = []
    var next = routed(start)
    while let shape = next.popLast() {
      for taker in takers(of: shape) where reached.insert(taker).inserted && taker < endIndex {
        next += routed(parts[taker].output)
      }
    }
    return reached.count < acceptors.count
  }

  /// A stack, as far as updates are concerned.
  private struct Stack: Hashable {
    var all: Set<Int> = []
    var belowTop: Set<Int> = []
    var settles = false

    func after(_ step: StepPlan) -> [Stack] {
      var entered = self
      if settles { entered.all = [] }
      entered.belowTop = entered.all
      if let update = step.receives { entered.all.insert(update) }
      entered.settles = step.settles
      return step.skips && !step.staysIfSkipped ? [self, entered] : [entered]
    }
  }

  /// Whether some way leads to a value that nothing takes and no step receives. Every way is tried.
  var losesUpdates: Bool {
    struct Entering: Hashable {
      let part: Int
      let stack: Stack
    }
    var seen: Set<Entering> = []
    var next = routed(start).flatMap(takers).map { Entering(part: $0, stack: Stack()) }
    while let here = next.popLast() {
      guard here.part < endIndex, seen.insert(here).inserted else { continue }
      let part = parts[here.part]
      // A plain step notes that the part begins.
      var stacks = Set(here.stack.after(StepPlan(name: "")))
      for element in part.elements {
        switch element {
        case .step(let step): stacks = Set(stacks.flatMap { $0.after(step) })
        case .choice(let first, let second): stacks = Set(stacks.flatMap { $0.after(first) + $0.after(second) })
        case .loop(let step):
          let once = Set(stacks.flatMap { $0.after(step) })
          let twice = Set(once.flatMap { $0.after(step) })
          stacks = once.union(twice).union(twice.flatMap { $0.after(step) })
        }
      }
      for stack in stacks {
        for shape in routed(part.output) {
          if case .leaf(let leaf) = shape, stack.belowTop.contains(leaf) { continue }
          guard let taker = takers(of: shape).first else { return true }
          next.append(Entering(part: taker, stack: stack))
        }
      }
    }
    return false
  }
}
