import ActorFlow

extension DocumentChecker {
  /// The menu of a hub.
  private struct CheckedMenu {
    /// The segments that make the value that reaches the hub fit. The side branches return to the menu itself, so these
    /// are before the hub.
    var front: [Segment] = []
    /// The menu's own segments.
    var segments: [Segment] = []
    /// The type that the menu takes; `nil` if it is not known.
    var input: (any Sendable.Type)?
    /// The choice that the menu makes.
    var choice: Value
  }

  mutating func hub(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> [Segment] {
    guard case .hub(let menu, let ways, let otherwise, let done) = entry.kind,
      let menu = self.menu(menu, value, path["hub"], step, depth)
    else {
      value.type = nil
      return []
    }
    var cases: [Choice.Case] = []
    for index in ways.indices {
      let (made, output) = way(ways[index], of: menu.choice, path["cases"][index], step, depth)
      cases.append(returning(made, output, to: menu, path["cases"][index], step))
    }
    if ways.isEmpty, !isHole(path["cases"]) {
      add(.badValue, at: path["cases"], Mistakes.noCases("a hub"), step: step)
    }
    var rest: [Segment]?
    if let otherwise {
      var made = menu.choice
      let segments = sequence(otherwise, &made, path["otherwise"], depth: depth + 1)
      rest = segments + fit(made, to: menu, "the part for 'otherwise'", path["otherwise"], step)
    }
    return leaving(menu, cases, rest, done, &value, path["done"], step)
  }

  /// Makes the menu of a hub; reports an entry that is no single step, and returns `nil`.
  private mutating func menu(
    _ entry: FlowDocument.Entry, _ arrived: Value, _ path: JSONPath, _ step: StepID?, _ depth: Int
  ) -> CheckedMenu? {
    guard !isHole(path) else { return nil }
    guard case .step(let name, _) = entry.kind else {
      add(.badValue, at: path, Mistakes.noMenu, step: step)
      return nil
    }
    var menu = CheckedMenu(choice: arrived)
    guard let component = catalog.components[name] else {
      menu.segments = self.entry(entry, &menu.choice, path, depth: depth + 1)
      return menu
    }
    menu.front = fit(arrived, to: component.input, of: name.quoted, at: path["step"], step: step)
    menu.input = component.input
    menu.choice.type = component.input
    let before = mistakes.count
    menu.segments = self.entry(entry, &menu.choice, path, depth: depth + 1)
    guard menu.segments.isMenu || mistakes.count > before else {
      add(.badValue, at: path, Mistakes.noMenu, step: step)
      return nil
    }
    return menu
  }

  /// Returns a side branch that ends with what the menu takes.
  private mutating func returning(
    _ made: Choice.Case, _ output: Value, to menu: CheckedMenu, _ path: JSONPath, _ step: StepID?
  ) -> Choice.Case {
    let segments = made.segments + fit(output, to: menu, "the case \(made.label.quoted)", path, step)
    return Choice.Case(label: made.label, name: made.name, match: made.match, segments: segments)
  }

  /// Returns the segments that make the output of a side branch fit the menu, or reports that it does not fit.
  private mutating func fit(
    _ output: Value, to menu: CheckedMenu, _ name: String, _ path: JSONPath, _ step: StepID?
  ) -> [Segment] {
    guard let taken = menu.input, let type = output.type, type != taken else { return [] }
    if taken == Void.self { return [.transform { _ in () }] }
    add(
      .typeMismatch, at: path, "\(name) returns \(type) to the menu (\(output.maker)), which takes \(taken)",
      step: step)
    return []
  }

  /// Adds the case that leaves the hub.
  private mutating func leaving(
    _ menu: CheckedMenu, _ cases: [Choice.Case], _ rest: [Segment]?, _ done: String, _ value: inout Value,
    _ path: JSONPath, _ step: StepID?
  ) -> [Segment] {
    let condition = find(done, in: catalog.cases, "case", at: path, step: step)
    value = Value(type: condition?.result, maker: "the output of the hub")
    guard let condition else { return [] }
    expect(menu.choice, condition.value, of: "the case \(done.quoted)", at: path, step)
    let leaving = Choice.Case(label: "done", name: nil, match: condition.ask, segments: [])
    let choice = Choice(cases: cases + [leaving], otherwise: rest)
    return menu.front + [.hub(Menu(step: menu.segments, choice: choice, leaving: [cases.count]))]
  }
}

extension [Segment] {
  /// Whether this is a single step with policies and names around it, and nothing else before it.
  fileprivate var isMenu: Bool {
    var steps = 0
    for segment in self {
      switch segment {
      case .step: steps += 1
      case .begin, .end, .open, .close: break
      case .transform: if steps == 0 { return false }
      case .carry, .join, .enter, .leave, .enterFinally, .leaveFinally, .choice, .loop, .hub, .router, .fork:
        return false
      }
    }
    return steps == 1
  }
}
