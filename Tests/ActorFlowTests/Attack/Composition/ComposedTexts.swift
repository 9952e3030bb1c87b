import ActorFlow

// The observable state of a composed flow, in the reference's words.

extension Position {
  var composedText: String {
    if case .ended(let ending) = status { return "ended \(ending.word)" }
    let questions = questions.map { "\(($0.prompt as? Form)?.text ?? "?")" }.sorted()
    let waits = waits.map { "\($0.signal)@\($0.step.composedName)" }
    return "[\(text(of: stack, branches))] \(questions) \(waits)\(canBackUp ? " back" : "")"
  }

  private func text(of stack: StepStack, _ branches: [Branch]) -> String {
    let names = stack.reversed().map(\.step.composedName).joined(separator: " ")
    let inner = branches.map { branch in
      "[\(text(of: branch.stack, branch.branches))]" + (branch.hasEnded ? " over" : branch.canBackUp ? " back" : "")
    }
    return ([names] + inner).joined(separator: " ")
  }
}

extension Ending {
  fileprivate var word: String {
    switch self {
    case .finished: "finished"
    case .failed: "failed"
    case .abandoned: "abandoned"
    case .cancelled: "cancelled"
    }
  }
}

extension StepID {
  /// Removes the number that distinguishes forks of one name.
  var composedName: String { name.split(separator: "#").first.map(String.init) ?? name }
}

extension Change {
  var composedLine: String {
    switch self {
    case .moved(_, let to): "moved →\(to.step.composedName)"
    case .answered: "answered"
    case .leaving(let visit, let reason): "leaving \(visit.step.composedName) \(reason.word)"
    case .backedUp(let from, let to, let errors):
      "backedUp \(from.step.composedName)→\(to.step.composedName) \(errors.count)"
    case .caught(let step, _, .retry(let attempt, _)): "caught \(step.composedName) retry \(attempt)"
    case .caught(let step, _, _): "caught \(step.composedName) recover"
    case .unwound(let visit, let errors): "unwound \(visit?.step.composedName ?? "-") \(errors.count)"
    case .suspended(let step, let error): "suspended \(step.composedName) \(error)"
    case .joined(let visit, let errors): "joined \(visit.step.composedName) \(errors.count)"
    case .failed(let step, _): "failed \(step.composedName)"
    default: line
    }
  }
}

/// The error that `run` threw, as a word.
func composedWord(for error: any Error) -> String {
  switch error {
  case let failure as Failure: failure.description
  case is CancellationError: "cancelled"
  case let error as FlowError: "\(error.code)"
  default: "\(error)"
  }
}

extension ComposedPlan {
  var text: String { pieces.text }

  /// All steps of the plan, nested ones too.
  var steps: [Step] { pieces.flatMap(\.steps) }

  /// Returns the stack on which a step's place stands, by its name. Unknown if the step settles others: they stay when
  /// older ones go.
  var tracks: [String: String] {
    guard !steps.contains(where: { $0.policy == .settling }) else { return [:] }
    return Dictionary(steps.compactMap { step in step.track.map { (step.name, $0) } }) { first, _ in first }
  }
}

extension [Piece] {
  fileprivate var text: String { map(\.text).joined(separator: " ") }
}

extension Piece {
  fileprivate var steps: [ComposedPlan.Step] {
    switch self {
    case .step(let step): [step]
    case .fork(_, let bodies), .choice(let bodies): bodies.flatMap { $0.flatMap(\.steps) }
    case .loop(_, _, let body), .scope(_, let body): body.flatMap(\.steps)
    }
  }

  fileprivate var text: String {
    switch self {
    case .step(let step):
      "\(step.name){\(step.actions.map { "\($0)" }.joined(separator: ","))"
        + "\(step.policy == .automatic ? "" : " \(step.policy)")\(step.backUpFails ? " !" : "")}"
    case .fork(let fork, let branches): "\(fork)[\(branches.map(\.text).joined(separator: " | "))]"
    case .loop(let name, let rounds, let body): "\(name)*\(rounds)(\(body.text))"
    case .choice(let cases): "choice[\(cases.map(\.text).joined(separator: " | "))]"
    case .scope(let scope, let body): "\(scope)(\(body.text))"
    }
  }
}

extension ComposedReference {
  /// Returns the track that asks this question.
  func asker(of question: Question) -> Track? {
    main.leaves.first { track in
      guard case .asking(let place, let number) = track.rest, let form = question.prompt as? Form else { return false }
      return form.text == "\(place.key)\(number)"
    }
  }
}
