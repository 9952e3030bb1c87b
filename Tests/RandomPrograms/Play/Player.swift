import ActorFlow

/// Chooses the next request for a sequential program: anything whose result the model can predict.
struct Player {
  enum Request: Sendable {
    case answer(Command)
    case send(String, Int, key: String?)
    case backUp(to: String?)
    case abandon(rollingBack: Bool)
    case cancelCaller
    case advance(Duration)
    case letGo
  }

  var random: Chance
  private var turns = 0
  /// Whether the flow is hosted: it has no caller, and a step that holds a note would never settle.
  let isHosted: Bool
  /// Whether the flow's format can hold by when a wait that was given up is settled. Without it, a replay that cancels a
  /// child sooner than the first run leaves the child's next wait to a later child, which is held for ever.
  var canSettle = true

  init(_ random: Chance, isHosted: Bool) {
    (self.random, self.isHosted) = (random, isHosted)
  }

  mutating func next(_ model: Model) -> Request {
    turns += 1
    let isLate = turns > 40
    if model.isHolding, random.percent(60) || isLate { return .letGo }
    switch random.below(100) {
    case ..<60 where !model.look.questions.isEmpty: return .answer(command(model, isLate: isLate))
    case ..<70: return send(model)
    case ..<80:
      if let time = model.nextTimer { return .advance(time) }
      return isLate ? send(model) : .backUp(to: nil)
    case ..<90 where isLate: return send(model)
    case ..<87: return .backUp(to: nil)
    case ..<93: return .backUp(to: model.program.steps.randomElement(using: &random)?.name)
    case ..<96 where turns > 5: return .abandon(rollingBack: random.percent(85))
    case ..<97 where turns > 5 && !isHosted: return .cancelCaller
    default: return turns > 200 ? .abandon(rollingBack: true) : send(model)
    }
  }

  private mutating func send(_ model: Model) -> Request {
    let name = model.look.signals.first ?? (random.percent(50) ? "x" : "y")
    // A key always stands for the same value.
    let number = random.below(3)
    return random.percent(30) ? .send(name, number, key: "k\(number)") : .send(name, random.below(100), key: nil)
  }

  private mutating func command(_ model: Model, isLate: Bool) -> Command {
    let command = isLate ? Command.go(random.below(30)) : random.command()
    switch command {
    case .askUpdating where !canSettle: return .ask
    // Until the child task has been cancelled after the lost race, it may take the signal meant for the next wait.
    case .wait(let name), .waitWithin(let name, _), .waitFor(let name, _, _), .first(let name, _, _),
      .either(let name, _), .askUpdating(let name):
      return model.isRacing(for: name) ? .ask : command
    // A child task that is cancelled at once may or may not take a buffered signal.
    case .giveUp(let name) where model.hasSignal(name): return .ask
    case .send(.hold) where isHosted: return .send(.take)
    case .deliver(.hold) where isHosted: return .deliver(.take)
    // The router's note decides its reaction: numbers 6, 7 and 8 of 9 hold it.
    case .go(let number) where isHosted && number % 9 >= 6: return .go(number - 3)
    default: return command
    }
  }
}
