import ActorFlow
import ActorFlowHosting

// An operator's edits: of an input, of the latest answer, of what a step has recorded, or of the stack itself.
extension HostGame {
  /// Changes something that is stored of the flow. Returns the change in words.
  mutating func edit() async throws -> String {
    arm()
    let change: String? =
      switch editing?.below(6) ?? 0 {
      case 0, 1: try await editInput()
      case 2, 3: try await editAnswer()
      case 4: try await editRecord()
      default: try await forget()
      }
    if let change { return change }
    return try await editNothing()
  }

  mutating func editNothing() async throws -> String {
    try await check(.editNothing, "edit", "ok") { host, key in
      try await host.flow(HostArena.id).edit([.custom { _ in }], reason: "outside", by: .player, key: key)
    }
    return "edit"
  }

  /// Whether a step has one name in all versions that the flow may be stored in.
  private func hasOneName(_ step: String) -> Bool {
    if case .first = arena.world.release { return true }
    return !arena.world.renamed.contains(step)
  }

  private mutating func editInput() async throws -> String? {
    let steps = model.editableSteps.map(\.name).filter {
      hasOneName($0) && model.program.takesValue($0) && !model.mayRunAgain($0)
    }
    guard !steps.isEmpty else { return nil }
    let step = steps[editing?.below(steps.count) ?? 0]
    // An odd one would make a policy that looks at the input another one, and only the entering asks for that.
    let more = 2 * (editing?.below(5) ?? 0)
    let change: @Sendable (Value) -> Value = { $0.with($0.number + more, adding: "e") }
    let text = "edit the input of \(step) by \(more)"
    try await check(.editInput, text, "ok") { host, key in
      try await host.flow(HostArena.id).edit(
        [.input(of: StepID(step), change)], reason: text, by: .player, key: key)
    }
    model.changeInput(of: step, by: change)
    return text
  }

  private mutating func editAnswer() async throws -> String? {
    guard let (step, number, old) = model.editableAnswer, hasOneName(step) else { return nil }
    let made = editing?.below(6) ?? 0
    let new = editing?.pick([(3, .ask), (3, .now), (3, .pay), (2, .go(made)), (1, .fail)]) ?? Command.ask
    let text = "edit answer \(number) of \(step), \(old), to \(new)"
    let key = "\(arena.world.audits ? "AuditedForm" : "Form") #\(number)"
    let found = Lock(false)
    try await check(.editAnswer, text, "ok") { host, idempotencyKey in
      let move = Move.answer(of: StepID(step), key: key) { (stored: Command) in
        if stored != old { throw Violation("\(key) is \(stored)") }
        found.withLock { $0 = true }
        return new
      }
      try await host.flow(HostArena.id).edit([move], reason: text, by: .player, key: idempotencyKey)
    }
    try expect(found.withLock { $0 }, "\(text): the flow has no such answer")
    model.changeAnswer(to: new)
    return text
  }

  /// Moves a payment to another id, under which the step's `backUp` has to refund it.
  private mutating func editRecord() async throws -> String? {
    let steps = model.editableSteps.map(\.name).filter { hasOneName($0) && !model.paymentKeys(of: $0).isEmpty }
    guard !steps.isEmpty else { return nil }
    let step = steps[editing?.below(steps.count) ?? 0]
    let keys = model.paymentKeys(of: step)
    let key = keys[editing?.below(keys.count) ?? 0]
    let text = "edit record \(key) of \(step)"
    let moved = Lock<Set<String>>([])
    try await check(.editRecord, text, "ok") { host, idempotencyKey in
      let move = Move.record(of: StepID(step), key: key) { (id: String) in
        moved.withLock { _ = $0.insert(id) }
        return World.movedID(of: id)
      }
      try await host.flow(HostArena.id).edit([move], reason: text, by: .player, key: idempotencyKey)
    }
    arena.world.move(moved.withLock { $0 }.sorted())
    return text
  }

  /// Takes a completed step from the flow, whose `backUp` is not called any more. The edit has to name it.
  private mutating func forget() async throws -> String? {
    let steps = model.forgettableSteps.filter(hasOneName)
    guard !steps.isEmpty else { return nil }
    let step = steps[editing?.below(steps.count) ?? 0]
    let text = "forget \(step)"
    try await check(.forget, text, "compensationOwed") { host, key in
      try await host.flow(HostArena.id).edit([.forget(StepID(step))], reason: text, by: .player, key: key)
    }
    try await check(.forget, text, "ok") { host, key in
      try await host.flow(HostArena.id).edit(
        [.forget(StepID(step))], forgetting: [StepID(step)], reason: text, by: .player, key: key)
    }
    model.forget(step)
    arena.world.forget(step)
    return text
  }
}
