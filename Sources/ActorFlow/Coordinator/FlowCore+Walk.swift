// The walk: one step after the other, in one task.
extension FlowCore {
  /// Walks from where the track stands.
  ///
  /// One long function on purpose: each async function called for a step costs as much as the rest of the transition.
  /// And whatever has room in its frame is paid for in memory by every flow that waits. So a place holds what its step
  /// needs, here is little more than the place, and what is rare is kept out (`@inline(never)`).
  ///
  /// - Returns: Whether the stint may go on, because the flow has finished or failed by itself. False: it was left.
  func walk(on track: TrackID) async -> Bool {
    guard var way = beginning(on: track) else { return false }
    do {
      if way.isRare, let goesOn = try await begin(&way, on: track) { return goesOn }
      while true {
        if way.place == nil {
          let arrival = try way.graph.advance(from: way.address, &way.cargo)
          if way.isUnwatched || way.cargo.scopes !== way.watched {
            (way.watched, way.isUnwatched) = (way.cargo.scopes, false)
            try await watch(way.watched, on: track)
          }
          guard case .step(let next) = arrival else {
            guard let goesOn = try await arrive(arrival, &way, on: track) else { continue }
            return goesOn
          }
          way.node = next
          // Until this step is entered, the one before has the focus.
          let made = try await next.body.make?()
          if let made, next.body.skip != nil {
            switch try await skipping(next, made, way.cargo, on: track) {
            case .entered: break
            case .left: return false
            case .skipped(let output):
              way.pass(next, making: output)
              continue
            }
          }
          way.place =
            commit == nil
            ? enterNow(next, made, way.cargo, on: track) : try await enter(next, made, way.cargo, on: track)
        }
        guard let entered = way.place else { return false }
        if Task.isCancelled, notBegun(entered, on: track) { return false }
        let context = StepContext(
          runtime: self, info: entered.visit.info, stay: Stay(entered.visit.id, on: track))
        if replays { noteWalker(of: track) }
        let output = try await entered.node.body.proceed(entered.instance, entered.input, context)
        way.leave(entered, making: output)
        switch returned(on: track) {
        case .quietly: break
        case .left: return false
        case .toTidyUp: guard try await tidyUp(track, afterReturning: true) else { return false }
        }
      }
    } catch {
      return await failed(way.blamed, at: way.address, error, way.cargo.scopes, on: track)
    }
  }

  /// Not handed in by the caller, who would keep the place, and so its step, for as long as the walk goes on.
  @inline(never)
  private func beginning(on track: TrackID) -> Way? {
    withState { state in
      if let beginning = state.machine.beginning(on: track) {
        return Way(state.machine.graph, start: beginning.start, top: beginning.top)
      }
      state.machine.leftBeforeBeginning(on: track)
      // A commit under way is about to adopt a machine that does not know of it.
      if state.isCommitting {
        state.deferred.append { machine in
          machine.leftBeforeBeginning(on: track)
          return Decision(())
        }
      }
      return nil
    }
  }
}

// MARK: - The walk's inputs

/// What a commit hook threw at an input of the walk's own: not a step's error, and nobody else's to handle.
struct CommitFailure: Error {
  let error: any Error
}

extension FlowCore {
  /// Gives the machine an input that it does not refuse, so that an error is the commit hook's.
  func decideWalking<Value>(
    on track: TrackID, commits: Bool = true, _ input: (inout FlowMachine) -> Decision<Value>
  ) async throws(CommitFailure) -> Value {
    do { return try await decide(on: track, commits: commits, input) } catch { throw CommitFailure(error: error) }
  }

  /// The everyday transition, without a suspension and with nothing built that nobody looks at.
  @inline(never)
  private func enterNow(_ node: Node, _ instance: StepInstance?, _ cargo: Cargo, on track: TrackID) -> Place? {
    var old: LogEntry?
    var readers: EventLog.Wake?
    var garbage: [any Sendable] = []
    let place = withState { state -> Place? in
      guard let entered = state.machine.enter(node, instance: instance, cargo: cargo, on: track) else {
        return nil
      }
      old = state.log.append(entered.event)
      readers = state.log.takeWaiting()
      if state.machine.hasDiscarded { garbage = state.machine.takeDiscarded() }
      return entered.place
    }
    readers?.passOn()
    _ = (consume garbage, consume old)  // released here, outside the lock
    return place
  }

  @inline(never)
  private func enter(
    _ node: Node, _ instance: StepInstance?, _ cargo: Cargo, on track: TrackID
  ) async throws -> Place? {
    try await decideWalking(on: track) { machine in
      guard let entered = machine.enter(node, instance: instance, cargo: cargo, on: track) else {
        return Decision(nil)
      }
      return Decision(entered.place, entry: entered.event)
    }
  }

  private enum Skipping {
    case entered, left
    /// What goes on to the next step.
    case skipped(any Sendable)
  }

  /// Asks a step that was made whether to skip, and skips it.
  @inline(never)
  private func skipping(
    _ node: Node, _ made: StepInstance, _ cargo: Cargo, on track: TrackID
  ) async throws -> Skipping {
    // Left while it was made: no other code of a step's is to run.
    guard goesOn(track) else { return .left }
    guard case .with(let output)? = try await node.body.skip?(made, cargo.value) else { return .entered }
    guard try await skipped(node, made, cargo, making: output, on: track) else { return .left }
    return .skipped(output)
  }

  private func skipped(
    _ node: Node, _ instance: StepInstance, _ cargo: Cargo, making output: any Sendable, on track: TrackID
  ) async throws -> Bool {
    try await decideWalking(on: track) { machine in
      switch machine.skip(node, instance: instance, cargo: cargo, making: output, on: track) {
      case .left: Decision(false)
      case .passed(let event): Decision(true, event: event)
      case .kept(let entered): Decision(true, entry: entered.event)
      }
    }
  }

  /// Whether nobody has asked to leave.
  func goesOn(_ track: TrackID) -> Bool { withState { $0.machine.look(at: track) { $0.phase == .walking } } }

  private func notBegun(_ place: Place, on track: TrackID) -> Bool {
    let visit = place.visit.id
    return withState { state in
      let notBegun = state.machine.notBegun(visit, on: track)
      // A commit under way is about to adopt a machine that does not know of it.
      if notBegun, state.isCommitting {
        state.deferred.append { machine in
          _ = machine.notBegun(visit, on: track)
          return Decision(())
        }
      }
      return notBegun
    }
  }

  /// A step, its factory, its `skip`, or what stands between two steps threw. False: the track is being left, and the
  /// error is nobody's; or it was the commit hook that threw, and the run stops.
  @inline(never)
  func failed(
    _ node: Node?, at address: Int = 0, _ error: any Error, _ scopes: ScopeFrame?, on track: TrackID
  ) async -> Bool {
    if commit == nil, returned(on: track) == .left { return false }
    if let lost = (error as? CommitFailure)?.error ?? loss(on: track) {
      await halt(lost)
      return false
    }
    let relayed = error as? Relayed
    let step = relayed?.step ?? withState { $0.machine.path(of: node, orAt: address, on: track) }
    let error = relayed?.error ?? error
    do {
      guard try await tidyUp(track) else { return false }
      let since = scopes == nil && track == .main ? .zero : elapsed
      return try await decideWalking(on: track) { machine in
        let event = machine.fail(step, error, orAt: address, under: scopes, on: track, since: since)
        return Decision(machine.fault == nil && (event != nil || machine[track].phase != .walking), event: event)
      }
    } catch {
      await halt(error.error)
      return false
    }
  }
}

// MARK: - After a step

extension FlowCore {
  /// What kept an input of the step's that has ended from being committed. A flow that is kept stops then, and goes on
  /// later from its last commit, where it would else hold against a step that its store was away for a moment.
  func loss(on track: TrackID) -> (any Error)? { withState { $0.with(track) { $0.loss.take() } } }
}

extension FlowCore {
  private enum Returned { case quietly, left, toTidyUp }

  /// The step has returned. In the everyday case that is all.
  @inline(never)
  private func returned(on track: TrackID) -> Returned {
    guard commit == nil else {
      if isKept { _ = loss(on: track) }
      return .toTidyUp
    }
    return withState { state in
      if state.machine.hasLooseEnds(on: track) { return .toTidyUp }
      return state.machine.returned(on: track) ? .quietly : .left
    }
  }

  /// Ends what the step has left behind, by tasks of its own that it did not wait for: an open question is withdrawn,
  /// and a `once` that is under way is waited for. False: the flow is being left.
  ///
  /// - Parameter hasReturned: Whether the step has returned. One that threw may come for what it had open when the flow
  ///   was put away, in another attempt.
  @inline(never)
  private func tidyUp(_ track: TrackID, afterReturning hasReturned: Bool = false) async throws(CommitFailure) -> Bool {
    // First nothing new may begin, then what was begun is ended.
    if commit == nil {
      let returned = returned(on: track)
      if returned != .toTidyUp { return returned == .quietly }
    }
    let isLeft = !(try await decideWalking(on: track, commits: false) { Decision($0.returned(on: track)) })
    if let question = withState({ $0.machine[track].asking?.question.id }) {
      try await decideWalking(on: track) { Decision((), event: $0.withdraw(question, on: track)) }
    }
    for wait in withState({ $0.machine.openWaits(on: track) }) { await stopWaiting(wait, on: track) }
    if hasReturned, isKept { try await closeReopening(on: track) }
    await waitForRunningWork(on: track)
    return !isLeft && goesOn(track)  // it may have been left while it waited
  }

  /// Closes what was open when the flow was put away, and was not come for again.
  private func closeReopening(on track: TrackID) async throws(CommitFailure) {
    while withState({ $0.machine.look(at: track) { $0.reopening != nil } }) {
      let isClosed = try await decideWalking(on: track) { machine in
        let event = machine.closeReopening(on: track)
        return Decision(event == nil, event: event)
      }
      if isClosed { return }
    }
  }
}
