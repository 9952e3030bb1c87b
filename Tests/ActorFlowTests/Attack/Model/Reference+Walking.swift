import ActorFlow

// Going forward.
extension Reference {
  mutating func launch(_ input: String) {
    run += 1
    (places, shown, question, leave, ending, result) = ([], [], nil, nil, nil, nil)
    eventsBefore = events.count
    at = .proceed  // anything but idle
    publish("launched")
    reach(0, input)
  }

  /// Enters a step, or reaches the end.
  mutating func reach(_ index: Int, _ value: String) {
    guard index < plan.steps.count else {
      result = "returned \(value)"
      if let top = places.last, plan.steps[top.step].policy == .settling { (places, shown) = ([], []) }
      return end("finished", as: "finished")
    }
    let step = plan.steps[index]
    guard step.kind != .closure else { return enter(index, value, instance: 0) }
    lines.append(.make(index))
    if step.make.isGated { stop(.make(index, value)) } else { made(index, value) }
  }

  /// Continues the factory.
  mutating func made(_ index: Int, _ value: String) {
    let step = plan.steps[index]
    if step.make.fails { return threw(index, "Boom") }
    instances += 1
    if leave != nil { return unwind() }
    guard step.kind == .skippable else { return enter(index, value, instance: instances) }
    lines.append(.skip(index, value))
    if step.skip.isGated { stop(.skip(index, value)) } else { skipped(index, value) }
  }

  /// Continues `skip`.
  mutating func skipped(_ index: Int, _ value: String) {
    let step = plan.steps[index]
    if step.skip.fails { return threw(index, "Boom") }
    guard step.skips else { return enter(index, value, instance: instances) }
    if leave != nil { return unwind() }
    if step.policy == .returnableIfSkipped {
      push(index, value, instance: instances, isSkipped: true)
    } else {
      publish("skipped \(paths[index])")
    }
    if step.mapFails { return threw(index, "Boom") }
    reach(index + 1, value + "~")
  }

  private mutating func enter(_ index: Int, _ value: String, instance: Int) {
    if leave != nil { return unwind() }
    push(index, value, instance: instance, isSkipped: false)
    proceed()
  }

  private mutating func push(_ index: Int, _ value: String, instance: Int, isSkipped: Bool) {
    let from = shown.last ?? "-"
    if let top = places.last, plan.steps[top.step].policy == .settling { places = [] }
    visits += 1
    places.append(
      Place(
        step: index, input: value, instance: instance, visit: visits, isSkipped: isSkipped, isEntered: !isSkipped))
    show()
    publish("moved \(from)→\(shown.last ?? "-")")
  }

  /// Calls the top place's `proceed`, which stops.
  mutating func proceed() {
    let top = places[places.count - 1]
    lines.append(.proceed(top.step, top.instance, top.input))
    stop(.proceed)
  }

  /// The top place's step returns.
  mutating func returns(_ output: String) {
    if leave != nil { return unwind() }
    let step = places[places.count - 1].step
    if plan.steps[step].mapFails { return threw(step, "Boom") }
    reach(step + 1, output)
  }

  /// A step, its factory, its `skip` or its `.map` threw.
  mutating func threw(_ index: Int, _ error: String) {
    if leave != nil { return unwind() }
    result = "threw \(error)"
    question = nil
    leave = Leave(reason: "failed", visit: shown.last, isAnnounced: true)
    publish("failed \(paths[index])")
    unwind()
  }
}

// MARK: - Actions of the focused step

extension Reference {
  var isDeaf: Bool { places.last.map { plan.steps[$0.step].isDeaf } ?? false }

  /// The step waits for commands again, unless it has noticed its cancellation.
  mutating func nextCommand() {
    if leave != nil, !isDeaf { unwind() } else { stop(.proceed) }
  }

  mutating func refused(_ error: String) {
    lines.append(.refused(error))
    nextCommand()
  }

  mutating func obey(_ command: Command) {
    let top = places.count - 1
    let isLeaving = leave != nil
    switch command {
    case .go: nextCommand()
    case .proceed(let output): returns(output)
    case .fail: threw(places[top].step, "Boom")
    case .pretendCancelled: threw(places[top].step, "stepFailed")
    case .ask where isLeaving, .backUp where isLeaving, .abandon where isLeaving: refused("CancellationError")
    case .ask:
      questions += 1
      question = (questions, 1)
      places[top].hasAsked = true
      publish("asked \(questions)")
      stop(.asking)
      release(.settled, position)
    case .backUp:
      guard let target else { return refused("cannotBackUp") }
      accept(Leave(target: target, reason: "back"), isInside: true)
    case .abandon: accept(Leave(reason: "abandoned inside"), isInside: true)
    case .once(let key, let effect): once(key, effect)
    }
  }

  private mutating func once(_ key: String, _ effect: Effect) {
    let top = places.count - 1
    let record = places[top].records[key]
    if case .done(let id) = record {
      lines.append(.got(id))
      return nextCommand()
    }
    if leave != nil { return refused("CancellationError") }
    var id = ""
    if case .interrupted(let known) = record {
      id = known
    } else {
      keys += 1
      id = "#\(keys)"
    }
    lines.append(.effect(key, id))
    switch effect {
    case .works(isGated: true): stop(.effect(key: key, id: id))
    case .works(isGated: false): effectEnds(key, id)
    case .failsBefore, .failsAfter:
      if effect == .failsAfter { world.insert(id) }
      places[top].records[key] = .interrupted(id)
      refused("EffectFailed()")
    }
  }

  /// The work of a `once` has had its effect.
  mutating func effectEnds(_ key: String, _ id: String) {
    world.insert(id)
    places[places.count - 1].records[key] = .done(id)
    lines.append(.got(id))
    nextCommand()
  }

  mutating func answered(_ answer: String, by: String = "-") {
    guard let asked = question else { return }
    question = nil
    publish("answered \(asked.number)")
    lines.append(.got(answer))
    at = .proceed
    nextCommand()
  }

  mutating func updated() {
    question?.revision += 1
    publish("updated \(question?.number ?? 0)")
  }

  mutating func gaveUp() {
    guard let asked = question else { return }
    question = nil
    publish("withdrawn \(asked.number)")
    at = .proceed
    refused("CancellationError")
  }
}
