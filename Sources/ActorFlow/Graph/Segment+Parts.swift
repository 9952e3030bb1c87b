extension Segment {
  /// The segments nested in this segment, in the order in which the compiler numbers steps and forks.
  package var parts: [[Segment]] {
    switch self {
    case .choice(let choice): choice.parts
    case .loop(let loop): [loop.body]
    case .hub(let menu): [menu.step] + menu.choice.parts
    case .router(let router): router.choice.parts
    case .fork(let fork):
      switch fork.branches {
      case .fixed(let branches): branches.map(\.segments)
      case .each(_, let segments): [segments]
      }
    case .step, .transform, .carry, .join, .open, .close, .begin, .end, .enter, .leave, .enterFinally,
      .leaveFinally:
      []
    }
  }

  /// Returns the segment with the part of this number replaced.
  package func replacing(part number: Int, with segments: [Segment]) -> Segment {
    switch self {
    case .choice(let choice): return .choice(choice.replacing(part: number, with: segments))
    case .loop(let loop): return .loop(Repetition(body: segments, decide: loop.decide))
    case .hub(let menu):
      let step = number == 0 ? segments : menu.step
      let choice = number == 0 ? menu.choice : menu.choice.replacing(part: number - 1, with: segments)
      return .hub(Menu(step: step, choice: choice, leaving: menu.leaving))
    case .router(let router):
      return .router(
        Router(
          choice: router.choice.replacing(part: number, with: segments), leaving: router.leaving,
          routes: router.routes))
    case .fork(let fork): return .fork(fork.replacing(part: number, with: segments))
    case .step, .transform, .carry, .join, .open, .close, .begin, .end, .enter, .leave, .enterFinally,
      .leaveFinally:
      return self
    }
  }
}

extension Choice {
  fileprivate var parts: [[Segment]] { cases.map(\.segments) + (otherwise.map { [$0] } ?? []) }

  fileprivate func replacing(part number: Int, with segments: [Segment]) -> Choice {
    guard cases.indices.contains(number) else { return Choice(cases: cases, otherwise: segments, takers: takers) }
    var cases = cases
    let old = cases[number]
    cases[number] = Case(label: old.label, name: old.name, match: old.match, segments: segments)
    return Choice(cases: cases, otherwise: otherwise, takers: takers)
  }
}

extension Fork {
  fileprivate func replacing(part number: Int, with segments: [Segment]) -> Fork {
    let changed: Branches
    switch branches {
    case .fixed(var all):
      all[number] = Branch(name: all[number].name, segments: segments)
      changed = .fixed(all)
    case .each(let elements, _): changed = .each(elements: elements, segments)
    }
    return Fork(kind: kind, name: name, branches: changed, goal: goal)
  }
}
