/// The step behind a ``RenderedStep``: holds the tree, runs the effects, and takes the actions.
///
/// An action is applied in its sender's task, on this actor. Meanwhile `proceed` waits and starts effects, because
/// these must inherit the task-local values of the flow's task. Actions queue: the next one is handled when the one
/// before is published.
actor RenderRunner<Root: RenderedStep, Input: Sendable>: FlowStep {
  private let make: @Sendable (Input) throws -> Root
  var tree: RenderTree<Root>?
  var stage: Stage?
  var effects = EffectLedger()
  var tasks: [Int: Task<Void, Never>] = [:]
  /// The tasks of effects that have just ended.
  var ended: [Task<Void, Never>] = []
  var turns = ActionTurns()

  /// The state of a visit, from its first rendering until it takes no more actions.
  final class Stage {
    let runtime: any StepRuntime
    let stay: Stay
    let port: SinkPort
    /// The cell in which `proceed` waits.
    let cell: OneShot
    /// The codec for persisting the states; `nil` if the flow is not durable.
    let codec: (any ValueCodec)?
    /// The question that shows the renderings, once it is open, and its revision.
    var question: Question.ID?
    var revision = 1
    /// Whether the runtime was told that effects are about to start.
    var saysDue = false

    init(_ runtime: any StepRuntime, _ stay: Stay, _ port: SinkPort, _ cell: OneShot, _ codec: (any ValueCodec)?) {
      (self.runtime, self.stay, self.port, self.cell, self.codec) = (runtime, stay, port, cell, codec)
    }
  }

  init(_ make: @escaping @Sendable (Input) throws -> Root) {
    self.make = make
  }

  func proceed(_ input: Input, context: StepContext) async throws -> Root.Output {
    let (runtime, cell) = (try context.inFlow(), OneShot())
    let kept = try await runtime.persistedRendering(at: context.stay)
    if let output = kept?.output {
      // The output was made before the step was recreated: only its question is left to close.
      await runtime.hide(at: context.stay, cause: nil)
      return try StepBody.cast(output, to: Root.Output.self)
    }
    try await open(input, Stage(runtime, context.stay, SinkPort(self), cell, kept?.codec), kept)
    do {
      let output = try await attend(cell, runtime)
      await close()
      return try StepBody.cast(output, to: Root.Output.self)
    } catch {
      await close()
      throw error
    }
  }

  /// Does nothing: put work that needs compensation into a step of its own.
  func backUp(context: RollbackContext) {}

  /// Shows the first rendering of a visit.
  private func open(_ input: Input, _ stage: Stage, _ kept: PersistedRendering?) async throws {
    if !turns.begin() { await waitForTurn() }
    defer { endTurn() }
    let rendering = try firstRendering(of: input, stage, kept)
    await tellDue()
    do {
      let question = try await stage.runtime.show(rendering, tree?.persisted(stage.codec), to: self, at: stage.stay)
      (stage.question, stage.revision) = (question.id, question.revision)
    } catch {
      effects = EffectLedger()
      await endStage()
      throw error
    }
  }

  /// Kept out of `open`, whose frame would have room for all of this in every flow that shows a rendering.
  @inline(never)
  private func firstRendering(of input: Input, _ stage: Stage, _ kept: PersistedRendering?) throws -> any Prompt {
    let step = try make(input)
    let tree = try tree ?? RenderTree(step, kept: kept, port: stage.port)
    if self.tree != nil { tree.enter(step, port: stage.port) }
    self.tree = tree
    var changes = EffectChanges()
    let rendering = try tree.render(&changes)
    _ = effects.apply(changes)
    self.stage = stage
    return rendering
  }

  /// Waits for the output, and starts effects meanwhile.
  private func attend(_ cell: OneShot, _ runtime: any StepRuntime) async throws -> any Sendable {
    while true {
      await startEffects(runtime)
      let value = try await cell.value()
      guard value is OneShot.Nudge else { return value }
    }
  }

  /// Ends the visit: takes no more actions, and waits until every effect has ended.
  private func close() async {
    await endStage()
    effects = EffectLedger()
    for task in tasks.values { task.cancel() }
    while let (id, task) = tasks.first {
      await task.value
      tasks.removeValue(forKey: id)
    }
    for task in ended { await task.value }
    ended = []
  }

  /// Tells the runtime of a durable flow whether effects are about to start.
  func tellDue() async {
    let isDue = effects.hasDue
    guard let stage, stage.codec != nil, stage.saysDue != isDue else { return }
    stage.saysDue = isDue
    await stage.runtime.countEffects(isDue ? 1 : -1)
  }

  func endStage() async {
    let ended = stage
    ended?.port.close()
    stage = nil
    endClaims()
    guard let ended, ended.saysDue else { return }
    ended.saysDue = false
    await ended.runtime.countEffects(-1)
  }
}
