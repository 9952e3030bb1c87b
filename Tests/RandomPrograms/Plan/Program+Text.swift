import ActorFlow

// A program in one line, for failure messages.
extension Program {
  package var text: String { parts.text }
}

extension [Part] {
  fileprivate var text: String { map(\.text).joined(separator: " ") }
}

extension [[Part]] {
  fileprivate var text: String { map(\.text).joined(separator: " | ") }
}

extension Part {
  fileprivate var text: String {
    switch self {
    case .step(let step): step.text
    case .choice(let cases): "switch[\(cases.text)]"
    case .route(let chooser, let left, let right):
      "\(chooser.text) route[\(left.0.text) \(left.1.text) | \(right.0.text) \(right.1.text)]"
    case .loop(let body): "loop(\(body.text))"
    case .hub(let menu, let branches): "hub \(menu.text)[\(branches.text)]"
    case .router(let entry, let first, let second): "\(entry.text) router[\(first.text) \(second.text)]"
    case .fork(let fork, let branches): "\(fork)[\(branches.text)]"
    case .scope(let scope, let body): "\(scope)(\(body.text))"
    case .passing(let body): "passing(\(body.text))"
    case .aside(let step): "aside(\(step.text))"
    case .early(let pieces): "early(\(pieces.map { "\($0.0.text)? \($0.1.text)" }.joined(separator: " ")))"
    }
  }
}

extension StepPlan {
  fileprivate var text: String {
    var marks: [String] = []
    if onlyAsks { marks.append("ask") }
    if !asks { marks.append("auto") }
    if pays { marks.append("pays") }
    if fails { marks.append("fails") }
    if skips { marks.append("skips") }
    if receives { marks.append("receives") }
    if policy != .automatic { marks.append("\(policy)\(choosesPolicy ? "?" : "")") }
    if backUpOutcome != .works { marks.append("\(backUpOutcome)") }
    return marks.isEmpty ? name : "\(name){\(marks.joined(separator: ","))}"
  }
}
