import ActorFlow

// Walking the program from its beginning.
extension Model {
  func walk(_ parts: [Part], _ input: Value) throws(Stop) -> Value {
    var value = input
    for part in parts { value = try walk(part, value) }
    return value
  }

  private func walk(_ part: Part, _ value: Value) throws(Stop) -> Value {
    switch part {
    case .step(let plan): return try step(plan, value)
    case .choice(let cases): return try walk(cases[value.number % cases.count], value)
    case .route(let chooser, let left, let right):
      let choice = try step(chooser, value)
      let branch = choice.number % 2 == 0 ? left : right
      return try walk(branch.1, try step(branch.0, choice))
    case .loop(let body):
      var value = value
      while true {
        switch try walk(body, value).goesRoundAgain {
        case .again(let next): value = next
        case .done(let last): return last
        }
      }
    case .hub(let menu, let sides): return try hub(menu, sides, value)
    case .router(let entry, let first, let second): return try router(first, second, try step(entry, value))
    case .scope(let scope, let body): return try self.scope(scope, body, value)
    case .passing(let body):
      _ = try walk(body, value)
      return value
    case .aside(let plan):
      _ = try step(plan, Value())
      return value
    case .early(let pieces):
      var value = value
      for (plan, body) in pieces {
        value = try step(plan, value)
        if value.finishesEarly { return value }
        value = try walk(body, value)
      }
      return value
    case .fork: throw .failed("the model knows no forks")
    }
  }

  // MARK: Steps

  private func step(_ plan: StepPlan, _ input: Value) throws(Stop) -> Value {
    let isSkipped = plan.skips && input.number % 2 == 1
    let skipped = input.with(input.number, adding: "-")
    if isSkipped, plan.policy(for: input) != .returnableIfSkipped { return skipped }
    if let place = nextPlace(of: plan) {
      if let anew = place.anew { return try step(plan, anew) }
      return try output(of: place)
    }
    let place = push(plan, input)
    guard isSkipped else { return try output(of: place) }
    place.isSkipped = true
    place.state = .made(skipped)
    visits += 1
    place.visit = visits
    return skipped
  }

  /// Returns the place of the next step, if it was entered already.
  private func nextPlace(of plan: StepPlan) -> Place? {
    guard cursor < entries.count, case .place(let place) = entries[cursor], place.plan == plan else { return nil }
    cursor += 1
    return place
  }

  private func push(_ plan: StepPlan, _ input: Value) -> Place {
    let before = shown.last
    let isAnew = before?.anew != nil && before?.plan == plan
    // A settling step is left forwards when another place comes to stand on it.
    if before?.policy == .settling, !isAnew { for place in places { place.isFinal = true } }
    let place = Place(plan, input)
    if isAnew, let carried = before?.carried { place.carried = carried }
    entries.append(.place(place))
    cursor += 1
    return place
  }

  private func output(of place: Place) throws(Stop) -> Value {
    while true {
      switch place.state {
      case .begins: begin(place, isNewVisit: !place.isEntered)
      case .made(let value): return value
      case .failed(let error): throw .failed(error)
      case .receiving(let note) where note.act == .take || note.act == .fail && mended.contains(receipt(of: place)):
        place.note = note
        place.state = .begins
      case .receiving(let note) where note.act == .fail: place.state = .failed("\(place.plan.name)'s receive")
      case .asking, .waiting, .first, .either, .updating, .sending, .receiving: throw .waiting
      }
    }
  }

  /// Calls `proceed`.
  private func begin(_ place: Place, isNewVisit: Bool) {
    let plan = place.plan
    if isNewVisit {
      visits += 1
      place.visit = visits
      place.hasAsked = false
    }
    place.isEntered = true
    place.isSkipped = false
    (place.failures, place.latest, place.plainAnswers) = (0, nil, 0)
    lastFocus = plan.name
    lines.append("+\(plan.name)")
    if plan.pays { pay("0", at: place) }
    if plan.asks {
      place.hasAsked = true
      place.state = .asking(1)
    } else if plan.fails, place.input.number % 5 == 4, !mended.contains("\(plan.name).0") {
      place.state = .failed(plan.name)
    } else {
      place.state = .made(place.input.with(place.input.number, adding: plan.name))
    }
  }

  func pay(_ key: String, at place: Place) {
    guard place.payments[key] == nil else { return }
    place.payments[key] = false
    paid += 1
  }

  /// Returns whether the work of the attempt has returned.
  func attempt(_ number: Int, at place: Place) -> Bool {
    let key = "t\(number)"
    if let isMade = place.attempts[key] { return isMade }
    let isFirst = place.payments[key] == nil
    pay(key, at: place)
    let isMended = mended.contains("\(place.plan.name).\(number)")
    let isMade = number % 3 == 0 || isMended || !isFirst && !mayCrash
    place.attempts[key] = isMade
    return isMade
  }

  // MARK: Menus and routers

  private func hub(_ plan: StepPlan, _ sides: [[Part]], _ input: Value) throws(Stop) -> Value {
    var menu = nextPlace(of: plan) ?? push(plan, input)
    var round = 0
    while true {
      if round == menu.choices.count {
        if let anew = menu.anew {
          menu = nextPlace(of: plan) ?? push(plan, anew)
          round = 0
          continue
        }
        menu.choices.append(try output(of: menu))
      }
      let choice = menu.choices[round]
      let side = choice.number % (sides.count + 1)
      if side == sides.count { return choice }
      let first = cursor
      let result = try walk(sides[side], choice)
      if round == menu.endedSides {
        if menu.isFinal || shown.last?.policy == .settling {
          // The menu was settled with the steps after it, so it is entered for the first time.
          menu = nextPlace(of: plan) ?? push(plan, result.with(result.number + 1))
          round = 0
          continue
        }
        menu.endedSides += 1
        for entry in entries[first..<cursor] { entry.bury(by: menu) }
        menu.input = result.with(result.number + 1)
        menu.state = .begins
      }
      round += 1
    }
  }

  private func router(_ first: StepPlan, _ second: StepPlan, _ input: Value) throws(Stop) -> Value {
    var value = input
    while true {
      let middle = try step(first, value)
      if middle.number % 2 == 1 { return middle }
      value = try step(second, middle)
      switch value.number % 3 {
      case 0:
        guard let receiver = shown.last(where: { $0.plan == first }) else { throw .failed("noMatchingCase") }
        guard canLeave(over: receiver) else { throw .failed("cannotBackUp") }
        back(to: receiver, delivering: RoutedNote(carrying: value).note)
        throw .again
      case 1: continue
      default: return value
      }
    }
  }

  // MARK: Scopes

  private func scope(_ scope: Scope, _ body: [Part], _ input: Value) throws(Stop) -> Value {
    let start = cursor
    enteredScopes += 1
    let number = enteredScopes
    scopes.append("\(scope)@\(start)")
    defer { scopes.removeLast() }
    switch scope {
    case .retry(let most, let pause): return try retry(number, most, pause, body, input, start)
    case .recover:
      let recovered = input.with(input.number, adding: "R")
      if case .recovered? = mark(of: number, at: start) {
        cursor += 1
        return recovered
      }
      do throws(Stop) { return try walk(body, input) } catch {
        guard case .failed = error else { throw error }
        unwind(from: start)
        entries.append(.mark(Mark(.recovered, of: number)))
        throw .again
      }
    case .timeout(let time):
      let id = scopes.joined(separator: "/")
      if overdue == id {
        overdue = nil
        unwind(from: start)
        throw .failed("timedOut")
      }
      active.append((id, time))
      timeoutStarts[id] = start
      let value = try walk(body, input)
      active.removeAll { $0.id == id }
      return value
    case .expires: return try walk(body, input)
    case .guarded:
      if input.number % 7 == 5, !mended.contains("guarded") { throw .failed("guarded") }
      return try walk(body, input)
    case .finally: return try finally(number, body, input, start)
    }
  }

  private func finally(_ scope: Int, _ body: [Part], _ input: Value, _ start: Int) throws(Stop) -> Value {
    let mark: Mark
    if start < entries.count, case .mark(let found) = entries[start], found.scope == scope {
      mark = found
    } else {
      mark = Mark(.finalizer(body.finalizer), of: scope)
      visits += 1
      mark.visit = visits
      entries.append(.mark(mark))
    }
    cursor += 1
    let value = try walk(body, input)
    if !mark.hasRun {
      finalize(mark)
      for case .place(let place) in entries[start..<cursor] { place.isFinished = true }
    }
    return value
  }

  private func retry(
    _ scope: Int, _ most: Int, _ pause: Duration, _ body: [Part], _ input: Value, _ start: Int
  ) throws(Stop) -> Value {
    var attempt = 1
    if case .attempt(let number, let time)? = mark(of: scope, at: start) {
      attempt = number
      cursor += 1
      if time > now {
        self.pause = time
        throw .waiting
      }
    }
    scopes[scopes.count - 1] += "#\(attempt)"
    do throws(Stop) { return try walk(body, input) } catch {
      guard case .failed = error, attempt < most else { throw error }
      let next = Entry.mark(Mark(.attempt(attempt + 1, at: now + pause), of: scope))
      if Part.isOneStep(body), case .place(let place)? = entries.last, entries.count > start {
        // The place stays, with its payments. The attempt that the step has failed with runs again.
        if let key = place.latestFailure { place.attempts[key] = nil }
        place.latestFailure = nil
        if attempt == 1 { entries.insert(next, at: start) } else { entries[start] = next }
        // A note that the step has not received yet is delivered again.
        place.state = if let note = place.delivery, !place.isEntered { .receiving(note) } else { .begins }
      } else {
        unwind(from: start)
        entries.append(next)
      }
      throw .again
    }
  }
}

extension Model {
  private func mark(of scope: Int, at index: Int) -> Mark.Kind? {
    guard index < entries.count, case .mark(let mark) = entries[index], mark.scope == scope else { return nil }
    return mark.kind
  }
}

extension Model.Entry {
  fileprivate func bury(by menu: Model.Place) {
    switch self {
    case .place(let place): place.buriedBy = menu
    case .mark(let mark): mark.buriedBy = menu
    }
  }
}

extension Part {
  /// Whether a scope stands around a single step.
  static func isOneStep(_ body: [Part]) -> Bool {
    guard body.count == 1 else { return false }
    switch body[0] {
    case .step, .aside: return true
    case .scope(.finally, _): return false
    case .scope(_, let body), .passing(let body): return isOneStep(body)
    case .early(let pieces): return pieces.count == 1 && pieces[0].1.isEmpty
    default: return false
    }
  }
}
