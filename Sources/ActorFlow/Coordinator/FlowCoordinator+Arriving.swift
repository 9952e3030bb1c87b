// The walk where no ordinary step comes next, and its beginning if that is not the step on top.
extension FlowCoordinator {
  /// Does what is due before the first step: pauses, recovers, hands an update over, reopens a fork. Then the walk goes
  /// on like any other.
  @inline(never)
  nonisolated func goOn(_ cursor: inout Cursor, on track: TrackID) async throws -> Leg {
    if let start = cursor.start, start.pause > .zero { guard await pause(start.pause, on: track) else { return .left } }
    guard try await askGuards(again: &cursor, on: track) else {
      _ = try await notBegun(cursor.place, on: track)
      return .left
    }
    // Armed only now, because a pause is not part of the attempt that follows it.
    if cursor.place != nil, cursor.payload.scopes != nil {
      cursor.watched = cursor.payload.scopes
      try await watch(cursor.watched, on: track)
    }
    if cursor.lacksInstance { guard try await remake(&cursor, on: track) else { return .left } }
    if let start = cursor.start {
      cursor.start = nil
      switch start.kind {
      case .at, .anew: break
      case .top: guard try await beginAttempt(at: cursor.place, start.handover, on: track) else { return .left }
      case .failure(let step, let error, let scopes):
        cursor.payload = cursor.payload.within(scopes)
        throw Relayed(step: step, error: error)
      case .recovery(let step, let frame, let error):
        guard try await recover(step, frame, error, &cursor, on: track) else { return .left }
      }
    }
    guard let place = cursor.place, let plan = place.node.fork else { return .onward }
    cursor.place = nil
    cursor.payload = place.payload
    return try await run(place.node, plan, isEntered: true, &cursor, on: track)
  }

  /// Asks the guards around the beginning of a walk, each about those whom it has admitted. Guards around the track were
  /// asked on the track around it.
  ///
  /// - Returns: False if the flow is being left.
  private nonisolated func askGuards(again cursor: inout Cursor, on track: TrackID) async throws -> Bool {
    guard let scopes = cursor.payload.scopes else { return true }
    switch cursor.start?.kind {
    case .failure?, .recovery?: return true
    case .at?, .top?, .anew?, nil: break
    }
    for frame in scopes.guards(below: await outerScopes(of: track)) {
      guard await goesOn(track) else { return false }
      do {
        let admitted = try await frame.admitting(participants, to: id)
        // A run that starts inside the component has not asked before. The frames of a place never change, also not those
        // of the place on which its step is entered anew.
        if admitted !== frame, cursor.place == nil, !cursor.isAnew {
          cursor.payload = cursor.payload.within(cursor.payload.scopes?.replacing(frame, with: admitted))
        }
      } catch {
        if cursor.place != nil {
          try await decideWalking(on: track) { machine, _ in machine.notMade(on: track) }
        }
        throw error
      }
    }
    return await goesOn(track)
  }

  private func outerScopes(of track: TrackID) -> ScopeFrame? {
    track == .main ? nil : withState { $0.machine.look(at: track) { $0.outerScopes } }
  }

  /// The principals that have taken part in the run up to now.
  private var participants: Participants { withState { $0.machine.participants ?? Participants() } }

  /// The circumstances in which a step is reached now.
  var entryContext: EntryContext { EntryContext(flow: id, participants: participants) }

  /// Makes a new step for a place that was read back. Returns false if the flow is being left.
  private nonisolated func remake(_ cursor: inout Cursor, on track: TrackID) async throws -> Bool {
    let instance: StepInstance?
    do { instance = try await cursor.place?.node.body.make?() } catch {
      try await decideWalking(on: track) { machine, _ in
        machine.notMade(on: track)
      }
      throw error
    }
    cursor.place = try await decideWalking(on: track) { machine, _ in
      machine.reloaded(instance, on: track)
    }
    return cursor.place != nil
  }

  /// Hands the update that a visit began with to the new step of that visit.
  private nonisolated func receiveAgain(_ place: Place?, on track: TrackID) async throws {
    guard let handover = await handover(on: track), let instance = place?.instance else { return }
    try await handover.receiver.receive(instance, handover.update)
  }

  /// Begins with the step on top, and hands an update over to it first. Returns false if the flow is being left.
  private nonisolated func beginAttempt(at place: Place?, _ handover: Handover?, on track: TrackID) async throws -> Bool
  {
    let begins = try await decideWalking(on: track) { machine, _ in machine.beginAttempt(on: track) }
    guard begins else { return false }
    guard let handover, let instance = place?.instance else { return true }
    try await handover.receiver.receive(instance, handover.update)
    return try await decideWalking(on: track) { machine, _ in machine.received(on: track) }
  }

  private nonisolated func recover(
    _ step: StepID, _ frame: ScopeFrame, _ error: any Error, _ cursor: inout Cursor, on track: TrackID
  ) async throws -> Bool {
    guard case .recover(let closure) = frame.scope.kind, await goesOn(track) else { return false }
    cursor.payload = frame.payload
    let output: any Sendable
    do { output = try await closure(error) } catch { throw Relayed(step: step, error: error) }
    cursor.payload = frame.payload.with(output)
    cursor.isUnwatched = cursor.payload.scopes != nil
    cursor.address = frame.scope.next
    let (address, payload) = (cursor.address, cursor.payload)
    return try await decideWalking(on: track) { machine, _ in
      machine.recovered(making: payload, at: address, on: track)
    }
  }

  /// Tells the machine that the cursor has come under other scopes.
  nonisolated func watch(_ scopes: ScopeFrame?, on track: TrackID) async throws {
    try await decideWalking(on: track) { machine, stopwatch in
      machine.watch(scopes, on: track, at: stopwatch.elapsed())
    }
  }

  @inline(never)
  nonisolated func arrive(_ arrival: Graph.Arrival, _ cursor: inout Cursor, on track: TrackID) async throws -> Leg {
    switch arrival {
    case .step: return .onward
    case .end:
      try await finish(cursor.payload, on: track)
      return .left
    case .choose(let address):
      var payload = cursor.payload
      cursor.address = try await cursor.graph.choose(at: address, &payload)
      cursor.payload = payload
      return await goesOn(track) ? .onward : .left
    case .enterFinally(let node):
      cursor.address = node.address + 1
      let payload = cursor.payload
      let isEntered = try await decideWalking(on: track) { machine, _ in
        machine.enterFinalizer(node, payload: payload, on: track)
      }
      return isEntered ? .onward : .left
    case .leaveFinally(let node, let address):
      cursor.address = address
      return try await runFinalizer(of: node, cursor, on: track) ? .onward : .left
    case .guarded(let frame, let address):
      cursor.payload = cursor.payload.within(try await frame.admitting(participants, to: id))
      cursor.address = address
      return await goesOn(track) ? .onward : .left
    case .round(let address):
      cursor.address = address
      // Such a loop reaches no step, so check for cancellation here, and yield a thread to the timer.
      await Task.yield()
      try Task.checkCancellation()
      return .onward
    case .fork(let node):
      cursor.node = node
      guard let plan = node.fork else { return .onward }
      return try await run(node, plan, isEntered: false, &cursor, on: track)
    case .resume(let menu):
      cursor.node = menu
      let payload = cursor.payload
      let backUp = try menu.backUp(for: payload.value)
      cursor.place = try await decideWalking(on: track) { machine, _ in
        machine.resume(menu, with: payload, backUp: backUp, on: track)
      }
      if cursor.lacksInstance {
        guard try await remake(&cursor, on: track) else { return .left }
        try await receiveAgain(cursor.place, on: track)
        return .onward
      }
      guard cursor.place == nil else { return .onward }
      guard await goesOn(track) else { return .left }
      // The menu was settled, or the run began in the side branch. So the menu is entered for the first time.
      cursor.address = menu.address
      return .onward
    case .deliver(let address):
      guard try await deliver(cursor.payload.value, on: track) else {
        cursor.address = address
        return .onward
      }
      return .left
    }
  }

  /// Runs the finalizer of a component that has ended. A leave does not cancel it.
  ///
  /// - Returns: False if the flow is being left.
  private nonisolated func runFinalizer(
    of node: Node, _ cursor: Cursor, on track: TrackID
  ) async throws -> Bool {
    let finishing = try await decideWalking(on: track) { machine, _ in machine.finish(node, on: track) }
    switch finishing {
    case .left: return false
    case .nothing: return true
    case .run(let input):
      if let finalizer = node.finalizer { try await shielded { try await finalizer.run(input) } }
      let next = (cursor.address, cursor.payload)
      do {
        try await decide(on: track, evenPassivated: true) { machine, _ in
          machine.finalized(node, goingOnAt: next, on: track)
        }
      } catch { throw CommitFailure(error: error) }
      return await goesOn(track)
    }
  }

  /// Finishes the track, unless it is being left.
  private nonisolated func finish(_ payload: Payload, on track: TrackID) async throws {
    _ = try await decideWalking(on: track) { machine, _ in
      track == .main ? machine.finish(payload.value) : machine.finishBranch(track, payload.value)
    }
  }
}

/// A failure from further inside. The failed step is not the one that the walk is at.
struct Relayed: Error {
  let step: StepID
  let error: any Error
}

// MARK: - Forks

extension FlowCoordinator {
  /// Runs the branches of a fork to their ends, and joins them.
  @inline(never)
  private nonisolated func run(
    _ node: Node, _ plan: ForkPlan, isEntered: Bool, _ cursor: inout Cursor, on track: TrackID
  ) async throws -> Leg {
    let payload = cursor.payload
    let reopened = isEntered ? await reopenedFork(on: track) : nil
    let inputs = reopened == nil ? try plan.inputs(from: payload.value) : []
    let tracks: [TrackID]? = try await decideWalking(on: track) { machine, _ in
      if let reopened { return machine.goOn(with: reopened, on: track) }
      if isEntered { return machine.refork(plan, inputs: inputs, on: track) }
      return machine.fork(node, plan, payload: payload, inputs: inputs, on: track)
    }
    guard let tracks else { return .left }
    switch try await outcome(of: plan, tracks, on: track) {
    case nil: return .left
    case .failed(let step, let error)?: throw Relayed(step: step, error: error)
    case .made(let value)?:
      cursor.payload = payload.with(value)
      cursor.address = node.address + 1
    }
    let made = cursor.payload
    return try await decideWalking(on: track) { machine, stopwatch in
      switch machine.join(node, making: made, on: track, since: stopwatch.elapsed()) {
      case .joined: .onward
      case .cleansUp: .over
      case .left: .left
      }
    }
  }

  private enum Outcome: Sendable {
    case made(any Sendable)
    case failed(StepID, any Error)
  }

  /// Waits until every branch has ended or was left, and returns the outcome; `nil` if the fork is being left.
  private nonisolated func outcome(of plan: ForkPlan, _ tracks: [TrackID], on track: TrackID) async throws -> Outcome? {
    let judge = plan.fork.goal.judge
    var stints: [TrackID: Task<Void, Never>] = [:]
    let open = await openTracks(among: tracks)
    var outcome = try await decision(of: plan, track, judge)
    for branch in open { stints[branch] = await startStint(of: branch, on: track) }
    // Before a branch ends, there is a verdict only if there are no branches, or if some ended in an earlier process.
    if outcome == nil, tracks.isEmpty || open.count < tracks.count { outcome = await verdict(on: plan, track, judge) }
    while !stints.isEmpty {
      let branch = await nextEndedBranch(on: track)
      await stints[branch]?.value
      if await endBranch(branch) {
        stints[branch] = nil
      } else {
        stints[branch] = await startStint(of: branch, on: track)
      }
      if outcome == nil { outcome = await verdict(on: plan, track, judge) }
    }
    return outcome
  }

  /// Returns the outcome that was decided before the fork was read back. The judge is asked again, because its output
  /// is not persisted.
  private nonisolated func decision(
    of plan: ForkPlan, _ track: TrackID, _ judge: Fork.Judge
  ) async throws -> Outcome? {
    guard let results = await decidingResults(of: track) else { return nil }
    do {
      var value = results.values.isEmpty ? try judge(nil, results.branches) : nil
      for (index, result) in results.values.enumerated() { value = try judge(result, results.branches - index - 1) }
      return value.map { .made($0) }
    } catch { return .failed(await fork(on: track), error) }
  }

  /// Returns the outcome of the fork, if it can be told yet. A commit that fails stops the run, which leaves the fork.
  private nonisolated func verdict(on plan: ForkPlan, _ track: TrackID, _ judge: Fork.Judge) async -> Outcome? {
    do {
      while true {
        switch try await decideWalking(on: track, { machine, _ in machine.verdict(on: track) }) {
        case .wait: return nil
        case .failed(let step, let error): return .failed(step, error)
        case .join(let results): return try await made(on: plan, track) { try plan.fork.goal.join(results) }
        case .judge(let newest, let open):
          if let outcome = try await made(on: plan, track, { try judge(newest, open) }) { return outcome }
        }
      }
    } catch {
      await halt(error.error)
      return nil
    }
  }

  /// Returns the outcome if the goal has decided or threw. In both cases the branches still open are superseded.
  private nonisolated func made(
    on plan: ForkPlan, _ track: TrackID, _ value: () throws -> (any Sendable)?
  ) async throws(CommitFailure) -> Outcome? {
    let outcome: Outcome
    do {
      guard let value = try value() else { return nil }
      outcome = .made(value)
    } catch {
      outcome = .failed(await fork(on: track), error)
    }
    try await decideWalking(on: track) { machine, stopwatch in
      machine.decided(on: track, since: stopwatch.elapsed())
    }
    return outcome
  }

  private func handover(on track: TrackID) -> Handover? {
    withState { $0.machine.look(at: track) { $0.focus.memory?.handover } }
  }

  private func openTracks(among tracks: [TrackID]) -> [TrackID] {
    withState { state in
      let open = tracks.filter { state.machine.look(at: $0) { $0.phase != .ended } }
      for branch in open { state.branches.insert(TrackTasks(), for: branch) }
      return open
    }
  }

  private func reopenedFork(on track: TrackID) -> [TrackID]? { withState { $0.machine.reopenedFork(on: track) } }

  private func decidingResults(of track: TrackID) -> (values: [any Sendable], branches: Int)? {
    withState { $0.machine.decidingResults(of: track) }
  }

  /// The path of the fork in focus.
  private func fork(on track: TrackID) -> StepID { state.machine[track].visit?.info.id ?? "" }
}
