// The walk: one step after the other, in one task.
extension FlowCoordinator {
  /// Walks a track from its current position.
  ///
  /// This function is long on purpose: each async call per step costs as much as the rest of the transition. Every
  /// waiting flow pays for this frame in memory. So a place holds what its step needs, the frame holds little more than the
  /// place, and rare paths are kept out of it (`@inline(never)`).
  ///
  /// - Returns: `over` or `left`.
  nonisolated func walk(on track: TrackID) async -> Leg {
    guard var cursor = await beginning(on: track) else { return .left }
    do {
      if cursor.isRare {
        let leg = try await begin(&cursor, on: track)
        guard leg == .onward else { return leg }
      }
      while true {
        if cursor.place == nil {
          let arrival = try cursor.graph.advance(from: cursor.address, &cursor.payload)
          if cursor.isUnwatched || cursor.payload.scopes !== cursor.watched {
            (cursor.watched, cursor.isUnwatched) = (cursor.payload.scopes, false)
            try await watch(cursor.watched, on: track)
          }
          guard case .step(let next) = arrival else {
            let leg = try await arrive(arrival, &cursor, on: track)
            guard leg == .onward else { return leg }
            continue
          }
          cursor.node = next
          // Until this step is entered, the previous one has the focus.
          let made = try await next.body.make?()
          if let made, next.body.skip != nil {
            switch try await skipping(next, made, cursor.payload, on: track) {
            case .entered: break
            case .left: return .left
            case .skipped(let output):
              cursor.pass(next, making: output)
              continue
            }
          }
          cursor.place = try await enter(next, made, cursor.payload, on: track)
        }
        guard let entered = cursor.place else { return .left }
        if Task.isCancelled || cancellation.isPending, try await notBegun(entered, on: track) { return .left }
        let context = StepContext(
          runtime: self, info: entered.visit.info, stay: Stay(entered.visit.id, on: track))
        if replays { await noteWalker(of: track) }
        let output = try await entered.node.body.proceed(entered.instance, entered.input, context)
        cursor.leave(entered, making: output)
        guard try await stepIsOver(on: track, hasReturned: true) else { return .left }
      }
    } catch {
      return await failed(cursor.blamed, at: cursor.address, error, cursor.payload.scopes, on: track)
    }
  }

  /// Returns the cursor of a walk that begins; `nil` if the track was left. Not a parameter of the walk, because the
  /// caller's frame would keep the place and its step alive during the whole walk.
  @inline(never)
  private nonisolated func beginning(on track: TrackID) async -> Cursor? {
    let beginning = try? await decideWalking(on: track, isCommitted: false) { machine, _ in
      if let beginning = machine.beginning(on: track) {
        return Cursor(machine.graph, start: beginning.start, top: beginning.top) as Cursor?
      }
      machine.leftBeforeBeginning(on: track)
      return nil
    }
    return beginning ?? nil
  }
}

// MARK: - The walk's inputs

/// An error of the commit hook for an input of the walk. It is no step's error, so no scope handles it.
struct CommitFailure: Error {
  let error: any Error
}

extension FlowCoordinator {
  /// Gives the machine an input that it never refuses, so any error comes from the commit hook.
  nonisolated func decideWalking<Value: Sendable>(
    on track: TrackID, isCommitted: Bool = true, _ input: @Sendable (inout FlowMachine, Stopwatch) -> Value
  ) async throws(CommitFailure) -> Value {
    do { return try await decide(on: track, isCommitted: isCommitted, input) } catch {
      throw CommitFailure(error: error)
    }
  }

  @inline(never)
  private nonisolated func enter(
    _ node: Node, _ instance: StepInstance?, _ payload: Payload, on track: TrackID
  ) async throws -> Place? {
    try await decideWalking(on: track) { machine, _ in
      machine.enter(node, instance: instance, payload: payload, on: track)
    }
  }

  private enum Skipping {
    case entered, left
    /// The output that goes to the next step.
    case skipped(any Sendable)
  }

  /// Asks a new step whether to skip it, and skips it if so.
  @inline(never)
  private nonisolated func skipping(
    _ node: Node, _ made: StepInstance, _ payload: Payload, on track: TrackID
  ) async throws -> Skipping {
    // The track was left while the step was made, so no other code of a step may run.
    guard await goesOn(track) else { return .left }
    guard case .with(let output)? = try await node.body.skip?(made, payload.value) else { return .entered }
    guard try await skipped(node, made, payload, making: output, on: track) else { return .left }
    return .skipped(output)
  }

  private nonisolated func skipped(
    _ node: Node, _ instance: StepInstance, _ payload: Payload, making output: any Sendable, on track: TrackID
  ) async throws -> Bool {
    try await decideWalking(on: track) { machine, _ in
      machine.skip(node, instance: instance, payload: payload, making: output, on: track)
    }
  }

  /// Whether the track is walking, and not being left.
  func goesOn(_ track: TrackID) -> Bool { machine.look(at: track) { $0.phase == .walking } }

  /// Handles a leave that was accepted after the place was entered. Returns false if there is none: call `proceed`
  /// then.
  @inline(never)
  private nonisolated func notBegun(_ place: Place, on track: TrackID) async throws -> Bool {
    let visit = place.visit.id
    return try await decideWalking(on: track, isCommitted: false) { machine, _ in
      machine.notBegun(visit, on: track)
    }
  }

  /// Handles an error of a step, its factory, its `skip`, or a closure between two steps.
  ///
  /// - Returns: `over` if the track goes on. `left` if the track is being left, so that the error means nothing, if the
  ///   flow is suspended, or if the commit hook threw, so that the run stops.
  @inline(never)
  nonisolated func failed(
    _ node: Node?, at address: Int = 0, _ error: any Error, _ scopes: ScopeFrame?, on track: TrackID
  ) async -> Leg {
    var lost = (error as? CommitFailure)?.error
    if lost == nil, isPersisted { lost = await takeLoss(on: track) }
    if let lost {
      await halt(lost)
      return .left
    }
    let relayed = error as? Relayed
    let error = relayed?.error ?? error
    do {
      guard try await stepIsOver(on: track, hasReturned: false) else { return .left }
      let goesOn = try await decideWalking(on: track) { machine, stopwatch in
        let step = relayed?.step ?? machine.path(of: node, orAt: address, on: track)
        let since = scopes == nil && track == .main ? .zero : stopwatch.elapsed()
        return machine.fail(step, error, orAt: address, under: scopes, on: track, since: since)
      }
      return goesOn ? .over : .left
    } catch {
      await halt(error.error)
      return .left
    }
  }
}

// MARK: - After a step

extension FlowCoordinator {
  /// Returns the error that kept an input of the ended step from being committed. A durable flow then stops, and goes
  /// on later from its last commit. Otherwise the step would fail because the store was unavailable for a moment.
  func takeLoss(on track: TrackID) -> (any Error)? { with(track) { $0.loss.take() } }

  /// Ends a step that has returned or thrown. Tasks that the step did not wait for may have left something behind: an
  /// open question is withdrawn, and a `once` under way is awaited.
  ///
  /// - Parameter hasReturned: Whether the step has returned. If it threw, another attempt may ask again for what was
  ///   open when the flow was passivated.
  /// - Returns: False if the track is being left.
  private nonisolated func stepIsOver(on track: TrackID, hasReturned: Bool) async throws(CommitFailure) -> Bool {
    // The step returned although a commit was lost, so a later failure is not due to that loss.
    if hasReturned, isPersisted { _ = await takeLoss(on: track) }
    let ended = try await decideWalking(on: track, isCommitted: false) { machine, _ in machine.stepIsOver(on: track) }
    switch ended {
    case .onward: return true
    case .left: return false
    case .looseEnds: return try await tidyUp(track, afterReturning: hasReturned)
    }
  }

  @inline(never)
  private nonisolated func tidyUp(
    _ track: TrackID, afterReturning hasReturned: Bool
  ) async throws(CommitFailure) -> Bool {
    let (question, waits) = await looseEnds(on: track)
    if let question {
      try await decideWalking(on: track) { machine, _ in machine.withdraw(question, on: track) }
    }
    for wait in waits { await stopWaiting(wait, on: track) }
    if hasReturned { try await closeReopening(on: track) }
    await waitForRunningWork(on: track)
    return await goesOn(track)  // the track may have been left meanwhile
  }

  /// Closes what was open when the flow was passivated and was not asked for again.
  private nonisolated func closeReopening(on track: TrackID) async throws(CommitFailure) {
    while await isReopening(on: track) {
      guard try await decideWalking(on: track, { machine, _ in machine.closeReopening(on: track) }) else { return }
    }
  }

  private func looseEnds(on track: TrackID) -> (question: Question.ID?, waits: [Int]) {
    (machine[track].asking?.question.id, machine.openWaits(on: track))
  }

  private func isReopening(on track: TrackID) -> Bool { machine.look(at: track) { $0.reopening != nil } }
}
