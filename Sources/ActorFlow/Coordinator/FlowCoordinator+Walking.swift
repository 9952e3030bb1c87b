import Synchronization

// The walk: one step after the other, in one task.
extension FlowCoordinator {
  /// Walks a track from its current position.
  ///
  /// Every waiting flow pays for this frame in memory, so it holds little more than the cursor: a task's memory comes in
  /// slabs of 1 KB, and the frames of a walk and of the code below it take 2 KB less than when the walk did everything
  /// itself.
  ///
  /// - Returns: `over` or `left`.
  nonisolated func walk(on track: TrackID) async -> Leg {
    var cursor = Cursor()
    while true {
      let leg = await reachStep(&cursor, on: track)
      guard leg == .onward, let place = cursor.place else { return leg }
      do {
        let context = StepContext(runtime: self, info: place.visit.info, stay: Stay(place.visit.id, on: track))
        // A second call, for observed steps, would make the frame larger.
        let proceed = proceed(of: place, on: track)
        let output = try await proceed(place.instance, place.input, context)
        if place.node.body.question == nil || !isPersisted {
          cursor.leave(place, making: output)
        } else {
          try await leaveAsker(&cursor, place, making: output, on: track)
        }
      } catch {
        return await failed(error, at: cursor, on: track)
      }
    }
  }

  /// Sets the cursor to the beginning of the walk. Returns false if the track was left.
  @inline(never)
  private nonisolated func begin(_ cursor: inout Cursor, on track: TrackID) async -> Bool {
    let beginning = try? await decideWalking(on: track) { machine, _ in
      machine.beginning(on: track).map { (machine.graph, $0.start, $0.top) }
    }
    guard let (graph, start, top) = beginning else { return false }
    cursor = Cursor(graph, start: start, top: top)
    return true
  }
}

// MARK: - From one step to the next

extension FlowCoordinator {
  /// Ends the step that has returned, and goes on until the next one is entered.
  ///
  /// - Returns: `onward` if the cursor's place is to proceed.
  @inline(never)
  private nonisolated func reachStep(_ cursor: inout Cursor, on track: TrackID) async -> Leg {
    do {
      var arrival: Graph.Arrival?
      if cursor.isAtBeginning {
        guard await begin(&cursor, on: track) else { return .left }
        if cursor.isRare {
          let leg = try await goOn(&cursor, on: track)
          guard leg == .onward else { return leg }
        }
      } else {
        if isUntouched(since: cursor.inputs) {
          arrival = try cursor.graph.advance(from: cursor.address, &cursor.payload)
        }
        if case .step(let next)? = arrival, next.body.isPlain {
          try await move(to: next, &cursor, on: track)
          if cursor.place == nil { return .left }
        } else {
          guard try await stepIsOver(on: track, hasReturned: true) else { return .left }
        }
      }
      while cursor.place == nil {
        let leg = try await reachPlace(arrival.take(), &cursor, on: track)
        guard leg == .onward else { return leg }
      }
      if Task.isCancelled || cancellation.isPending, try await notBegun(cursor.place, on: track) { return .left }
      if replays { await noteWalker(of: track) }
      return .onward
    } catch {
      return await failed(error, at: cursor, on: track)
    }
  }

  /// Runs the instructions up to the next step and enters it, or does what comes instead of a step.
  ///
  /// - Parameter known: The arrival, if the instructions have run already.
  @inline(never)
  private nonisolated func reachPlace(
    _ known: Graph.Arrival?, _ cursor: inout Cursor, on track: TrackID
  ) async throws -> Leg {
    let arrival = try known ?? cursor.graph.advance(from: cursor.address, &cursor.payload)
    if cursor.beginsToWatch() { try await watch(cursor.watched, on: track) }
    guard case .step(let next) = arrival else { return try await arrive(arrival, &cursor, on: track) }
    cursor.node = next
    // Until this step is entered, the previous one has the focus.
    let made = try await next.body.make?()
    if let made, next.body.skip != nil {
      switch try await skipping(next, made, cursor.payload, on: track) {
      case .entered: break
      case .left: return .left
      case .skipped(let output):
        cursor.pass(next, making: output)
        return .onward
      }
    }
    try await enter(next, made, &cursor, on: track)
    return cursor.place == nil ? .left : .onward
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
    on track: TrackID, _ input: @Sendable (inout FlowMachine, any Stopwatch) -> Value
  ) async throws(CommitFailure) -> Value {
    do { return try await decide(on: track, input) } catch {
      throw CommitFailure(error: error)
    }
  }

  /// Enters a step. The cursor's place stays `nil` if the track is being left.
  private nonisolated func enter(
    _ node: Node, _ instance: StepInstance?, _ cursor: inout Cursor, on track: TrackID
  ) async throws {
    let backUp = try node.backUp(for: cursor.payload.value)
    (cursor.place, cursor.inputs) = try await decideWalking(on: track) { [payload = cursor.payload] machine, _ in
      (machine.enter(node, instance: instance, payload: payload, backUp: backUp, on: track), machine.inputs + 1)
    }
  }

  /// Whether the machine has taken no input since this one, and none is about to come: a step that was entered then has
  /// left nothing open, and is not being left. False if inputs are committed, because a lost commit is no input.
  @inline(__always)
  private nonisolated func isUntouched(since number: Int) -> Bool {
    inputs.load(ordering: .relaxed) == number && commit == nil && !cancellation.isPending
  }

  /// Leaves a step that has returned and enters the next one, in one turn. Only for a step that is untouched since it was
  /// entered: then the code between the steps may run, and the next one be made, before the machine hears that the step
  /// has returned. That code does not suspend.
  ///
  /// The cursor's place stays `nil` if the track is being left.
  @inline(never)
  private nonisolated func move(to node: Node, _ cursor: inout Cursor, on track: TrackID) async throws {
    cursor.node = node
    let instance: StepInstance? = if case .synchronous(let make)? = node.body.make { try make() } else { nil }
    let backUp = try node.backUp(for: cursor.payload.value)
    let watches = cursor.beginsToWatch()
    let (move, number) = try await decideWalking(on: track) { [payload = cursor.payload] machine, stopwatch in
      let move = machine.move(
        to: node, instance: instance, payload: payload, backUp: backUp, on: track, watching: watches,
        at: stopwatch.elapsed())
      return (move, machine.inputs + 1)
    }
    switch move {
    case .entered(let place): (cursor.place, cursor.inputs) = (place, number)
    case .left: return
    case .looseEnds:
      // A task that the step did not wait for has come in between.
      guard try await tidyUp(track, afterReturning: true) else { return }
      if watches { try await watch(cursor.watched, on: track) }
      try await enter(node, instance, &cursor, on: track)
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
    guard case .with(let output)? = try await node.body.skip?(made, payload.value, entryContext) else {
      return .entered
    }
    guard try await skipped(node, made, payload, making: output, on: track) else { return .left }
    return .skipped(output)
  }

  private nonisolated func skipped(
    _ node: Node, _ instance: StepInstance, _ payload: Payload, making output: any Sendable, on track: TrackID
  ) async throws -> Bool {
    let backUp = try node.backUp(for: payload.value)
    return try await decideWalking(on: track) { machine, _ in
      machine.skip(node, instance: instance, payload: payload, backUp: backUp, making: output, on: track)
    }
  }

  /// Whether the track is walking, and not being left.
  func goesOn(_ track: TrackID) -> Bool { withState { $0.machine.phase(of: track) == .walking } }

  /// Handles a leave that was accepted after the place was entered. Returns false if there is none: call `proceed`
  /// then.
  @inline(never)
  nonisolated func notBegun(_ place: Place?, on track: TrackID) async throws -> Bool {
    guard let visit = place?.visit.id else { return true }
    return try await decideWalking(on: track) { machine, _ in
      machine.notBegun(visit, on: track)
    }
  }

  @inline(never)
  private nonisolated func failed(_ error: any Error, at cursor: Cursor, on track: TrackID) async -> Leg {
    await failed(cursor.blamed, at: cursor.address, error, cursor.payload.scopes, on: track)
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
  @inline(never)
  private nonisolated func stepIsOver(on track: TrackID, hasReturned: Bool) async throws(CommitFailure) -> Bool {
    // The step returned although a commit was lost, so a later failure is not due to that loss.
    if hasReturned, isPersisted { _ = await takeLoss(on: track) }
    let ended = try await decideWalking(on: track) { machine, _ in machine.stepIsOver(on: track) }
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

  private func looseEnds(on track: TrackID) -> (question: Int?, waits: [Int]) {
    withState { ($0.machine.asking(on: track)?.question.id.number, $0.machine.openWaits(on: track)) }
  }

  private func isReopening(on track: TrackID) -> Bool { withState { $0.machine.reopening(on: track) != nil } }
}
