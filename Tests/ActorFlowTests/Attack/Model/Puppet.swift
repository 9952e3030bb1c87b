import ActorFlow

/// The driver's command to a stopped puppet.
enum Command: Sendable, Hashable {
  /// Continue; for a factory, a `skip`, a `backUp` or an effect.
  case go
  case ask
  case once(String, Effect)
  case proceed(output: String)
  case fail
  /// Throws a CancellationError although nothing was cancelled.
  case pretendCancelled
  case backUp
  case abandon
}

/// The work of a `once`.
enum Effect: Sendable, Hashable {
  case works(isGated: Bool)
  /// Throws, without an effect in the world.
  case failsBefore
  /// Throws, although the effect has happened.
  case failsAfter
}

/// The body of a step: it carries out the driver's commands, one after the other, and traces them on the stage.
struct Puppet: Sendable {
  let index: Int
  let plan: Plan.Step
  let stage: Stage
  /// The number of the step's instance, counted over all steps; 0 for a step that has no instance.
  var instance = 0

  static let effectKeys = ["x", "y"]

  /// The factory.
  func made() async throws -> Puppet {
    stage.enter()
    defer { stage.leave() }
    stage.trace(.make(index))
    try await perform(plan.make, at: .make(index))
    var puppet = self
    puppet.instance = stage.newInstance()
    return puppet
  }

  func skip(_ input: String, context: EntryContext) async throws -> Skip<String> {
    stage.enter()
    defer { stage.leave() }
    stage.trace(.skip(index, input))
    try await perform(plan.skip, at: .skip(index))
    return plan.skips ? .with(input + "~") : .enter
  }

  private func perform(_ chore: Plan.Chore, at spot: Stage.Spot) async throws {
    if chore.isGated { _ = try await stage.stop(at: spot, isDeaf: chore.isDeaf) }
    if chore.fails { throw Boom() }
  }

  func proceed(_ input: String, _ context: StepContext) async throws -> String {
    stage.enter()
    defer { stage.leave() }
    stage.trace(.proceed(index, instance, input))
    stage.keep(context)
    while true {
      do {
        switch try await stage.stop(at: .proceed(index), isDeaf: plan.isDeaf) {
        case .go: break
        case .ask: stage.trace(.got(try await ask(context)))
        case .once(let key, let effect): stage.trace(.got(stage.name(of: try await once(key, effect, context))))
        case .proceed(let output): return output
        case .fail: throw Boom()
        case .pretendCancelled: throw Pretence()
        case .backUp: try await context.backUp()
        case .abandon: try await context.abandon("inside")
        }
      } catch is Boom {
        throw Boom()
      } catch is Pretence {
        throw CancellationError()
      } catch let error as EffectFailed {
        stage.trace(.refused("\(error)"))
      } catch {
        if Task.isCancelled, !plan.isDeaf { throw error }
        stage.trace(.refused(word(for: error)))
      }
    }
  }

  private struct Pretence: Error {}

  /// Asks in a task of its own, so that the driver can make it give up.
  private func ask(_ context: StepContext) async throws -> String {
    let asking = Task { try await context.ask(Form(text: "\(index)")) }
    stage.keep(asking)
    defer { stage.keep(nil) }
    return try await withTaskCancellationHandler {
      try await asking.value
    } onCancel: {
      asking.cancel()
    }
  }

  private func once(_ key: String, _ effect: Effect, _ context: StepContext) async throws -> String {
    try await context.once(key) { [stage] id in
      stage.trace(.effect(key, stage.name(of: id)))
      switch effect {
      case .works(let isGated):
        if isGated { _ = try await stage.stop(at: .effect, isDeaf: true) }
        stage.happened(id)
        return id
      case .failsBefore: throw EffectFailed()
      case .failsAfter:
        stage.happened(id)
        throw EffectFailed()
      }
    }
  }

  /// Compensates, through `once`, the effects that have or may have happened according to the records.
  func backUp(_ context: RollbackContext) async throws {
    stage.enter()
    defer { stage.leave() }
    stage.trace(.backUp(index, instance, context.reason.word))
    if plan.isBackUpGated { _ = try await stage.stop(at: .backUp(index), isDeaf: true) }
    if Task.isCancelled { stage.report("the rollback of step \(index) runs in a cancelled task") }
    if plan.backUp == .failsBefore { throw Boom() }
    for key in Self.effectKeys {
      let id: String
      switch await context.record(key, as: String.self) {
      case .none: continue
      case .done(let known): id = known
      case .interrupted(let key): id = key
      }
      try await context.once("undo \(key)") { [stage] _ in
        stage.trace(.undo(stage.name(of: id)))
        stage.undone(id)
      }
    }
    if plan.backUp == .failsAfter { throw Boom() }
  }
}

/// The error that the work of a `once` throws.
struct EffectFailed: Error {}

actor PuppetStep: FlowStep {
  private let puppet: Puppet
  init(_ puppet: Puppet) {
    self.puppet = puppet
    puppet.stage.watch(self)
  }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await puppet.proceed(input, context)
  }
  func backUp(context: RollbackContext) async throws { try await puppet.backUp(context) }
}

actor SkippablePuppetStep: SkippableStep {
  private let puppet: Puppet
  init(_ puppet: Puppet) {
    self.puppet = puppet
    puppet.stage.watch(self)
  }
  func skip(_ input: String, context: EntryContext) async throws -> Skip<String> {
    try await puppet.skip(input, context: context)
  }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await puppet.proceed(input, context)
  }
  func backUp(context: RollbackContext) async throws { try await puppet.backUp(context) }
}

/// An error as a word: the code of a `FlowError`, else its type.
func word(for error: any Error) -> String {
  if let error = error as? FlowError { return "\(error.code)" }
  return "\(type(of: error))"
}
