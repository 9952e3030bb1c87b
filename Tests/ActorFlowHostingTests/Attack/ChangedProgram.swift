import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

/// A line of steps that ask, pay, wait and look at the time, as a plan from which a flow is made. A deploy changes the
/// plan.
struct ChangedProgram: Sendable {
  enum Deed: Sendable, Equatable {
    case ask(key: String?, renamed: Bool)
    case attempt(fails: Bool)
    case once
    case now
    case wait
  }

  /// A deed with a number of its own, by which it is known in every version.
  struct Numbered: Sendable, Equatable {
    let number: Int
    var deed: Deed
  }

  struct Plan: Sendable {
    var name: String
    var deeds: [Numbered]
  }

  /// A prompt, and the same prompt after a rename of its type.
  struct OldForm: Prompt, Codable {
    typealias Answer = String
    static let promptName = "form"
    var number: Int
  }
  struct NewForm: Prompt, Codable {
    typealias Answer = String
    static let promptName = "form"
    var number: Int
  }

  var steps: [Plan] = []
  private var numbers = 0

  init(_ random: Chance) {
    for index in 0..<(1 + random.below(4)) {
      steps.append(Plan(name: "s\(index)", deeds: (0..<(1 + random.below(5))).map { _ in deed(random) }))
    }
  }

  private mutating func numbered(_ deed: (Int) -> Deed) -> Numbered {
    numbers += 1
    return Numbered(number: numbers, deed: deed(numbers))
  }

  private mutating func deed(_ random: Chance) -> Numbered {
    let kind = random.below(10)
    return numbered { number in
      switch kind {
      case 0: .attempt(fails: true)
      case 1: .attempt(fails: false)
      case 2: .once
      case 3: .now
      case 4: .wait
      case 5, 6: .ask(key: nil, renamed: false)
      default: .ask(key: "k\(number)", renamed: false)
      }
    }
  }

  func flow(in world: ChangedWorld) -> Flow<String, String> {
    let steps = steps.map { plan in Flow<String, String> { Step(plan.name, plan.body(in: world)) } }
    return Flow("changing") {
      steps.dropFirst().reduce(steps[0]) { line, step in
        Flow {
          line; step
        }
      }
    }
  }
}

// MARK: - Changes

extension ChangedProgram {
  /// A change of the code, and the moves that come with it.
  struct Change: Sendable {
    var program: ChangedProgram
    var moves: [Move] = []
    /// The question that the new code does not ask any more, if its answer is not forgotten.
    var dropped: (step: StepID, key: String, number: Int)?
  }

  /// Returns this program with one random change.
  func changed(_ random: Chance) -> Change {
    var change = Change(program: self)
    let index = random.below(steps.count)
    let name = StepID("changing/\(steps[index].name)")
    switch random.below(7) {
    case 0:
      change.program.steps[index].name = "renamed"
      change.moves = [.rename(name, to: "changing/renamed")]
    case 1:
      let question = change.program.numbered { .ask(key: "k\($0)", renamed: false) }
      change.program.steps.insert(Plan(name: "new", deeds: [question]), at: random.below(steps.count + 1))
    case 2, 3: change.drop(from: index, forgets: false, random)
    case 4: change.drop(from: index, forgets: true, random)
    case 5:
      let question = change.program.numbered { .ask(key: random.below(2) == 0 ? nil : "k\($0)", renamed: false) }
      change.program.steps[index].deeds.append(question)
    default: change.renamePrompts()
    }
    return change
  }
}

extension ChangedProgram.Change {
  fileprivate mutating func drop(from index: Int, forgets: Bool, _ random: Chance) {
    let plan = program.steps[index]
    let keyed = plan.deeds.filter { if case .ask(_?, _) = $0.deed { true } else { false } }
    guard !keyed.isEmpty, case let dropped = keyed[random.below(keyed.count)], case .ask(let key?, _) = dropped.deed
    else { return }
    program.steps[index].deeds.removeAll { $0 == dropped }
    let step = StepID("changing/\(plan.name)")
    if forgets { moves = [.forgetAnswer(of: step, key: key)] }
    self.dropped = (step, key, dropped.number)
  }

  fileprivate mutating func renamePrompts() {
    for index in program.steps.indices {
      for place in program.steps[index].deeds.indices {
        guard case .ask(let key, _) = program.steps[index].deeds[place].deed else { continue }
        program.steps[index].deeds[place].deed = .ask(key: key, renamed: true)
      }
    }
  }
}

// MARK: - Steps

/// What the steps of a changing program did outside.
final class ChangedWorld: Sendable {
  private let keys = Lock<[Int: Set<String>]>([:])
  private let times = Lock<[Int: Set<Duration>]>([:])

  func pay(_ number: Int, _ key: String) { keys.withLock { _ = $0[number, default: []].insert(key) } }

  func see(_ time: Duration, by number: Int) { times.withLock { _ = $0[number, default: []].insert(time) } }

  /// What was done under two keys, or saw two times.
  var faults: [String] {
    keys.withLock { $0.filter { $0.value.count > 1 }.map { "\($0.key) was paid under \($0.value.count) keys" } }
      + times.withLock { $0.filter { $0.value.count > 1 }.map { "\($0.key) saw \($0.value.count) times" } }
  }
}

private struct Declined: Error {}

extension ChangedProgram.Plan {
  /// Each deed adds its number and its result to the input.
  fileprivate func body(in world: ChangedWorld) -> @Sendable (String, StepContext) async throws -> String {
    { [deeds] input, context in
      var output = input
      for numbered in deeds { output += "[\(numbered.number)=\(try await numbered.result(in: world, context))]" }
      return output
    }
  }
}

extension ChangedProgram.Numbered {
  fileprivate func result(in world: ChangedWorld, _ context: StepContext) async throws -> String {
    switch deed {
    case .ask(let key, false): return try await context.ask(ChangedProgram.OldForm(number: number), key: key)
    case .ask(let key, true): return try await context.ask(ChangedProgram.NewForm(number: number), key: key)
    case .wait: return try await context.wait(for: Signal<String>("s\(number)"))
    case .once: return try await context.once("o\(number)") { key in world.paid(number, key) }
    case .now:
      let time = try await context.now(key: "n\(number)").sinceStart
      world.see(time, by: number)
      return "@"
    case .attempt(let fails):
      let attempt = try await context.attempt("a\(number)") { key in
        let paid = world.paid(number, key)
        if fails { throw Declined() }
        return paid
      }
      guard case .made(let paid) = attempt else { return "!" }
      return paid
    }
  }
}

extension ChangedWorld {
  fileprivate func paid(_ number: Int, _ key: String) -> String {
    pay(number, key)
    return "$"
  }
}
