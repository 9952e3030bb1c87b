import ActorFlow

/// A random small flow of every component, as plain data: the library's flow and the reference's walk are both made
/// from it. Every piece takes and makes a text.
indirect enum Piece: Sendable {
  case step(ComposedPlan.Step)
  case fork(ComposedPlan.Fork, [[Piece]])
  /// Walks the body this many times.
  case loop(String, rounds: Int, [Piece])
  /// Chooses by the length of its input.
  case choice([[Piece]])
  case scope(ComposedPlan.Scope, [Piece])
}

struct ComposedPlan: Sendable {
  enum Action: Sendable {
    case ask
    case askWithin(Duration)
    case wait(String)
    case waitWithin(String, Duration)
    /// Throws the first times, counted for each input of the step.
    case fail(times: Int)
    /// Requests its own leaving; the first time for each input of the step. Only where branches race.
    case backUp, abandon
    /// Performs an effect that must happen once.
    case once

    /// Whether the step stops here, whatever happened before.
    var rests: Bool {
      switch self {
      case .ask, .askWithin: true
      case .wait, .waitWithin, .fail, .backUp, .abandon, .once: false
      }
    }
  }

  struct Step: Sendable {
    let name: String
    let actions: [Action]
    var policy = BackUpPolicy.automatic
    var backUpFails = false
    /// The stack on which its place stands: the forks and branches around it; nil if that differs from run to run.
    var track: String?
  }

  enum Fork: Sendable, Equatable {
    case parallel, race
    /// The same branch this many times; done after `quorum` results, if there is one.
    case each(Int, quorum: Int?)

    var kind: String {
      switch self {
      case .parallel: "parallel"
      case .race: "race"
      case .each: "each"
      }
    }
  }

  enum Scope: Sendable, Equatable {
    case retry(Int, pause: Duration)
    case recover
    case timeout(Duration)
    /// Only where branches race.
    case expires(Duration)
  }

  let pieces: [Piece]

  static func goesOn(_ loop: String, _ rounds: Int, _ value: String) -> Bool {
    value.components(of: "~\(loop)") + 1 < rounds
  }

  static func join(_ results: [String]) -> String { "(\(results.joined(separator: "|")))" }
}

extension String {
  fileprivate func components(of mark: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: mark) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}

// MARK: - The library's flow

extension ComposedPlan {
  func flow(on stage: ComposedStage) -> Flow<String, String> {
    Flow("f") { Self.flow(pieces, stage) }
  }

  private static func flow(_ pieces: [Piece], _ stage: ComposedStage) -> Flow<String, String> {
    let flows = pieces.map { flow($0, stage) }
    return flows.dropFirst().reduce(flows[0]) { before, next in
      Flow {
        before
        next
      }
    }
  }

  private static func flow(_ piece: Piece, _ stage: ComposedStage) -> Flow<String, String> {
    switch piece {
    case .step(let plan):
      return ActorFlow.Step<String, String>(plan.name) { ComposedStep(plan, stage) }.onBackUp(plan.policy)
    case .fork(let fork, let branches): return flow(fork, branches.map { flow($0, stage) })
    case .loop(let name, let rounds, let body):
      let body = flow(body, stage)
      return Loop {
        body.map { value -> Again<String, String> in
          goesOn(name, rounds, value) ? .again(value + "~\(name)") : .done(value)
        }
      }.flow
    case .choice(let cases):
      return Switch {
        for (number, body) in cases.enumerated() {
          Case("c\(number)", where: { (value: String) in value.utf8.count % cases.count == number }) {
            flow(body, stage)
          }
        }
      }.flow
    case .scope(.retry(let attempts, let pause), let body):
      return flow(body, stage).retry(attempts, backoff: .constant(pause))
    case .scope(.recover, let body):
      return flow(body, stage).recover { _ in "R" }.carrying { $1 == "R" ? $0 + "R" : $1 }
    case .scope(.timeout(let duration), let body): return flow(body, stage).timeout(duration)
    case .scope(.expires(let duration), let body): return flow(body, stage).expires(afterIdle: duration)
    }
  }

  private static func flow(_ fork: Fork, _ branches: [Flow<String, String>]) -> Flow<String, String> {
    switch fork {
    case .parallel where branches.count == 2:
      Parallel {
        branches[0]
        branches[1]
      } join: { (first: String, second: String) in
        join([first, second])
      }.flow
    case .parallel:
      Parallel {
        branches[0]
        branches[1]
        branches[2]
      } join: { (first: String, second: String, third: String) in
        join([first, second, third])
      }.flow
    case .race: Race { for branch in branches { branch } }.flow
    case .each(let count, nil):
      ForEach({ (value: String) in (0..<count).map { "\(value)#\($0)" } }) { branches[0] }.map(join)
    case .each(let count, let quorum?):
      ForEach({ (value: String) in (0..<count).map { "\(value)#\($0)" } }) {
        branches[0]
      } until: { results, open in
        results.count >= quorum || open == 0 ? .done(join(results)) : .goOn
      }.flow
    }
  }
}
