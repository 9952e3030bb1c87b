// Actions: each one is applied, rendered and published before the next one is handled.
extension RenderRunner: ActionReceiver, ActionStation {
  func receive(
    _ action: any Sendable, to question: Question, attempt: ActionAttempt, cause: (any CommitCause)?
  ) async -> ActionOutcome {
    if !turns.begin(attempt.claim) { await waitForTurn(attempt.claim) }
    defer { endTurn() }
    // Another visit or attempt shows its renderings with another question.
    guard let stage, let tree, stage.question == question.id else { return .closed }
    guard stage.revision == question.revision else { return .changed(turns.overtake(attempt)) }
    defer { giveUp(attempt) }
    do { try await stage.runtime.refuseLate(question.id) } catch { return .refused(error) }
    guard self.stage === stage else { return .closed }  // the visit has ended meanwhile
    guard let action = action as? Root.Action else { return .closed }  // never: the type was checked before
    let saved = stage.runtime.isCommitting ? Saved(tree, effects) : nil
    let hasChanged = tree.apply(action)
    return await finish(hasChanged, .answer(by: attempt.answerer), saved, cause)
  }

  func giveUp(_ attempt: ActionAttempt) {
    if let claim = attempt.claim { endClaims(claim) }
  }

  func deliver(_ action: any Sendable, to node: Int, from effect: Int?, through port: SinkPort) async -> Bool {
    if !turns.begin(nil) { await waitForTurn(nil) }
    defer { endTurn() }
    guard let stage, let tree, stage.port === port else { return false }
    guard let hasChanged = tree.take(action, to: node, from: effect) else { return false }
    guard case .applied = await finish(hasChanged, .effect, nil, nil) else { return false }
    return true
  }

  /// The state to restore when an answer cannot be committed.
  private struct Saved {
    let restoreTree: () -> Void
    let effects: EffectLedger

    init(_ tree: RenderTree<Root>, _ effects: EffectLedger) {
      (restoreTree, self.effects) = (tree.save(), effects)
    }
  }

  /// Renders, publishes or acknowledges the result of an applied action, and ends the visit if there is an output.
  private func finish(
    _ hasChanged: Bool, _ origin: ActionOrigin, _ saved: consuming Saved?, _ cause: (any CommitCause)?
  ) async -> ActionOutcome {
    guard let tree, let stage else { return .closed }
    do {
      if hasChanged {
        var ended: [Int] = []
        let rendering = try render(tree, ending: &ended)
        await tellDue()
        if !stage.runtime.isCommitting { cancel(ended) }
        do {
          try await stage.runtime.rerender(
            rendering, try tree.persisted(stage.codec), at: stage.stay, origin: origin, cause: cause)
        } catch {
          return try refuse(saved, because: error, on: stage)
        }
        cancel(ended)
        stage.revision += 1
      } else if origin.isAnswer || tree.hasOutput {
        let persisted = tree.hasOutput ? try tree.persisted(stage.codec) : nil
        do {
          try await stage.runtime.acknowledge(persisted, at: stage.stay, origin: origin, cause: cause)
        } catch {
          return try refuse(saved, because: error, on: stage)
        }
      }
    } catch let error as CancellationError {
      // The visit is being left, and `proceed` is about to be cancelled.
      await endStage()
      stage.cell.fulfil(.failure(error))
      return .closed
    } catch {
      await fail(error)
      return .failed(error)
    }
    guard self.stage === stage else { return .applied }  // the visit has ended while this was published
    if let output = tree.output {
      await endStage()
      await stage.runtime.hide(at: stage.stay, cause: cause)
      stage.cell.fulfil(.success(output))
    } else if effects.hasDue {
      stage.cell.nudge(0)
    }
    return .applied
  }

  /// Restores the state before an answer that could not be committed.
  ///
  /// - Throws: The error, if the action was not an answer or the step has been left.
  private func refuse(_ saved: Saved?, because error: any Error, on stage: Stage) throws -> ActionOutcome {
    guard let saved, !(error is CancellationError), self.stage === stage else { throw error }
    saved.restoreTree()
    effects = saved.effects
    return .refused(error)
  }

  /// Returns the current rendering.
  ///
  /// - Parameter ended: The effects that the rendering no longer requests.
  private func render(_ tree: RenderTree<Root>, ending ended: inout [Int]) throws -> Root.Rendering {
    var changes = EffectChanges()
    let rendering = try tree.render(&changes)
    if !changes.isEmpty { ended = effects.apply(changes) }
    return rendering
  }

  private func cancel(_ ended: [Int]) {
    for effect in ended { tasks[effect]?.cancel() }
  }

  /// Fails the step and closes its question. That is no part of the request that brought the action: the answer is
  /// refused, on a host as in memory, and the next attempt begins with the state before it.
  func fail(_ error: any Error) async {
    guard let stage else { return }
    await endStage()
    await stage.runtime.hide(at: stage.stay, cause: nil)
    stage.cell.fulfil(.failure(error))
  }
}
