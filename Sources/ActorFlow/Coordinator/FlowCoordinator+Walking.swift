// The walk: one step after the other, in one task.
extension FlowCoordinator {
  /// Walks from where the track stands.
  ///
  /// One long function on purpose: each async function called for a step costs as much as the rest of the transition.
  /// And whatever has room in its frame is paid for in memory by every flow that waits. So a place holds what its step
  /// needs, here is little more than the place, and what is rare is kept out (`@inline(never)`).
  ///
  /// - Returns: How it ended: `over` or `left`.
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
          // Until this step is entered, the one before has the focus.
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
        guard try await stepReturned(on: track) else { return .left }
      }
    } catch {
      return await failed(cursor.blamed, at: cursor.address, error, cursor.payload.scopes, on: track)
    }
  }

  /// Not handed in by the caller, who would keep the place, and so its step, for as long as the walk goes on.
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

/// What a commit hook threw at an input of the walk's own: not a step's error, and nobody else's to handle.
struct CommitFailure: Error {
  let error: any Error
}

extension FlowCoordinator {
  /// Gives the machine an input that it does not refuse, so that an error is the commit hook's.
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
    /// What goes on to the next step.
    case skipped(any Sendable)
  }

  /// Asks a step that was made whether to skip, and skips it.
  @inline(never)
  private nonisolated func skipping(
    _ node: Node, _ made: StepInstance, _ payload: Payload, on track: TrackID
  ) async throws -> Skipping {
    // Left while it was made: no other code of a step's is to run.
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

  /// Whether nobody has asked to leave.
  func goesOn(_ track: TrackID) -> Bool { machine.look(at: track) { $0.phase == .walking } }

  /// The flow may be left since the place was entered. False: it is not, and its `proceed` is to be called.
  @inline(never)
  private nonisolated func notBegun(_ place: Place, on track: TrackID) async throws -> Bool {
    let visit = place.visit.id
    return try await decideWalking(on: track, isCommitted: false) { machine, _ in
      machine.notBegun(visit, on: track)
    }
  }

  /// A step, its factory, its `skip`, or a closure between two steps threw.
  ///
  /// - Returns: `left` if the track is being left, so that the error means nothing; also if the commit hook threw, and the
  ///   run stops.
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
  /// What kept an input of the step's that has ended from being committed. A flow that is kept stops then, and goes on
  /// later from its last commit, where it would else hold against a step that its store was away for a moment.
  func takeLoss(on track: TrackID) -> (any Error)? { with(track) { $0.loss.take() } }

  /// The step has returned. If it has left nothing open, that is all.
  ///
  /// - Returns: False if the track is being left.
  private nonisolated func stepReturned(on track: TrackID) async throws(CommitFailure) -> Bool {
    try await stepIsOver(on: track, hasReturned: true)
  }

  /// The step has returned or thrown. What it has left behind, by tasks of its own that it did not wait for, is ended: an
  /// open question is withdrawn, and a `once` that is under way is waited for.
  ///
  /// - Parameter hasReturned: Whether the step has returned. One that threw may come for what it had open when the flow
  ///   was passivated, in another attempt.
  /// - Returns: False if the track is being left.
  private nonisolated func stepIsOver(on track: TrackID, hasReturned: Bool) async throws(CommitFailure) -> Bool {
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
    return await goesOn(track)  // it may have been left while it waited
  }

  /// Closes what was open when the flow was put away, and was not come for again.
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
