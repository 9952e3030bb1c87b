import ActorFlow

/// Several tasks that make random requests concurrently, until the flow has ended.
package struct Attackers<Place: Arena>: Sendable {
  let program: Program
  let world: World
  let place: Place
  /// The turns that each attacker takes before it only helps the flow to its end.
  let patience: Int

  package init(_ program: Program, _ world: World, _ place: Place, patience: Int) {
    (self.program, self.world, self.place, self.patience) = (program, world, place, patience)
  }

  package func attack(tasks: Int, seed: UInt64) async {
    var random = Chance(seed: ~seed)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<tasks {
        let seed = random.next()
        group.addTask { await attack(seed) }
      }
    }
  }

  private func attack(_ seed: UInt64) async {
    var random = Chance(seed: seed)
    // A source of its own, so that a seed plays the same other requests.
    var operating = Chance(seed: ~seed)
    var turns = 0
    while await !place.hasEnded {
      turns += 1
      if turns > patience + 20_000 { return world.report("rule 11: the flow does not end") }
      if turns > patience {
        await help(&random, turns - patience)
      } else {
        await disturb(&random)
        if operating.percent(20) { await operate(&operating) }
      }
      await Task.yield()
    }
  }

  // MARK: Disturbing

  private func disturb(_ random: inout Chance) async {
    switch random.below(100) {
    case ..<44: await answer(&random)
    case ..<54: await send(&random)
    case ..<62: await place.advance(by: .seconds(random.below(100)))
    case ..<64: world.letGo()
    case ..<66: await place.retry()
    case ..<72: _ = await place.backUp(to: nil)
    case ..<76: await give { await $0.backUp(to: nil) }
    case ..<81:
      guard let question = await place.questions.randomElement(using: &random) else { return }
      await give { await $0.backUp(from: question.id) }
    case ..<86:
      guard let name = program.steps.randomElement(using: &random)?.name else { return }
      await give { await $0.backUp(to: name) }
    case ..<96: await answerAndLeave(&random)
    case ..<97: _ = await place.abandon(rollingBack: true)
    case ..<98: await give { await $0.abandon(rollingBack: true) }
    case ..<99: _ = await place.abandon(rollingBack: random.percent(50))
    default: place.cancelCaller()
    }
  }

  private func answer(_ random: inout Chance) async {
    for question in await place.questions {
      _ = await place.answer(question.id, with: random.command())
      if random.percent(60) { break }
    }
  }

  private func send(_ random: inout Chance) async {
    let key = random.percent(30) ? "k\(random.below(3))" : nil
    _ = await place.send(random.below(100), to: random.percent(50) ? "x" : "y", key: key)
  }

  /// An answer, and a request to leave at the same moment: between the end of one step and the beginning of the next.
  private func answerAndLeave(_ random: inout Chance) async {
    guard let question = await place.questions.randomElement(using: &random) else { return }
    let number = random.below(30)
    let leave = random.below(6)
    if random.percent(50) {
      _ = await place.answer(question.id, with: .go(number))
      await self.leave(leave)
    } else {
      async let answered = place.answer(question.id, with: .go(number))
      await self.leave(leave)
      _ = await answered
    }
  }

  private func leave(_ kind: Int) async {
    switch kind {
    case 0: _ = await place.abandon(rollingBack: true)
    case 1: place.cancelCaller()
    case 2, 3: await give { await $0.backUp(to: nil) }
    default: _ = await place.backUp(to: nil)
    }
  }

  /// Makes a request and does not wait for its result.
  private func give(_ request: @escaping @Sendable (Place) async -> String) async {
    let task = Task { [place] in await request(place) }
    task.cancel()
    _ = await task.value
  }

  /// An operator's verb, also at the moment of an answer.
  private func operate(_ random: inout Chance) async {
    if place.suspendsOnFailure, random.percent(30) { return await failAndRetry(&random) }
    if random.percent(40) { return await operateAnywhere(&random) }
    guard random.percent(70), let question = await place.questions.randomElement(using: &random) else {
      return await place.note()
    }
    let number = random.below(30)
    switch random.below(8) {
    case 6:
      await place.refresh()
      await place.move()
    case 7:
      async let refreshed: Void = place.refresh()
      _ = await place.answer(question.id, with: .go(number))
      await refreshed
    case 3:
      async let answered = place.answer(question.id, with: .go(number))
      _ = await place.enter(question.step, with: number, of: program)
      _ = await answered
    case 4: await give { [program] in await $0.enter(question.step, with: number, of: program) }
    case 5:
      async let completed = place.complete(question.step, with: number, of: program)
      _ = await place.enter(question.step, with: number, of: program)
      _ = await completed
    case 0:
      async let answered = place.answer(question.id, with: .go(number))
      _ = await place.complete(question.step, with: number, of: program)
      _ = await answered
    case 1: await give { [program] in await $0.complete(question.step, with: number, of: program) }
    default: _ = await place.complete(question.step, with: number, of: program)
    }
  }

  /// A verb that names no step, alone, at the moment of an answer, or while the flow is being left.
  private func operateAnywhere(_ random: inout Chance) async {
    let question = await place.questions.randomElement(using: &random)
    let verb: @Sendable (Place) async -> Void
    switch random.below(6) {
    case 0, 1: verb = { await $0.edit() }
    case 2: verb = { if let question { await $0.reassign(question.id) } }
    case 3: verb = { await $0.compensateAgain() }
    case 4: verb = { await $0.redact() }
    default: verb = { await $0.retry() }
    }
    let (moment, number) = (random.below(4), random.below(30))
    switch moment {
    case 0:
      async let done: Void = verb(place)
      if let question { _ = await place.answer(question.id, with: .go(number)) }
      await done
    case 1:
      async let done: Void = verb(place)
      _ = await place.backUp(to: nil)
      await done
    case 2:
      async let done: Void = verb(place)
      if number == 0 { _ = await place.abandon(rollingBack: true) }
      await done
    default: await verb(place)
    }
  }

  /// Lets a step fail, and retries it as soon as the flow is suspended, also when the cause has been removed.
  private func failAndRetry(_ random: inout Chance) async {
    guard let question = await place.questions.randomElement(using: &random) else { return await place.retry() }
    guard await place.answer(question.id, with: .fail) == "ok" else { return }
    for turn in 0..<(1 + random.below(12)) {
      await Task.yield()
      await place.retry()
      if turn > 2, random.percent(20) { world.mends(question.causeOfFailure) }
    }
  }

  // MARK: Helping

  private func help(_ random: inout Chance, _ turn: Int) async {
    world.letGo()
    if turn % 5 == 0 { await place.retry() }
    if turn > 60 { world.holdNothing() }
    if turn > 400 { _ = await place.abandon(rollingBack: true) }
    for question in await place.questions { _ = await place.answer(question.id, with: .go(random.below(30))) }
    if turn % 4 == 0 {
      for signal in ["x", "y"] { _ = await place.send(turn, to: signal, key: nil) }
    }
    if turn % 7 == 0 { await place.advance(by: .seconds(30)) }
  }
}

extension Chance {
  /// Returns any command, more often one that moves the flow.
  package mutating func command() -> Command {
    let signal = percent(50) ? "x" : "y"
    let act: Note.Act = pick([(3, .take), (1, .fail), (2, .hold)])
    let time = percent(40) ? 1_000 * (1 + below(90)) : nil
    return pick([
      (50, .go(below(30))), (4, .fail), (2, .ask), (2, .askReplying),
      (3, .askWithin(milliseconds: 1_000 * (1 + below(90)))), (2, .pay),
      (2, .attempt), (1, .attemptOrFail), (3, .payAndStumble), (4, .wait(signal)),
      (3, .waitWithin(signal, milliseconds: 1_000 * (1 + below(90)))),
      (8, .either(signal, waitsFirst: percent(50))), (5, .askUpdating(signal)), (2, .giveUp(signal)),
      (1, .now), (4, .send(act)),
      (7, .deliver(act)), (4, .backUp), (1, .abandon), (4, .waitFor(signal, remainder: below(3), milliseconds: time)),
      (8, .first(signal, remainder: percent(50) ? below(3) : nil, milliseconds: time)),
    ])
  }
}
