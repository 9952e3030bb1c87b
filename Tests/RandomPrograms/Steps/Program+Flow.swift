package import ActorFlow

// Builds the library's flow of a program.
extension Program {
  package func flow(in session: World.HostSession) throws -> Flow<Value, Value> {
    let body = try Builder(session: session).flow(parts)
    return Flow("f") { body }
  }
}

private struct Builder {
  let session: World.HostSession

  func flow(_ parts: [Part]) throws -> Flow<Value, Value> {
    try parts.dropFirst().reduce(flow(parts[0])) { try flow(of: $0, then: $1) }
  }

  private func flow(of before: Flow<Value, Value>, then part: Part) throws -> Flow<Value, Value> {
    if case .aside(let plan) = part {
      return Flow {
        before
        aside(plan).passingThrough()
      }
    }
    let next = try flow(part)
    return Flow {
      before
      next
    }
  }

  private func flow(_ part: Part) throws -> Flow<Value, Value> {
    switch part {
    case .step(let plan): return plan.onlyAsks ? ask(plan) : step(plan)
    case .choice(let cases):
      let (names, cases) = (cases.map { $0.name("case") }, try cases.map(flow))
      return Switch {
        for (number, branch) in cases.enumerated() {
          // Half of the closures suspend.
          if number.isMultiple(of: 2) {
            Case(names[number], where: { (value: Value) in value.number % cases.count == number }) { branch }
          } else {
            Case(
              names[number],
              where: { (value: Value) async in
                await Task.yield()
                return value.number % cases.count == number
              }
            ) { branch }
          }
        }
      }.flow
    case .route(let chooser, let left, let right): return try route(chooser, left, right)
    case .loop(let body):
      let body = try flow(body)
      return Loop { body.map { $0.goesRoundAgain } }.flow
    case .hub(let menu, let branches): return try hub(menu, branches)
    case .router(let entry, let first, let second): return try router(entry, first, second)
    case .fork(let fork, let branches): return self.fork(fork, try branches.map(flow))
    case .scope(.finally, let body):
      let name = body.finalizer
      return try flow(body).finally(name) { [session] _ in session.world.finalize(name, in: session.number) }
    case .scope(let scope, let body): return self.scope(scope, try flow(body))
    case .passing(let body): return try flow(body).passingThrough()
    case .aside(let plan): return aside(plan).passingThrough(Value.self)
    case .early(let pieces): return try early(pieces)
    }
  }

  // MARK: Steps

  private func step<I: Carrier, O: Carrier>(_ plan: StepPlan, _: I.Type = I.self, _: O.Type = O.self) -> Flow<I, O> {
    policied(bare(plan), plan)
  }

  private func policied<I: Carrier, O>(_ step: Step<I, O>, _ plan: StepPlan) -> Flow<I, O> {
    guard plan.choosesPolicy else { return step.onBackUp(plan.policy) }
    return step.onBackUp { (input: I) in plan.policy(for: input.value) }
  }

  private func bare<I: Carrier, O: Carrier>(_ plan: StepPlan, _: I.Type = I.self, _: O.Type = O.self) -> Step<I, O> {
    if plan.skips { return Step(session.name(plan)) { [session] in SkippablePuppet<I, O>(plan, session) } }
    if plan.receives { return Step(session.name(plan)) { [session] in ReceivingPuppet<I, O>(plan, session) } }
    return Step(session.name(plan)) { [session] in Puppet<I, O>(plan, session) }
  }

  private func ask(_ plan: StepPlan) -> Flow<Value, Value> {
    Ask(session.name(plan)) { [session] (_: Value) in
      session.world.noteAsk(plan.name)
      return Form("\(plan.name).1")
    }.onBackUp(plan.policy).carrying { plan.output(of: $0, $1) }
  }

  private func aside(_ plan: StepPlan) -> Flow<Void, Value> {
    Step(session.name(plan)) { [session] in AsidePuppet(plan, session) }.onBackUp(plan.policy)
  }

  // MARK: Early ends

  private func early(_ pieces: [(StepPlan, [Part])]) throws -> Flow<Value, Value> {
    var whole: Flow<Value, Exit<Value, Value>>?
    for (plan, body) in pieces {
      let exit = step(plan, Value.self, Exit<Value, Value>.self)
      let next = whole.map { before in
        Flow {
          before
          exit
        }
      }
      whole = try body.reduce(next ?? exit) { try early($0, then: $1) }
    }
    guard let whole else { return Flow {} }
    return Flow(finishingWith: Value.self) { whole }
  }

  private func early(
    _ before: Flow<Value, Exit<Value, Value>>, then part: Part
  ) throws -> Flow<Value, Exit<Value, Value>> {
    if case .aside(let plan) = part {
      return Flow {
        before
        aside(plan).passingThrough()
      }
    }
    let next = try flow(part)
    return Flow {
      before
      next
    }
  }

  // MARK: Choosing

  private func route(
    _ chooser: StepPlan, _ left: (StepPlan, [Part]), _ right: (StepPlan, [Part])
  ) throws -> Flow<Value, Value> {
    let (first, second) = (try branch(left, of: Left.self), try branch(right, of: Right.self))
    return Flow {
      step(chooser, Value.self, OneOf2<Left, Right>.self)
      Route {
        When(Left.self) { first }
        When(Right.self) { second }
      }
    }
  }

  private func branch<I: Carrier>(_ branch: (StepPlan, [Part]), of type: I.Type) throws -> Flow<I, Value> {
    let first = step(branch.0, I.self, Value.self)
    guard !branch.1.isEmpty else { return first }
    let rest = try flow(branch.1)
    return Flow {
      first
      rest
    }
  }

  private func hub(_ menu: StepPlan, _ branches: [[Part]]) throws -> Flow<Value, Value> {
    let (names, branches) = (branches.map { $0.name("side") }, try branches.map(flow))
    let count = branches.count + 1
    return Hub(bare(menu, Value.self, Value.self)) {
      for (number, branch) in branches.enumerated() {
        Case(names[number], { (value: Value) in value.number % count == number ? value : nil }) {
          // An automatic menu must end by itself.
          branch.map { $0.with($0.number + 1) }
        }
      }
    } done: {
      $0.number % count == count - 1 ? $0 : nil
    }.flow
  }

  private func router(_ entry: StepPlan, _ first: StepPlan, _ second: StepPlan) throws -> Flow<Value, Value> {
    let session = session
    // The second step and the end each take one of two types, of which the first step and the second make one.
    let router = try TypeRouter(start: Arrival.self, end: OneOf2<Left, Departure>.self) {
      policied(Step(session.name(first)) { RouterPuppet(first, session) }, first)
      step(second, OneOf2<OneOf2<Right, Middle>, Value>.self, OneOf3<RoutedNote, Arrival, Departure>.self)
    }
    return Flow {
      step(entry, Value.self, Arrival.self)
      router.map { $0.value }
    }
  }

  // MARK: Forks and scopes

  private func fork(_ fork: Fork, _ branches: [Flow<Value, Value>]) -> Flow<Value, Value> {
    switch fork {
    case .parallel where branches.count == 2:
      Parallel {
        branches[0]
        branches[1]
      } join: { (first: Value, second: Value) in
        Value.join([first, second])
      }.flow
    case .parallel:
      Parallel {
        branches[0]
        branches[1]
        branches[2]
      } join: { (first: Value, second: Value, third: Value) in
        Value.join([first, second, third])
      }.flow
    case .race: Race { for branch in branches { branch } }.flow
    case .each(let count, let quorum):
      ForEach({ (value: Value) in value.split(count) }) {
        branches[0]
      } until: { results, open in
        results.count >= quorum || open == 0 ? .done(Value.joinElements(results)) : .goOn
      }.flow
    }
  }

  private func scope(_ scope: Scope, _ body: Flow<Value, Value>) -> Flow<Value, Value> {
    switch scope {
    case .retry(let attempts, let pause): body.retry(attempts, backoff: .constant(pause))
    case .recover:
      body.recover { _ in Value(-1) }.carrying { $1.number == -1 ? $0.with($0.number, adding: "R") : $1 }
    case .timeout(let time): body.timeout(time)
    case .expires(let time): body.expires(afterIdle: time)
    case .guarded:
      body.guarded { [world = session.world] value, _ in
        await Task.yield()
        if value.number % 7 == 5, !world.isMended("guarded") { throw Trouble("guarded") }
      }
    case .finally: body
    }
  }
}

extension StepPlan {
  /// The output of an `Ask` that got this answer.
  package func output(of input: Value, _ answer: Command) -> Value {
    let number = if case .go(let number) = answer { number } else { 7 }
    return input.with(number, adding: "\(name):\(number)")
  }
}

extension Value {
  /// Whether a step that may finish its flow does.
  package var finishesEarly: Bool { number % 4 == 1 }

  /// Decides whether a loop runs another round, and with what value.
  package var goesRoundAgain: Again<Value, Value> {
    number % 3 == 0 ? .again(with(number + 1, adding: "~")) : .done(self)
  }
}
