import ActorFlow

/// The body of every step: does what its plan and the answers say, and reports it to the world.
struct Body: Sendable {
  let plan: StepPlan
  let world: World
  private let session: Int
  /// The number of the step's instance, counted over the whole world.
  let instance: Int

  init(_ plan: StepPlan, _ session: World.HostSession) {
    (self.plan, world, self.session) = (plan, session.world, session.number)
    instance = world.newInstance()
  }

  /// Several tasks of a step use it, so it has no state besides its parameters.
  func proceed(_ input: Value, note: Note?, _ context: StepContext) async throws -> Value {
    let track = plan.track(of: input.elements)
    world.begin(line(.entered, context.step, track, context.visit), in: session)
    defer { world.end(on: track) }
    if world.yields { await Task.yield() }
    if plan.pays { try await pay("0", context) }
    guard plan.asks else {
      if plan.fails, input.number % 5 == 4, !world.isMended("\(plan.name).0") { throw Trouble(plan.name) }
      return input.with(input.number, adding: plan.name)
    }
    var next: Command? = .ask
    var (number, failures, hasRaced) = (0, 0, false)
    while let command = next {
      number += 1
      let failed = String(repeating: "!", count: failures)
      let form = Form("\(plan.name).\(number)\(note.map { "+\($0.act)" } ?? "")\(failed)")
      switch command {
      case .go(let number): return input.with(number, adding: "\(plan.name):\(number)")
      case .fail:
        guard world.isMended("\(plan.name).\(number)") else { throw Trouble(plan.name) }
        next = .ask
      case .attempt, .attemptOrFail:
        let isMade = try await attempt(number, context)
        if !isMade, command == .attemptOrFail { throw Trouble(plan.name) }
        if !isMade { failures += 1 }
        next = .ask
      default:
        // Between two races in child tasks, a step makes a call of its own.
        if command.isRace, hasRaced { _ = try await context.now(key: "r\(number)") }
        hasRaced = hasRaced || command.isRace
        next = try await obey(command, form, number, context) ?? .ask
      }
    }
    return input
  }

  /// Carries out a command; returns the next one, or nil if there is none.
  private func obey(_ command: Command, _ form: Form, _ number: Int, _ context: StepContext) async throws -> Command? {
    do {
      switch command {
      case .go, .fail, .attempt, .attemptOrFail: return command
      case .ask: return try await world.audits ? context.ask(AuditedForm(form)) : context.ask(form)
      case .askReplying: return try await askReplying(form, context)
      case .now:
        let time = try await context.now(key: "n\(number)")
        world.see("\(time.sinceStart)", as: "now \(number) of \(context.visit)", in: session)
      case .askWithin(let time): return try await context.ask(form, within: .milliseconds(time))
      case .pay: try await pay("\(number)", context)
      case .payAndStumble: try await payAndStumble("\(number)", context)
      case .wait(let name): _ = try await context.wait(for: Signal<Int>(name))
      case .waitWithin(let name, let time):
        _ = try await context.wait(for: Signal<Int>(name), within: .milliseconds(time))
      case .waitFor(let name, let remainder, let time): try await wait(for: name, remainder, time, context)
      case .first(let name, let remainder, let time): return try await first(form, name, remainder, time, context)
      case .either(let name, let waitsFirst): return try await either(form, name, waitsFirst, context)
      case .askUpdating(let name): return try await askUpdating(form, name, context)
      case .giveUp(let name): try await giveUp(name, context)
      case .send(let act): try await context.send(Note(act, isDelivered: false), to: ReceivingPuppet<Value, Value>.self)
      case .deliver(let act):
        try await context.backUp(to: ReceivingPuppet<Value, Value>.self, delivering: Note(act, isDelivered: true))
      case .backUp: try await context.backUp()
      case .abandon: try await context.abandon("inside")
      }
    } catch let error as FlowError where Self.refusals.contains(error.code) {
      // The step asks again, as if it had not tried.
    } catch is Trouble where command.isSend {
      // The receiver did not take the note.
    }
    return nil
  }

  private static let refusals: [FlowError.Code] = [.cannotBackUp, .ambiguousBackUp, .moving, .ending, .notActive]

  private func line(
    _ kind: World.Line.Kind, _ path: StepID, _ track: String, _ visit: VisitID? = nil
  ) -> World.Line {
    World.Line(
      kind: kind, step: plan.name, path: World.original(path.path), instance: instance, track: track,
      visit: visit?.number ?? 0)
  }

  // MARK: Paying

  private func pay(_ key: String, _ context: StepContext) async throws {
    _ = try await context.once(key) { [world, plan] id in
      world.pay(id, plan)
      return id
    }
    world.trace(line(.recorded, context.step, "", context.visit), in: session)
  }

  private func payAndStumble(_ key: String, _ context: StepContext) async throws {
    do {
      _ = try await context.once(key) { [world, plan] id in
        if world.pay(id, plan) { throw Stumble() }
        return id
      }
    } catch is Stumble {}
  }

  /// Returns whether the work of the attempt has returned. It throws the first time; if hosts crash, each time, because
  /// then the first failure may not have been recorded, until its cause is removed.
  private func attempt(_ number: Int, _ context: StepContext) async throws -> Bool {
    let attempt = try await context.attempt("t\(number)") { [world, plan] id in
      let isFirst = world.pay(id, plan)
      let fails = number % 3 != 0 && !world.isMended("\(plan.name).\(number)")
      if fails, isFirst || world.mayCrash { throw Stumble() }
      return id
    }
    if case .made = attempt { return true } else { return false }
  }

  private func askReplying(_ form: Form, _ context: StepContext) async throws -> Command {
    let reply = try await context.reply(to: form)
    let facts = "\(reply.by?.id ?? "-") \(reply.at.sinceStart) \(reply.revision)"
    world.see(facts, as: "reply to \(reply.question)", in: session)
    if reply.by != Principal.player { world.report("a reply by \(reply.by?.id ?? "-")") }
    return reply.answer
  }

  /// The error that the work of a `once` or an `attempt` throws after it has paid.
  private struct Stumble: Error {}

  // MARK: Waiting

  private func wait(for name: String, _ remainder: Int, _ time: Int?, _ context: StepContext) async throws {
    let signal = Signal<Int>(name)
    let value: Int?
    if let time {
      value = try await context.wait(
        for: signal, matching: { Command.isMeant($0, remainder) }, within: .milliseconds(time))
    } else {
      value = try await context.wait(for: signal, matching: { Command.isMeant($0, remainder) })
    }
    guard let value, !Command.isMeant(value, remainder) else { return }
    world.report("\(plan.name) has received \(value), which does not leave \(remainder) by 3")
  }

  private func first(
    _ form: Form, _ name: String, _ remainder: Int?, _ time: Int?, _ context: StepContext
  ) async throws -> Command? {
    let first = try await context.first(
      of: form, or: Signal<Int>(name), matching: { Command.isMeant($0, remainder) },
      within: time.map { .milliseconds($0) })
    switch first {
    case .answered(let reply)?: return reply.answer
    case .received(let value)?:
      guard !Command.isMeant(value, remainder) else { return nil }
      world.report("\(plan.name) has received \(value), which does not leave \(remainder ?? -1) by 3")
      return nil
    case nil: return nil
    }
  }

  // MARK: Waiting in child tasks

  private func either(
    _ form: Form, _ name: String, _ waitsFirst: Bool, _ context: StepContext
  ) async throws -> Command? {
    try await withThrowingTaskGroup(of: Command?.self) { group in
      group.addTask {
        if waitsFirst { for _ in 0..<20 { await Task.yield() } }
        return try await context.ask(form)
      }
      group.addTask {
        if !waitsFirst { for _ in 0..<20 { await Task.yield() } }
        _ = try await context.wait(for: Signal<Int>(name))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  private func askUpdating(_ form: Form, _ name: String, _ context: StepContext) async throws -> Command? {
    try await withThrowingTaskGroup(of: Command?.self) { group in
      group.addTask { try await context.ask(form) }
      group.addTask {
        var updated = form
        while true {
          _ = try await context.wait(for: Signal<Int>(name))
          updated = updated.updated
          while try await !isUpdated(updated, context) { await Task.yield() }
        }
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Returns false if the question is not open yet.
  private func isUpdated(_ form: Form, _ context: StepContext) async throws -> Bool {
    try Task.checkCancellation()
    do { try await context.update(form) } catch let error as FlowError where error.code == .notActive { return false }
    return true
  }

  private func giveUp(_ name: String, _ context: StepContext) async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = try? await context.wait(for: Signal<Int>(name)) }
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  // MARK: Receiving and compensating

  func receive(_ note: Note) async throws {
    world.trace(line(.received(note.act), StepID(plan.name), ""), in: session)
    switch note.act {
    case .take: break
    case .fail: if !world.isMended("\(plan.name).receive") { throw Trouble("\(plan.name)'s receive") }
    case .hold: try await world.hold()
    }
  }

  func backUp(_ context: RollbackContext) async throws {
    let track = world.track(of: instance) ?? plan.track
    let repair = world.repair
    world.begin(
      line(repair == nil ? .undone(ends: context.reason.ends) : .undoneAgain, context.step, track), in: session)
    defer { world.end(on: track) }
    if world.yields { await Task.yield() }
    if Task.isCancelled, !world.mayCrash {
      world.report("rule 4: the rollback of \(plan.name) runs in a cancelled task")
    }
    let outcome: StepPlan.BackUpOutcome =
      switch repair {
      case .works: .works
      case .failsLate: .failsAfter
      case .failsAgain, nil: plan.backUpOutcome
      }
    if outcome == .failsBefore { throw Trouble("\(plan.name)'s backUp") }
    for key in (0..<40).flatMap({ ["\($0)", "t\($0)"] }) {
      let (id, wasInterrupted): (String, Bool)
      switch await context.record(key, as: String.self) {
      case .none: continue
      case .done(let known): (id, wasInterrupted) = (known, false)
      case .interrupted(let key): (id, wasInterrupted) = (key, true)
      }
      try await context.once("undo \(key)") { [world] _ in world.refund(id, wasInterrupted: wasInterrupted) }
    }
    if outcome == .failsAfter { throw Trouble("\(plan.name)'s backUp") }
  }
}

extension Principal {
  /// The answerer of every question.
  static let player = Principal(id: "player")
}

extension Command {
  fileprivate var isSend: Bool { if case .send = self { true } else { false } }

  /// Whether the command is carried out in child tasks.
  fileprivate var isRace: Bool {
    switch self {
    case .either, .askUpdating, .giveUp: true
    default: false
    }
  }
}

extension LeaveReason {
  /// Whether the whole flow ends for that reason.
  fileprivate var ends: Bool {
    switch self {
    case .abandoned, .cancelled: true
    default: false
    }
  }
}

extension StepPlan {
  /// Returns the step's stack, with the elements of the `ForEach`es around.
  package func track(of elements: [Int]) -> String {
    var rest = elements[...]
    return track.reduce(into: "") { track, character in
      track += character == "*" ? rest.popFirst().map { "\($0)" } ?? "?" : "\(character)"
    }
  }
}
